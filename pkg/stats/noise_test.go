package stats_test

import (
	"math"
	"math/rand/v2"
)

// noise describes throughputs that are lognormal and autocorrelated, with outliers that take twice as long.
type noise struct {
	variation  float64 // coefficient of variation, without the outliers
	likeBefore float64 // coefficient of autocorrelation
	outliers   float64 // fraction of the samples
}

// draw returns count samples around 1000.
func (n noise) draw(rng *rand.Rand, count int) []float64 {
	sigma := math.Sqrt(math.Log1p(n.variation * n.variation))
	samples, state := make([]float64, count), rng.NormFloat64()
	for i := range samples {
		if i > 0 {
			state = n.likeBefore*state + math.Sqrt(1-n.likeBefore*n.likeBefore)*rng.NormFloat64()
		}
		samples[i] = 1000 * math.Exp(sigma*state)
		if rng.Float64() < n.outliers {
			samples[i] /= 2
		}
	}
	return samples
}

// pairs returns pairs of samples that are measured one after the other, in random order within each pair. b is ratio
// times as fast as a.
func (n noise) pairs(rng *rand.Rand, count int, ratio float64) (a, b []float64) {
	samples := n.draw(rng, 2*count)
	for i := range count {
		first := rng.IntN(2)
		a = append(a, samples[2*i+first])
		b = append(b, samples[2*i+1-first]*ratio)
	}
	return a, b
}

// scaled multiplies the samples in place and returns them.
func scaled(samples []float64, ratio float64) []float64 {
	for i := range samples {
		samples[i] *= ratio
	}
	return samples
}
