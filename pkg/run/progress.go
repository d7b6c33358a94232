// This file shows the progress of a run: the current case, its speed, and the time left. On a terminal it draws a bar.
// Elsewhere it prints a line from time to time.
//
// The time left is estimated from earlier samples. For a case with samples, an iteration takes the mean of them. For
// other cases, a byte takes as long as in the latest sample of the most similar case. Objects count as bytes: see
// plan.ObjectBytes.

package run

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// ProgressSetup describes the run for the progress bar: its arms, its deadline, and how often to show the progress.
type ProgressSetup struct {
	Arms     []ProgressArm
	InOrder  bool         // cases are measured one after another
	Interval LineInterval // time between lines, where there is no terminal; zero means no lines
	Deadline time.Time    // latest end of the run; the zero time means no deadline
	Now      func() time.Time
	After    func(time.Duration) <-chan time.Time // see time.After
}

// LineInterval is the time between lines about the progress. It is First at the start, and doubles after each line up
// to Longest.
type LineInterval struct{ First, Longest time.Duration }

// ProgressArm is one of the configurations that a run measures.
type ProgressArm struct {
	Name string // "" if there is only one
	Plan plan.Plan
}

// defaultLineInterval is the time between lines unless the user gives it: a run shows soon that it works, and a long
// run does not fill the output of its job.
var defaultLineInterval = LineInterval{First: 5 * time.Second, Longest: time.Minute}

// ProgressBar shows the progress of a run. A nil ProgressBar shows nothing: all methods but Show may be called, and do
// nothing. The methods do not wait until somebody reads the output, except Show, and Clear and Close on a terminal.
type ProgressBar struct {
	ProgressSetup
	start time.Time
	out   io.Writer     // for lines
	end   chan struct{} // closed by Close

	mu   sync.Mutex // guards work
	work *workEstimate

	movedMu       sync.Mutex // guards moved, done and began; held only while a counter is read
	moved         func() uint64
	doneBytes     uint64    // bytes of the operation that moved does not count
	transferStart time.Time // when moved was set

	drawMu   sync.Mutex // guards bar
	terminal *os.File
	bar      *progressbar.ProgressBar // nil where lines are written, and after Close
}

// refreshInterval is the time between two updates of the bar.
const refreshInterval = 500 * time.Millisecond

// barWidth is the number of columns of the bar itself, and barFrame that of the percentage and the blanks around it.
// defaultWidth is for a terminal that does not report its width.
const (
	barWidth     = 20
	barFrame     = len(" 100% || ")
	defaultWidth = 80
)

const numBarParts = 1000

// NewProgressBar starts to show the progress: as a bar on the terminal or, if terminal is nil, as lines in out. It
// returns nil if there is no terminal and r.Interval is zero, which means no lines.
func NewProgressBar(r ProgressSetup, terminal *os.File, out io.Writer) *ProgressBar {
	if terminal == nil && r.Interval == (LineInterval{}) {
		return nil
	}
	if terminal != nil {
		r.Interval = LineInterval{First: refreshInterval, Longest: refreshInterval}
	}
	b := newBar(r, out)
	if terminal != nil {
		b.terminal = terminal
		b.bar = progressbar.NewOptions64(numBarParts, progressbar.OptionSetWriter(terminal),
			progressbar.OptionSetWidth(barWidth),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false),
			progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true))
	}
	go b.showRepeatedly()
	return b
}

// newBar returns a ProgressBar that has no terminal: Show writes a line to out.
func newBar(r ProgressSetup, out io.Writer) *ProgressBar {
	return &ProgressBar{ProgressSetup: r, start: r.Now(), out: out, end: make(chan struct{}), work: newWorkEstimate(r)}
}

// showRepeatedly shows the progress after each interval until Close is called.
func (b *ProgressBar) showRepeatedly() {
	for wait := b.Interval.First; ; wait = min(2*wait, b.Interval.Longest) {
		select {
		case <-b.end:
			return
		case <-b.After(wait):
			b.Show()
		}
	}
}

// Show draws the bar, or writes a line. It ignores errors, so that the run continues.
func (b *ProgressBar) Show() {
	b.mu.Lock()
	now := b.Now()
	b.work.liveRate = b.bytesPerSecond(now, b.work.operationStart()) * b.work.numMovingRanks()
	s := b.work.stateAfter(now, now.Sub(b.start), b.Deadline)
	b.mu.Unlock()
	switch {
	case s.parts == nil:
	case b.terminal == nil:
		const head = "h5perf: "
		_, _ = fmt.Fprintln(b.out, head+s.lineText(plain.MaxLineWidth-len(head)))
	default:
		b.drawBar(s)
	}
}

func (b *ProgressBar) drawBar(s progressState) {
	b.drawMu.Lock()
	defer b.drawMu.Unlock()
	if b.bar == nil {
		return
	}
	width, _, err := term.GetSize(int(b.terminal.Fd()))
	if err != nil || width == 0 {
		width = defaultWidth
	}
	b.bar.Describe(s.barText(min(width, plain.MaxLineWidth) - barWidth - barFrame))
	_ = b.bar.Set64(min(int64(s.fraction*numBarParts), numBarParts-1)) // a full bar would end
}

// VisitCase shows that case i of an arm is now being measured.
func (b *ProgressBar) VisitCase(arm, i int) {
	b.updateWork(func(now time.Time) { b.work.visitCase(arm, i, now) })
}

// SetMovedBytes sets moved, which returns the bytes of the current dataset that this process has moved so far; it may
// be nil. done is the work of the process before, in the same operation of a workload: see bench.Activity.
// SetMovedBytes may be called while a clock runs.
func (b *ProgressBar) SetMovedBytes(moved func() uint64, done uint64) {
	if b == nil {
		return
	}
	b.movedMu.Lock()
	defer b.movedMu.Unlock()
	b.moved, b.doneBytes, b.transferStart = moved, done, b.Now()
}

// bytesPerSecond returns the bytes per second that this process moves in the current dataset. If since is not the zero
// time, it returns the mean rate since that time.
func (b *ProgressBar) bytesPerSecond(now, since time.Time) float64 {
	b.movedMu.Lock()
	defer b.movedMu.Unlock()
	bytes, known := uint64(0), b.moved != nil
	if known {
		bytes = b.moved()
	}
	if since.IsZero() {
		since = b.transferStart
	} else {
		bytes, known = bytes+b.doneBytes, true
	}
	if elapsed := now.Sub(since).Seconds(); known && elapsed > 0 {
		return float64(bytes) / elapsed
	}
	return 0
}

// AddSample adds a sample of the current case.
func (b *ProgressBar) AddSample(s result.Sample) {
	b.updateWork(func(now time.Time) { b.work.addSample(s, now) })
}

// EndCase shows that a case of an arm has ended.
func (b *ProgressBar) EndCase(arm, i int) {
	b.updateWork(func(time.Time) { b.work.endCase(arm, i) })
}

// updateWork calls the function how with the current time, while it holds the lock of the work estimate.
func (b *ProgressBar) updateWork(how func(now time.Time)) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	how(b.Now())
}

// Clear removes the bar from the terminal until the next Show, so that text can be written.
func (b *ProgressBar) Clear() {
	if b == nil {
		return
	}
	b.drawMu.Lock()
	defer b.drawMu.Unlock()
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}

// Close removes the bar.
func (b *ProgressBar) Close() {
	if b == nil {
		return
	}
	close(b.end)
	b.Clear()
	b.drawMu.Lock()
	defer b.drawMu.Unlock()
	b.bar = nil
}
