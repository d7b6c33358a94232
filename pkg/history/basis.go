package history

import (
	"cmp"
	"fmt"

	"h5perf/pkg/result"
)

// Options say how two sets of runs are compared.
type Options struct {
	Allowed []string // decisive conditions in which points may differ, named as in Setting

	// The time on which all throughputs rest. Empty stands for windows if all runs have them, and otherwise for the
	// time of the slowest process, which every run has.
	Basis result.Basis

	Names [2]string // of the two sets, in texts for people; by default OLD and NEW
}

// basisOf returns the time on which the throughputs of a run rest: that of windows, if the run has them.
func basisOf(r Record) result.Basis {
	if r.Basis == result.BasisWindow {
		return result.BasisWindow
	}
	return result.BasisSlowest
}

// basis returns the time on which all throughputs rest. Unless that was asked for, it also returns in words why these
// are not windows. Windows that are asked for are refused if a run has none.
func (c *comparer) basis(asked result.Basis) (basis result.Basis, reason string, err error) {
	old, now := c.old.windowless(), c.now.windowless()
	if asked == result.BasisSlowest || old+now == 0 {
		return cmp.Or(asked, result.BasisWindow), "", nil
	}
	reason = fmt.Sprintf("%d of %d runs of %s and %d of %d runs of %s have no windows", old, len(c.old.records),
		c.names[0], now, len(c.now.records), c.names[1])
	if asked == result.BasisWindow {
		return "", "", fmt.Errorf("basis %s is refused: %s", asked, reason)
	}
	return result.BasisSlowest, reason, nil
}

// windowless returns the number of runs that have no windows.
func (s *runSet) windowless() (n int) {
	for _, r := range s.records {
		if basisOf(r) != result.BasisWindow {
			n++
		}
	}
	return n
}
