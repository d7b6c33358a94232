package figures_test

import (
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

func TestAnErrorIsToldWhenItComesAndAfterwards(t *testing.T) {
	parallel, serial := figurestest.Sweep(), figurestest.Serial()
	for _, c := range []struct {
		run                   figures.Run
		failure               result.Error
		after, now, inReports string
	}{
		{
			parallel,
			result.Error{
				Phase: "transfer", Operation: "write", Iteration: 2, File: 1, Rank: 3, Host: "n1", Ranks: 3,
				Message: "pwrite f:\nno\tspace",
			},
			"pwrite f:; no space (write transfer, iteration 2, file 1, rank 3 on n1, 3 ranks failed)",
			"write, transfer, iteration 2: rank 3 and 2 more (n1): pwrite f:\nno\tspace",
			"pwrite f:; no\tspace (rank 3)",
		},
		{
			serial,
			result.Error{Phase: "signal", Host: "n1", Ranks: 1, Message: "stopped"},
			"stopped (signal, rank 0 on n1)", "signal: rank 0 (n1): stopped", "stopped",
		},
	} {
		if got := figures.FailureAfterRun(c.failure); got != c.after {
			t.Errorf("%q, want %q", got, c.after)
		}
		if got := figures.FailureDuringRun(c.failure); got != c.now {
			t.Errorf("%q, want %q", got, c.now)
		}
		if got := c.run.FailureInCReport(c.failure); got != c.inReports {
			t.Errorf("%q, want %q", got, c.inReports)
		}
	}
}
