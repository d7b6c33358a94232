//go:build cgo && !nompi

package bench_test

import (
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
)

func nothingIsTouchedInAnExchangedDirectory(t *testing.T, world mpi.Comm) {
	for _, api := range plan.APIs() {
		for _, collective := range []bool{false, true} {
			o := small(world, option.Conditions{})
			o.APIs, o.Collective = []string{api}, collective
			p, err := plan.New(o, plan.JobFacts{Processes: world.Size()})
			if err != nil {
				t.Fatal(err)
			}
			underAttack(t, world, p, api, realEngines()[api])
		}
	}
}
