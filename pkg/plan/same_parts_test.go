package plan_test

import (
	"slices"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// Values with which only HDF5 does something else are those of an earlier case, for the other APIs.
func TestValuesThatOnlyHDF5HasAreTheSameWithPlainFiles(t *testing.T) {
	for _, c := range []struct {
		choice string
		want   map[string]string // values that are the same as an earlier one
	}{
		{"selection", map[string]string{"merge": "or", "points": "or"}},
		{"storage", map[string]string{
			"chunked": "contiguous", "unlimited": "contiguous", "filtered": "contiguous",
		}},
	} {
		base := plan.Options{Workload: &plan.WorkloadOptions{Application: option.Application{
			Workload: "selections", Size: "tiny", APIs: []string{result.MPIIO, result.PHDF5},
		}}}
		base.Sweep = &plan.Sweep{
			Ranges: []plan.SweptRange{{Name: c.choice}},
			Options: func(values []result.KeyValue) (plan.Options, error) {
				o, w := base, *base.Workload
				w.Set = map[string]string{values[0].Key: values[0].Value}
				o.Workload, o.Sweep = &w, nil
				return o, nil
			},
		}
		p, err := plan.New(base, plan.JobFacts{Processes: 4})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for one := range p.Cases() {
			var want []result.KeyValue
			if value := c.want[one.Values[0].Value]; value != "" && one.API == result.MPIIO {
				want = []result.KeyValue{{Key: c.choice, Value: value}}
			}
			if n++; !slices.Equal(one.SameAs, want) {
				t.Errorf("%s, %v: the same as %v, want %v", one.API, one.Values, one.SameAs, want)
			}
		}
		if n < 12 {
			t.Errorf("%s: %d cases", c.choice, n)
		}
	}
}
