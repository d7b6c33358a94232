package page

import (
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/workload"
)

// A sweep over the number of objects has a curve for each class of steps, in a panel for each direction.
func TestObjectsPerSecondAreDrawnAgainstTheirNumber(t *testing.T) {
	r := figurestest.Workload()
	of := r.Cases[len(r.Cases)-1]
	r.Cases = nil
	for i, number := range []string{"10K", "1000", "100K"} {
		c := of
		c.Values = []result.KeyValue{{Key: "objects", Value: number}}
		c.Samples = nil
		for _, s := range of.Samples {
			s.Classes = nil
			for _, class := range []workload.StepClass{workload.Create, workload.Stat, workload.Sync} {
				t := result.ClassTime{Class: result.ClassOf(class), Interval: result.Interval{Max: 1, Mean: 1}}
				if class != workload.Sync {
					t.Objects = uint64(1000 * (i + 1))
				}
				s.Classes = append(s.Classes, t)
			}
			c.Samples = append(c.Samples, s)
		}
		r.Cases = append(r.Cases, c)
	}
	f := objectsPicture([]*figures.Run{&r})
	if len(f.Panels) != 2 || len(f.Keys) != 2 || f.Keys[0].Name != "create" || f.Keys[1].Name != "stat" {
		t.Fatalf("%d panels with keys %+v", len(f.Panels), f.Keys)
	}
	for _, p := range f.Panels {
		if len(p.Series) != 2 || p.X.Label != "objects" {
			t.Fatalf("%d curves over %s", len(p.Series), p.X.Label)
		}
		for i, want := range []Point{{X: 1000, Y: 2000}, {X: 10240, Y: 1000}, {X: 102400, Y: 3000}} {
			if got := p.Series[0].Points[i]; got.X != want.X || got.Y != want.Y {
				t.Errorf("%s: point %d is %v, %v, want %v, %v", p.Title, i, got.X, got.Y, want.X, want.Y)
			}
		}
	}
	r.Cases = r.Cases[:2]
	if f := objectsPicture([]*figures.Run{&r}); f.Panels != nil {
		t.Errorf("%d panels of two numbers, which make no curve", len(f.Panels))
	}
}
