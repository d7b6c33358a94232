package bench_test

import (
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// Documents use the same words as the lower packages, which do not import package result.
func TestDocumentsHaveTheWordsOfThePackagesBelow(t *testing.T) {
	for op, want := range result.ValuesOf[result.Operation]() {
		if got := plan.OperationOf(workload.Op(op)); got != want {
			t.Errorf("operation %d of an engine is %q, want %q", op, got, want)
		}
	}
	for below, want := range map[string]string{
		node.Cachestat: string(result.CacheCachestat), node.Mincore: string(result.CacheMincore),
		mpi.Multiple: string(result.ThreadMultiple),
	} {
		if below != want {
			t.Errorf("%q below, and %q in documents", below, want)
		}
	}
}
