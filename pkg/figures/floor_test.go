package figures_test

import (
	"slices"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/figures/figurestest"
	"h5perf/pkg/result"
)

func TestTheBestPointIsOneThatShowsTheFileSystem(t *testing.T) {
	r := figurestest.Sweep()
	r.Cases = []result.Case{
		figurestest.Case(2, 4096, "posix", 1000, 8), figurestest.Case(2, 8192, "posix", 4000, 8),
		figurestest.Case(2, 16384, "posix", 8000, 8), figurestest.Case(2, 32768, "posix", 16000, 8),
	}
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = nil
		}
	}
	r.Cases[2].Samples[2].Marks = []result.Mark{result.Implausible} // a write
	r.Cases[2].Samples[3].Marks = []result.Mark{result.Warm}        // a read
	r.Cases[3].State = result.Interrupted
	for _, op := range result.All[result.Operation]() {
		best, found := figures.Floor{Operation: op}.Best([]figures.Run{r})
		if !found || best.Case.TransferBytes != 8192 || best.Operation != op {
			t.Errorf("%s: %v, transfer size %d", op, found, best.Case.TransferBytes)
		}
	}
	r.Cases = slices.Clone(r.Cases[2:])
	if best, found := (figures.Floor{Operation: result.OperationRead}).Best([]figures.Run{r}); found {
		t.Errorf("%+v", best.Rate)
	}
}
