package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"h5perf/pkg/stats"
)

func TestHolm(t *testing.T) {
	got := stats.Holm([]float64{0.04, 0.01, 0.03, 0.005})
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if want := []float64{0.06, 0.03, 0.06, 0.02}; !slices.EqualFunc(got, want, near) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := stats.Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("%v, want at most 1", got)
	}
	if got := stats.Holm(nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// TestUnchangedTreesSeldomAlarm compares 40 unchanged points many times, and counts the comparisons that find a
// difference. The standard error of 2000 comparisons is 0.005.
func TestUnchangedTreesSeldomAlarm(t *testing.T) {
	const comparisons, points = 2000, 40
	n := noise{variation: 0.05, outliers: 0.03}
	for name, p := range map[string]func(*rand.Rand) float64{
		"10 + 10 samples": func(rng *rand.Rand) float64 {
			return stats.IndependentTest(n.draw(rng, 10), n.draw(rng, 10), 0.95).P
		},
		"12 pairs": func(rng *rand.Rand) float64 {
			a, b := n.pairs(rng, 12, 1)
			return stats.SignedRank(a, b)
		},
	} {
		rng, alarms := rand.New(rand.NewPCG(15, 16)), 0
		for range comparisons {
			family := make([]float64, points)
			for i := range family {
				family[i] = p(rng)
			}
			if slices.Min(stats.Holm(family)) <= 0.05 {
				alarms++
			}
		}
		t.Logf("%s: false alarms in %.4f of comparisons of %d points", name, float64(alarms)/comparisons, points)
		if alarms > comparisons/20 {
			t.Errorf("%s: %d of %d comparisons give a false alarm, want at most 5 %%", name, alarms, comparisons)
		}
	}
}

func TestHolmLevels(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{[]float64{0.04, 0.01, 0.03, 0.005}, []float64{0.05 / 2, 0.05 / 3, 0.05 / 2, 0.05 / 4}},
		{[]float64{0.5, 0.9, 0.02}, []float64{0.05 / 3, 0.05 / 3, 0.05 / 3}},
		{[]float64{0.01, 0.01}, []float64{0.05 / 2, 0.05}},
		{[]float64{0.3}, []float64{0.05}},
		{nil, nil},
	} {
		got := stats.HolmLevels(c.p, 0.05)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%v: %v, want %v", c.p, got, c.want)
		}
	}
}

// The interval at the level of Holm's decision must agree with the decision.
func TestIntervalsAgreeWithDecisions(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	n := noise{variation: 0.05, outliers: 0.03}
	for range 200 {
		const points = 6
		var p []float64
		var at []func(level float64) stats.TestedRatio
		for i := range points {
			ratio := 1 - 0.02*float64(i)
			if i%2 == 0 {
				a, b := n.draw(rng, 12), n.draw(rng, 12)
				for k := range b {
					b[k] *= ratio
				}
				at = append(at, func(level float64) stats.TestedRatio { return stats.IndependentTest(a, b, level) })
			} else {
				a, b := n.pairs(rng, 14, ratio)
				at = append(at, func(level float64) stats.TestedRatio { return stats.PairedTest(a, b, level) })
			}
			p = append(p, at[i](0.95).P)
		}
		levels := stats.HolmLevels(p, 0.05)
		for i, corrected := range stats.Holm(p) {
			d := at[i](1 - levels[i])
			rejected := corrected <= 0.05
			if rejected && d.Low < 1 && d.High > 1 || !rejected && (d.Low > 1 || d.High < 1) {
				t.Errorf("point %d: corrected p %g, interval %g to %g at %g", i, corrected, d.Low, d.High, 1-levels[i])
			}
		}
	}
}

// A fall of the size of DetectableFall is shown in about nine of ten cases.
func TestWhatIsVisibleIsSeen(t *testing.T) {
	const trials, level = 400, 1 - 0.05/8
	n := noise{variation: 0.05}
	for name, test := range map[string]func(rng *rand.Rand, ratio float64) stats.TestedRatio{
		"10 + 10 samples": func(rng *rand.Rand, ratio float64) stats.TestedRatio {
			a, b := n.draw(rng, 10), n.draw(rng, 10)
			for k := range b {
				b[k] *= ratio
			}
			return stats.IndependentTest(a, b, level)
		},
		"6 + 6 samples": func(rng *rand.Rand, ratio float64) stats.TestedRatio {
			a, b := n.draw(rng, 6), n.draw(rng, 6)
			for k := range b {
				b[k] *= ratio
			}
			return stats.IndependentTest(a, b, level)
		},
		"20 pairs": func(rng *rand.Rand, ratio float64) stats.TestedRatio {
			a, b := n.pairs(rng, 20, ratio)
			return stats.PairedTest(a, b, level)
		},
		"50 pairs": func(rng *rand.Rand, ratio float64) stats.TestedRatio {
			a, b := n.pairs(rng, 50, ratio)
			return stats.PairedTest(a, b, level)
		},
	} {
		rng := rand.New(rand.NewPCG(53, 54))
		var visible []float64
		for range trials {
			visible = append(visible, test(rng, 1).DetectableFall(level))
		}
		fall, seen := stats.SampleMedian(visible), 0
		for range trials {
			if test(rng, 1-fall).P <= 1-level {
				seen++
			}
		}
		share := float64(seen) / trials
		t.Logf("%s: a fall by %.3f is shown in %.3f", name, fall, share)
		if share < 0.8 || share > 0.98 {
			t.Errorf("%s: a fall by %.3f is shown in %.3f, want about 0.9", name, fall, share)
		}
	}
	if v := stats.IndependentTest([]float64{1, 2}, []float64{1, 2}, 0.95).DetectableFall(0.95); v != 1 {
		t.Errorf("of two samples: %g", v)
	}
}

func TestSamplesNeeded(t *testing.T) {
	for tests, want := range map[int][2]int{1: {6, 4}, 40: {11, 7}} {
		if p, s := stats.PairsNeeded(tests, 0.05), stats.SamplesNeeded(tests, 0.05); p != want[0] || s != want[1] {
			t.Errorf("%d tests need %d pairs and %d samples, want %v", tests, p, s, want)
		}
	}
}
