package page

import (
	"fmt"
	"sync"
	"sync/atomic"

	"h5perf/pkg/result"
)

// What a page shows at most. More would need gigabytes, and nobody could read it.
const (
	MostRuns    = 500
	MostSamples = 40_000
)

// Size counts what a page would show. Its methods may be called from several goroutines at once.
type Size struct {
	runs, samples atomic.Int64
	seen          sync.Map // the runs
}

// Add adds a run, unless it was added before, and reports whether a page can show all that was added.
func (s *Size) Add(doc result.Document) bool {
	type run struct {
		id string
		of result.Identity
	}
	if _, twice := s.seen.LoadOrStore(run{doc.RunID, doc.Identity}, true); twice {
		return s.Check() == nil
	}
	samples := 0
	for _, c := range doc.Cases {
		samples += max(1, len(c.Samples))
	}
	return s.runs.Add(1) <= MostRuns && s.samples.Add(int64(samples)) <= MostSamples
}

// Check returns an error if it is too much for a page.
func (s *Size) Check() error {
	runs, samples := s.runs.Load(), s.samples.Load()
	switch {
	case runs > MostRuns:
		return fmt.Errorf("%d runs are too many: pages and pictures show at most %d; select fewer runs", runs, MostRuns)
	case samples > MostSamples:
		return fmt.Errorf("the runs have more than %d samples, the most that pages and pictures show; select fewer "+
			"runs", MostSamples)
	}
	return nil
}
