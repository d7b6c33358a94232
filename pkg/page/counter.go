package page

import (
	"fmt"
	"sync"
	"sync/atomic"

	"h5perf/pkg/result"
)

// Limits of a page. More would need gigabytes of memory, and nobody could read it.
const (
	MaxRuns    = 100
	MaxSamples = 40_000
)

// SizeCounter counts the runs that a page would show alone, and their samples. Its methods are safe for concurrent use.
type SizeCounter struct {
	runs, samples atomic.Int64
	seen          sync.Map // the runs that were added
}

// AddRun adds a run, unless it was added before. It reports whether the number of runs and samples is still within the
// limits of a page.
func (s *SizeCounter) AddRun(doc result.Document) bool {
	type run struct {
		id string
		of result.Identity
	}
	if _, twice := s.seen.LoadOrStore(run{doc.RunID, doc.Identity}, true); twice {
		return s.CheckLimits() == nil
	}
	samples := 0
	for _, c := range doc.Cases {
		samples += max(1, len(c.Samples))
	}
	return s.runs.Add(1) <= MaxRuns && s.samples.Add(int64(samples)) <= MaxSamples
}

// CheckLimits returns an error if there are too many runs or samples for a page.
func (s *SizeCounter) CheckLimits() error {
	runs, samples := s.runs.Load(), s.samples.Load()
	switch {
	case runs > MaxRuns:
		return fmt.Errorf("%d runs are too many: pages and pictures show at most %d; select fewer runs", runs, MaxRuns)
	case samples > MaxSamples:
		return fmt.Errorf("the runs have more than %d samples, the most that pages and pictures show; select fewer "+
			"runs", MaxSamples)
	}
	return nil
}
