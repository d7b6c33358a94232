package run

import (
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
)

func TestAComparisonSaysHowManyIterationsItNeeds(t *testing.T) {
	for _, c := range []struct {
		o    plan.Options
		want string
	}{
		{
			plan.Options{
				Sizes:  option.Sizes{APIs: []string{"posix"}, MinTransferSize: new(uint64(256 << 10))},
				Common: option.Common{Iterations: new(5)},
			},
			"Caution: To show a difference in any of 2 points, A and B need at least 7 iterations each; they have 5, " +
				"so no difference can be shown. Use -i 7 or more.",
		},
		{
			plan.Options{
				Sizes:  option.Sizes{APIs: []string{"posix"}, MinTransferSize: new(uint64(256 << 10))},
				Common: option.Common{Iterations: new(6), WriteOnly: true},
			},
			"Note: To show a difference, A and B need at least 6 iterations each; they have 6, which is enough.",
		},
		{
			plan.Options{Common: option.Common{Conditions: option.Conditions{RepeatUntil: new(0.1)}}},
			"Caution: To show a difference in any of 12 points, A and B need at least 9 iterations each; they have " +
				"6 to 100, so perhaps no difference can be shown. Use -i 9 or more.",
		},
		{
			plan.Options{Common: option.Common{Conditions: option.Conditions{Preset: "standard", InTurns: true}}},
			"Note: To show a difference in any of 30 points, A and B need at least 11 iterations each; they have 11 " +
				"to 100, which is enough.",
		},
	} {
		p, err := plan.New(c.o, plan.JobFacts{Processes: 1, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got, caution := iterationsLine(p.Parameters, 0, "A and B", p.PairsNeeded(), p.NumPoints()); got != c.want ||
			caution != strings.HasPrefix(got, "Caution: ") {
			t.Errorf("%q, a caution: %t, want %q", got, caution, c.want)
		}
	}
}
