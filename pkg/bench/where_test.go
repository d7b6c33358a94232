package bench_test

import (
	"strings"
	"testing"

	"h5perf/pkg/bench"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

func TestEachProcessTellsWhereItMayHang(t *testing.T) {
	var at bench.Activity
	var calls []string // calls of the engine, with the activity of the process
	var waits []string
	_, seen, _ := runWith(t,
		plan.Options{
			Sizes: option.Sizes{
				APIs: []string{result.PHDF5}, MinTransferSize: new(uint64(128 << 10)),
				MaxTransferSize: new(uint64(128 << 10)),
			},
		}, null.Options{
			Fail: func(s null.Step) error {
				if s.Phase == null.Transfer && at.Progress() != s.Transfer*128<<10 {
					t.Errorf("transfer %d: %d bytes told", s.Transfer, at.Progress())
				}
				if s.Phase != null.Transfer || s.Transfer == 0 {
					calls = append(calls,
						string(s.Phase)+" "+s.Op.String()+" in "+string(at.Operation)+" "+string(at.Phase))
				}
				if at.Waiting || s.Path != at.Path || s.Path != "" && (at.Iteration != 1 || at.File != 1) {
					t.Errorf("%s of %s: told is %+v", s.Phase, s.Path, at)
				}
				return nil
			},
		}, func(cfg *bench.Config) {
			cfg.Enter = func(w bench.Activity) {
				if at = w; w.Waiting {
					waits = append(waits, string(w.Phase))
				}
			}
		})
	want := []string{"prepare write in  prepare"}
	for _, op := range []workload.Op{workload.Write, workload.Read} {
		for _, phase := range []string{"open", "dataset", "transfer", "dataset close", "close"} {
			want = append(want, phase+" "+op.String()+" in "+op.String()+" "+phase)
		}
	}
	if got := strings.Join(calls, ", "); got != strings.Join(want, ", ") {
		t.Errorf("calls\n%s, want\n%s", got, strings.Join(want, ", "))
	}
	got := strings.Join(waits, ", ")
	if !strings.HasPrefix(got, "turn, prepare, prepare, prepare, open, open, open, dataset, dataset, transfer, "+
		"transfer, transfer, dataset close, dataset close, close, close, check, open") {
		t.Errorf("waits: %s", got)
	}
	if at.Phase != "" || at.Waiting {
		t.Errorf("after %d cases it is still in %s", len(seen.cases), at.Phase)
	}
}
