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

// TestUnchangedTreesSeldomAlarm compares 40 unchanged points many times and counts the comparisons that
// find any difference. The standard error of 2000 comparisons is 0.005.
func TestUnchangedTreesSeldomAlarm(t *testing.T) {
	const comparisons, points = 2000, 40
	n := noise{variation: 0.05, outliers: 0.03}
	for name, p := range map[string]func(*rand.Rand) float64{
		"10 + 10 samples": func(rng *rand.Rand) float64 {
			return stats.Independent(n.draw(rng, 10), n.draw(rng, 10), 0.95).P
		},
		"12 pairs": func(rng *rand.Rand) float64 {
			a, b := n.pairs(rng, 12, 1)
			return stats.SignFlip(a, b)
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

func TestSamplesNeeded(t *testing.T) {
	for tests, want := range map[int][2]int{1: {6, 4}, 40: {11, 7}} {
		if p, s := stats.PairsNeeded(tests, 0.05), stats.SamplesNeeded(tests, 0.05); p != want[0] || s != want[1] {
			t.Errorf("%d tests need %d pairs and %d samples, want %v", tests, p, s, want)
		}
	}
}
