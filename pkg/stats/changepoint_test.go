package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"h5perf/pkg/stats"
)

// medians returns a series of count medians of 5 repetitions each. The noise of a repetition depends on the noise of
// the same repetition in the previous value. Values from index from on are multiplied by ratio.
func (n noise) medians(rng *rand.Rand, count, from int, ratio float64) []float64 {
	const repetitions = 5
	samples := make([][]float64, repetitions)
	for i := range samples {
		samples[i] = n.draw(rng, count)
		scaled(samples[i][min(from, count):], ratio)
	}
	out := make([]float64, count)
	for k := range out {
		var of []float64
		for i := range samples {
			of = append(of, samples[i][k])
		}
		out[k] = stats.SampleMedian(of)
	}
	return out
}

// changePoints returns the change points of one series.
func changePoints(values []float64, alpha, level float64) []stats.ChangePoint {
	return stats.Search([]stats.Leaf{{Values: values}}, stats.NewBudget(alpha), 1, level).Leaves[0].Changes
}

// TestChangePointsAlarmsAndPower checks the rate of false alarms and the power in series of 60 values. The
// standard error of 1000 series is at most 0.007 (alarms) and 0.01 (power).
func TestChangePointsAlarmsAndPower(t *testing.T) {
	t.Parallel()
	const series, count = 1000, 60
	for _, likeBefore := range []float64{0, 0.3} {
		n := noise{0.05, likeBefore, 0.03}
		rng := rand.New(rand.NewPCG(21, 22))
		alarms, trees, found, placed, inTree := 0, 0, 0, 0, 0
		for i := range series {
			if len(changePoints(n.medians(rng, count, count, 1), 0.05, 0.95)) > 0 {
				alarms++
			}
			if i < series/40 {
				for range 40 {
					if len(changePoints(n.medians(rng, count, count, 1), 0.05/40, 0.95)) > 0 {
						trees++
						break
					}
				}
			}
			slower := n.medians(rng, count, count-10, 0.9)
			for _, c := range changePoints(slower, 0.05, 0.95) {
				if c.Ratio < 1 && c.At >= count-15 {
					found++
					if c.At >= count-12 && c.At <= count-8 {
						placed++
					}
					if c.P <= 0.05/40 {
						inTree++
					}
					break
				}
			}
		}
		part := func(n int) float64 { return float64(n) / series }
		t.Logf("60 values, AR %.1f: false alarms in %.4f of series (in trees of 40 series: %d of %d); "+
			"-10 %% found within 10 values %.4f, within 2 values of its place %.4f; among 40 series %.4f",
			likeBefore, part(alarms), trees, series/40, part(found), part(placed), part(inTree))
		if part(alarms) > 0.05 || part(found) < 0.9 || trees > series/40/10 {
			t.Errorf("AR %.1f: of %d series, %d give a false alarm and in %d the change is found; %d trees give a "+
				"false alarm", likeBefore, series, alarms, found, trees)
		}
	}
}

func TestChangePointsSayWhereAndHowMuch(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(23, 24))
	n := noise{0.05, 0, 0.03}
	covers, placed, found, trials := 0, 0, 0, 1000
	for range trials {
		values := n.medians(rng, 60, 20, 0.85)
		scaled(values[40:], 1.3)
		changes := changePoints(values, 0.05, 0.95)
		if len(changes) == 2 && math.Abs(float64(changes[0].At-20)) <= 2 && math.Abs(float64(changes[1].At-40)) <= 2 {
			placed++
		}
		if len(changes) > 0 {
			found++
			if changes[0].Low <= 0.85 && 0.85 <= changes[0].High {
				covers++
			}
		}
	}
	t.Logf("a fall and a rise are both found and placed within 2 values in %.3f; the interval of the fall holds its "+
		"size in %.3f",
		float64(placed)/float64(trials), float64(covers)/float64(found))
	if float64(placed) < 0.95*float64(trials) || float64(covers) < 0.94*float64(found) {
		t.Errorf("of %d series, both changes are placed in %d; of %d intervals %d hold the true size", trials,
			placed, found, covers)
	}
}

func TestChangePointsOfFewOrEqualValues(t *testing.T) {
	step := []float64{9, 9.1, 9.2, 9.3, 1, 1.1, 1.2, 1.3, 1.4}
	if got := changePoints(step, 0.05, 0.95); len(got) != 0 {
		t.Errorf("in %d values: %+v, want none", len(step), got)
	}
	step = step[:4]
	for i := range 90 { // the fall is clear, but there are only 4 values before it
		step = append(step, 1+0.01*float64(i*37%90))
	}
	for _, c := range changePoints(step, 0.05, 0.95) {
		if c.At < 5 || c.At > len(step)-5 {
			t.Errorf("%+v, want 5 values on each side at least", c)
		}
	}
	if got := changePoints(slices.Repeat([]float64{3}, 60), 0.05, 0.95); len(got) != 0 {
		t.Errorf("in equal values: %+v", got)
	}
	two := make([]float64, 40) // only two different values
	for i := range two {
		two[i] = 1 + float64(i/20)
	}
	if got := changePoints(two, 0.05, 0.95); len(got) != 1 || got[0].At != 20 || math.Abs(got[0].Ratio-2) > 1e-9 {
		t.Errorf("%+v, want one, of 2, at 20", got)
	}
}

// The changes of series that wander far are in their order.
func TestChangesOfWanderingSeriesAreInOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(25, 26))
	for range 200 {
		values := noise{0.3, 0.97, 0}.draw(rng, 250)
		changes := changePoints(values, 0.05, 0.95)
		if !slices.IsSortedFunc(changes, func(a, b stats.ChangePoint) int { return a.At - b.At }) {
			t.Fatalf("%+v", changes)
		}
	}
}

func BenchmarkChangePointsIn10000(b *testing.B) {
	values := noise{0.05, 0.3, 0.03}.medians(rand.New(rand.NewPCG(1, 2)), 10_000, 5000, 0.9)
	for b.Loop() {
		changePoints(values, 0.05, 0.95)
	}
}
