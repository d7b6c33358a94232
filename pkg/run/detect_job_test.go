package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

func TestTheTargetOfARunThatOnlyReadsIsThatOfItsFile(t *testing.T) {
	for _, stripe := range []string{"", "2"} {
		s := newSimulation(t, 1)
		file := filepath.Join(t.TempDir(), "data.posix")
		if err := os.WriteFile(file, make([]byte, 64<<10), 0o600); err != nil {
			t.Fatal(err)
		}
		s.arms[0].Stripe = stripe
		s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) {
			o := smallest()
			o.ReadOnly = file
			return plan.New(o, at)
		}
		s.run()
		if stripe != "" {
			if err := s.ranks[0].refused; err == nil || !strings.Contains(err.Error(), "leave one of them out") {
				t.Errorf("the start returns %v", err)
			}
			continue
		}
		doc := s.document(s.json, result.Failed, result.ExitFailed) // the engine cannot read this file
		if resolved, _ := filepath.EvalSymlinks(filepath.Dir(file)); doc.Target.Directory != resolved {
			t.Errorf("target is %+v, want %s", doc.Target, resolved)
		}
	}
}
