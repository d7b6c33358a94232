package page

import (
	"fmt"
	"sync"

	"h5perf/pkg/result"
)

// Limits of a page. More would need gigabytes of memory, and nobody could read it.
const (
	MaxRuns    = 100
	MaxSamples = 40_000
)

// SizeCounter counts the runs that a page would show alone, and their samples. Its methods are safe for concurrent use.
type SizeCounter struct {
	mutex   sync.Mutex
	seen    map[countedRun]bool
	samples int
}

// countedRun identifies a run.
type countedRun struct {
	id string
	of result.Identity
}

// AddRun adds a run, unless it was added before. It reports whether the number of runs and samples is still within the
// limits of a page.
func (s *SizeCounter) AddRun(doc result.Document) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if run := (countedRun{doc.RunID, doc.Identity}); !s.seen[run] {
		if s.seen == nil {
			s.seen = map[countedRun]bool{}
		}
		s.seen[run] = true
		for _, c := range doc.Cases {
			s.samples += max(1, len(c.Samples))
		}
	}
	return len(s.seen) <= MaxRuns && s.samples <= MaxSamples
}

// CheckLimits returns an error if there are too many runs or samples for a page.
func (s *SizeCounter) CheckLimits() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case len(s.seen) > MaxRuns:
		return fmt.Errorf("%d runs are too many: pages and pictures show at most %d; select fewer runs", len(s.seen),
			MaxRuns)
	case s.samples > MaxSamples:
		return fmt.Errorf("the runs have more than %d samples, the most that pages and pictures show; select fewer "+
			"runs", MaxSamples)
	}
	return nil
}
