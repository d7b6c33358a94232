package provenance

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

func TestPlacement(t *testing.T) {
	placement, binding := Placement([]mpi.Host{
		{
			Name: "n1", Ranks: "0-1", Count: 2, CPUs: 1.5,
			Bindings: []mpi.Binding{{CPUs: "0", Ranks: 1}, {CPUs: "1", Ranks: 1}},
		},
		{Name: "n2", Ranks: "2", Count: 1},
	})
	wantPlacement := []result.Host{
		{Host: "n1", Ranks: "0-1", Count: 2, CPUs: 1.5}, {Host: "n2", Ranks: "2", Count: 1},
	}
	wantBinding := []result.Binding{{Host: "n1", CPUs: "0", Ranks: 1}, {Host: "n1", CPUs: "1", Ranks: 1}}
	if d := cmp.Diff(wantPlacement, placement) + cmp.Diff(wantBinding, binding); d != "" {
		t.Error(d)
	}
}
