// Package progress shows on a terminal how far a run is: the case and the time left.
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

// Bar is a progress bar over all bytes of a run. A nil Bar shows nothing.
type Bar struct {
	mu      sync.Mutex
	bar     *progressbar.ProgressBar
	done    uint64        // bytes of the iterations that ended
	working func() uint64 // bytes of the dataset at work, of one process
	scale   uint64        // processes that work alike
	end     chan struct{}
}

// refresh is the time between two looks at a dataset at work.
const refresh = 500 * time.Millisecond

// New shows a bar on out if that is a terminal, and returns nil otherwise. total is the bytes of the run, both ways.
func New(out interface {
	io.Writer
	Fd() uintptr
}, total uint64,
) *Bar {
	if !term.IsTerminal(int(out.Fd())) || total > math.MaxInt64 {
		return nil
	}
	b := &Bar{
		bar: progressbar.NewOptions64(int64(total), progressbar.OptionSetWriter(out), progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true)),
		end: make(chan struct{}),
	}
	go b.look()
	return b
}

// look draws the bar anew from time to time.
func (b *Bar) look() {
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

func (b *Bar) draw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.done
	if b.working != nil {
		n += b.working() * b.scale
	}
	_ = b.bar.Set64(min(int64(n), b.bar.GetMax64()-1)) // a bar that cannot be drawn is no reason to end a run
}

// Begin names the case that begins.
func (b *Bar) Begin(c plan.Case) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.scale = uint64(c.Processes)
	b.bar.Describe(fmt.Sprintf("%s, processes: %d, transfer: %s", c.API, c.Processes, units.FormatSize(c.Transfer)))
}

// Working takes the function that tells how far the dataset at work is, or nil.
func (b *Bar) Working(progress func() uint64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.working = progress
}

// Sample counts an iteration that was measured.
func (b *Bar) Sample(s result.Sample) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += s.Bytes
}

// Clear takes the bar off the terminal until it is drawn again, so that text can be written.
func (b *Bar) Clear() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.bar.Clear()
}

// Close takes the bar away.
func (b *Bar) Close() {
	if b == nil {
		return
	}
	close(b.end)
	b.Clear()
}
