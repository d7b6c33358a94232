//go:build cgo && !nompi

package main

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/faultfs/fault"
	"h5perf/pkg/test/faultfs/faulttest"
)

// Both signals interrupt each phase, each time with another API.
func TestASignalInAnyPhaseEndsTheRun(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		phase string
		op    fault.Op // file operation at which the phase is stopped
	}{
		{"open", fault.Create},
		{"transfer", fault.Write},
		{"sync", fault.Fsync},
		{"close", fault.Flush},
		{"open to read", fault.OpenRead},
		{"transfer to read", fault.Read},
	} {
		for j, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
			way := ways[(i+j)%len(ways)]
			t.Run(c.phase+" "+way+" "+s.String(), func(t *testing.T) {
				t.Parallel()
				f := faulttest.Start(t)
				l := launch(t, 2, f.Path, nil, nil,
					endless(append(strings.Fields(way), "--sync", "close", "--timeout", "30s")...)...)
				l.working()
				f.SetRules(string(c.op) + ":hang")
				l.within(startTime, "a rank in the phase", func() bool { return hanging(f.Stats()) > 0 })
				l.signal(1, s)
				f.SetRules()
				l.fails(endsWithin)
				l.cleaned()
				doc := l.document()
				if !slices.Contains([]result.State{result.Failed, result.Interrupted}, doc.State) ||
					len(doc.Errors) == 0 {
					t.Errorf("document is %s with errors %v", doc.State, doc.Errors)
				}
			})
		}
	}
}

func hanging(s fault.Stats) (n uint64) {
	for _, r := range s {
		n += r.Hanging
	}
	return n
}
