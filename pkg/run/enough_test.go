package run

import (
	"testing"

	"h5perf/pkg/plan"
)

func TestAComparisonSaysHowManyIterationsItNeeds(t *testing.T) {
	for _, c := range []struct {
		o    plan.Options
		want string
	}{
		{
			plan.Options{APIs: []string{"posix"}, MinTransfer: new(uint64(256 << 10)), Iterations: new(5)},
			"a difference in any of 2 points takes at least 7 iterations to be shown; there are 5, so none can be: " +
				"give -i 7, or more",
		},
		{
			plan.Options{
				APIs: []string{"posix"}, MinTransfer: new(uint64(256 << 10)), Iterations: new(6), WriteOnly: true,
			},
			"a difference takes at least 6 iterations to be shown; there are 6",
		},
		{
			plan.Options{Conditions: plan.Conditions{RepeatUntil: new(0.1)}},
			"a difference in any of 12 points takes at least 9 iterations to be shown; there are 6 to 100",
		},
	} {
		p, err := plan.New(c.o, plan.Job{Processes: 1, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := enough(p); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
