// Package progress shows on a terminal how far a run has come: the current case and the time left.
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

// Bar is a progress bar over all bytes of a run. The methods of a nil Bar do nothing.
type Bar struct {
	mu      sync.Mutex
	bar     *progressbar.ProgressBar
	done    uint64        // bytes of the iterations that have ended
	working func() uint64 // bytes moved so far of the current dataset, by one process; may be nil
	scale   uint64        // number of processes, which are assumed to be equally far
	end     chan struct{} // closed by Close
}

// refresh is the time between two updates of the bar.
const refresh = 500 * time.Millisecond

// New shows a bar on out if out is a terminal, and returns nil otherwise. total is the number of bytes that
// the run writes and reads.
func New(out interface {
	io.Writer
	Fd() uintptr
}, total uint64,
) *Bar {
	if !term.IsTerminal(int(out.Fd())) || total > math.MaxInt64 {
		return nil
	}
	b := &Bar{
		bar: progressbar.NewOptions64(int64(total), progressbar.OptionSetWriter(out),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true)),
		end: make(chan struct{}),
	}
	go b.update()
	return b
}

// look updates the bar until Close is called.
func (b *Bar) update() {
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for {
		select {
		case <-b.end:
			return
		case <-tick.C:
			b.draw()
		}
	}
}

// draw draws the bar.
func (b *Bar) draw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.done
	if b.working != nil {
		n += b.working() * b.scale
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
	b.bar.Describe(fmt.Sprintf("%s, processes: %d, transfer: %s", c.API, c.Processes, units.FormatSize(c.Transfer)))
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
	_ = b.bar.Clear()
}

// Close removes the bar.
func (b *Bar) Close() {
	if b == nil {
		return
	}
	close(b.end)
	b.Clear()
}
