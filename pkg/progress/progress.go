// Package progress shows how far a run has come: the current case and the time left, as a bar on a terminal, and
// elsewhere as a line from time to time.
package progress

import (
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// Bar shows how many of all bytes of a run are done. The methods of a nil Bar do nothing.
type Bar struct {
	mu      sync.Mutex
	bar     *progressbar.ProgressBar // nil where lines are written
	lines   lines
	done    uint64        // bytes of the iterations that have ended
	working func() uint64 // bytes moved so far of the current dataset, by one process; may be nil
	scale   uint64        // number of processes, which are assumed to be equally far
	end     chan struct{} // closed by Close
}

// refresh is the time between two updates of the bar.
const refresh = 500 * time.Millisecond

// New shows a bar on out if out is a terminal, or else a line each time that every has passed, and returns nil if every
// is 0. total is the number of bytes that the run writes and reads. The run ends at the deadline at the latest, unless
// that is the zero time.
func New(out interface {
	io.Writer
	Fd() uintptr
}, total uint64, every time.Duration, deadline time.Time,
) *Bar {
	terminal := term.IsTerminal(int(out.Fd()))
	if !terminal && every == 0 || total > math.MaxInt64 {
		return nil
	}
	b := &Bar{end: make(chan struct{})}
	if terminal {
		every = refresh
		b.bar = progressbar.NewOptions64(int64(total), progressbar.OptionSetWriter(out),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true))
	} else {
		b.lines = lines{out: out, total: total}
		if !deadline.IsZero() {
			b.lines.latest = time.Until(deadline)
		}
	}
	tick := time.NewTicker(every)
	go func() {
		defer tick.Stop()
		b.update(tick.C, time.Now())
	}()
	return b
}

// update shows the progress at each tick until Close is called. start is when the run began.
func (b *Bar) update(tick <-chan time.Time, start time.Time) {
	for {
		select {
		case <-b.end:
			return
		case now := <-tick:
			b.draw(now.Sub(start))
		}
	}
}

// draw draws the bar, or writes a line. elapsed is the time since the run began.
func (b *Bar) draw(elapsed time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.done
	if b.working != nil {
		n += b.working() * b.scale
	}
	if b.bar == nil {
		b.lines.write(n, elapsed)
		return
	}
	_ = b.bar.Set64(min(int64(n), b.bar.GetMax64()-1)) // a run goes on if its bar cannot be drawn
}

// Begin shows the case that begins.
func (b *Bar) Begin(c plan.Case) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.scale = uint64(c.Processes)
	text := fmt.Sprintf("%s, processes: %d, transfer: %s", c.API, c.Processes, units.FormatSize(c.Transfer))
	if b.lines.of = text; b.bar != nil {
		b.bar.Describe(text)
	}
}

// Working sets the function that returns the bytes moved so far of the current dataset, by one process. It
// may be nil.
func (b *Bar) Working(progress func() uint64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.working = progress
}

// Sample adds an iteration that was measured.
func (b *Bar) Sample(s result.Sample) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += s.Bytes
}

// Clear removes the bar from the terminal until it is drawn again, so that text can be written.
func (b *Bar) Clear() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}

// Close removes the bar.
func (b *Bar) Close() {
	if b == nil {
		return
	}
	close(b.end)
	b.Clear()
}

// lines writes how far a run has come in lines of text.
type lines struct {
	out    io.Writer
	total  uint64        // bytes of the run
	latest time.Duration // from the start to the deadline; 0 without one
	of     string        // the case at work; "" before the first one
}

// write writes a line. The time left is told as if the run went on at the same speed. A run can move more bytes than
// was known when it began, and then the line tells only of the time. One that would last beyond its deadline has fewer
// iterations.
func (l lines) write(done uint64, elapsed time.Duration) {
	text := fmt.Sprintf("h5perf: %v", elapsed.Round(time.Second))
	if part := float64(done) / float64(l.total); part > 0 && part <= 1 {
		left, why := time.Duration(float64(elapsed)*(1-part)/part), "at this speed %v more"
		if l.latest > 0 && elapsed+left > l.latest {
			left, why = max(0, l.latest-elapsed), "ends by its deadline in %v"
		}
		text += fmt.Sprintf(", %.0f %% done, "+why, 100*part, left.Round(time.Second))
	}
	if l.of != "" {
		text += "; at work: " + l.of
	}
	_, _ = fmt.Fprintln(l.out, text) // a run goes on if its progress cannot be told
}
