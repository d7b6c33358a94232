// This file shows how far a run is: which case is at work, how fast, and how long the rest takes. On a terminal
// it is a bar, and elsewhere a line from time to time.
//
// The time that is left is estimated from what was measured so far. A case takes as long as its iterations have taken
// on average. One that has none takes as long for each byte as the latest that is like it.

package run

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// Progress is a run whose progress is shown.
type Progress struct {
	Arms     []ProgressArm
	InOrder  bool             // cases are measured one after another
	Every    time.Duration    // between lines, where there is no terminal; 0 is none
	Deadline time.Time        // when the run ends at the latest; the zero time is none
	Now      func() time.Time // of the day
}

// ProgressArm is a configuration of a run.
type ProgressArm struct {
	Name result.Arm // "" if there is only one
	Plan plan.Plan
}

// ProgressInterval is the usual time between lines.
const ProgressInterval = time.Minute

// ProgressBar shows how far a run is. The methods of a nil Bar do nothing. They never wait for somebody who reads,
// except Clear and Close on a terminal.
type ProgressBar struct {
	Progress
	start time.Time
	out   io.Writer     // for lines
	end   chan struct{} // closed by Close

	mu   sync.Mutex // guards work
	work *workEstimate

	transferring sync.Mutex // guards moved and began; held for no longer than it takes to read a counter
	moved        func() uint64
	done         uint64    // bytes of the operation before moved
	began        time.Time // when moved was set

	drawing  sync.Mutex // guards bar
	terminal *os.File
	bar      *progressbar.ProgressBar // nil where lines are written, and after Close
}

// refreshInterval is the time between two updates of the bar.
const refreshInterval = 500 * time.Millisecond

// shortest is the number of columns of the shortest bar with its percentage, and usualWidth that of a terminal which
// does not know its own.
const (
	minBarWidth = len(" 100% |          | ")
	usualWidth  = 80
)

// numBarParts is how many parts of a run the bar can show.
const numBarParts = 1000

// NewProgressBar shows a bar on the terminal, or without one writes lines to out. It returns nil where neither is
// wanted.
func NewProgressBar(r Progress, terminal *os.File, out io.Writer) *ProgressBar {
	if terminal == nil && r.Every == 0 {
		return nil
	}
	b := newBar(r, out)
	every := r.Every
	if terminal != nil {
		every, b.terminal = refreshInterval, terminal
		b.bar = progressbar.NewOptions64(numBarParts, progressbar.OptionSetWriter(terminal),
			progressbar.OptionSetWidth(20),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false),
			progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true))
	}
	tick := time.NewTicker(every)
	go func() {
		defer tick.Stop()
		b.showAtTicks(tick.C)
	}()
	return b
}

// newBar returns a Bar that writes lines where it is updated.
func newBar(r Progress, out io.Writer) *ProgressBar {
	return &ProgressBar{Progress: r, start: r.Now(), out: out, end: make(chan struct{}), work: newWorkEstimate(r)}
}

// showAtTicks shows the progress at each tick until Close is called.
func (b *ProgressBar) showAtTicks(tick <-chan time.Time) {
	for {
		select {
		case <-b.end:
			return
		case <-tick:
			b.Show()
		}
	}
}

// Show draws the bar, or writes a line. A run goes on if its progress cannot be shown.
func (b *ProgressBar) Show() {
	b.mu.Lock()
	now := b.Now()
	b.work.live = b.bytesPerSecond(now, b.work.dumpingSince()) * b.work.numMovingRanks()
	s := b.work.stateAfter(now, now.Sub(b.start), b.Deadline)
	b.mu.Unlock()
	switch {
	case s.text == "":
	case b.terminal == nil:
		_, _ = fmt.Fprintf(b.out, "h5perf: %s\n", s.text)
	default:
		b.drawBar(s)
	}
}

// drawBar draws the bar, in one line of the terminal.
func (b *ProgressBar) drawBar(s progressState) {
	b.drawing.Lock()
	defer b.drawing.Unlock()
	if b.bar == nil {
		return
	}
	text := []rune(s.bar)
	width, _, err := term.GetSize(int(b.terminal.Fd()))
	if err != nil || width == 0 {
		width = usualWidth
	}
	text = text[:min(len(text), max(0, width-minBarWidth))]
	_ = b.bar.Set64(min(int64(s.part*numBarParts), numBarParts-1)) // the last part would end it
	b.bar.Describe(string(text))
}

// VisitCase shows that a case of an arm is at work from now on.
func (b *ProgressBar) VisitCase(arm, i int) {
	b.changeWork(func(now time.Time) { b.work.visitCase(arm, i, now) })
}

// SetMovedBytes sets the function that returns the bytes moved so far of the current dataset, by one process, and what
// it has moved of a workload before, in this operation. The function may be nil. Working can be called inside a clock.
func (b *ProgressBar) SetMovedBytes(moved func() uint64, done uint64) {
	if b == nil {
		return
	}
	b.transferring.Lock()
	defer b.transferring.Unlock()
	b.moved, b.done, b.began = moved, done, b.Now()
}

// bytesPerSecond returns how many bytes per second this process moves now, or has moved since a time, unless that is
// zero.
func (b *ProgressBar) bytesPerSecond(now, since time.Time) float64 {
	b.transferring.Lock()
	defer b.transferring.Unlock()
	bytes, known := uint64(0), b.moved != nil
	if known {
		bytes = b.moved()
	}
	if since.IsZero() {
		since = b.began
	} else {
		bytes, known = bytes+b.done, true
	}
	if elapsed := now.Sub(since).Seconds(); known && elapsed > 0 {
		return float64(bytes) / elapsed
	}
	return 0
}

// AddSample adds an iteration of the case at work.
func (b *ProgressBar) AddSample(s result.Sample) {
	b.changeWork(func(now time.Time) { b.work.addSample(s, now) })
}

// EndCase shows that a case of an arm has ended.
func (b *ProgressBar) EndCase(arm, i int) {
	b.changeWork(func(time.Time) { b.work.endCase(arm, i) })
}

// changeWork changes the work.
func (b *ProgressBar) changeWork(how func(now time.Time)) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	how(b.Now())
}

// Clear removes the bar from the terminal until it is drawn again, so that text can be written.
func (b *ProgressBar) Clear() {
	if b == nil {
		return
	}
	b.drawing.Lock()
	defer b.drawing.Unlock()
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
	b.drawing.Lock()
	defer b.drawing.Unlock()
	b.bar = nil
}
