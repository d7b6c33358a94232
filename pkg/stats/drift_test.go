package stats_test

import (
	"math/rand/v2"
	"testing"

	"h5perf/pkg/stats"
)

func TestDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	seen := map[string]int{}
	for range 1000 {
		samples := noise{variation: 0.05, outliers: 0.03}.draw(rng, 20)
		if stats.DriftP(samples) <= 0.01 {
			seen["none"]++
		}
		for i := range samples {
			samples[i] *= 1 - 0.01*float64(i)
		}
		if stats.DriftP(samples) <= 0.01 {
			seen["1 % a sample"]++
		}
	}
	if seen["none"] > 20 || seen["1 % a sample"] < 800 {
		t.Errorf("of 1000, a drift is seen in %v", seen)
	}
	if p := stats.DriftP([]float64{1, 2, 3, 4, 5}); p != 1 {
		t.Errorf("5 samples drift with P %v", p)
	}
	if p := stats.DriftP(make([]float64, 9)); p != 1 {
		t.Errorf("equal samples drift with P %v", p)
	}
}
