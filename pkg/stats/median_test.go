package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"h5perf/pkg/stats"
)

// mixture is a weighted mixture of distributions of throughputs.
type mixture struct {
	name  string
	parts []part
}

type part struct {
	weight float64
	of     interface {
		CDF(float64) float64
		Quantile(float64) float64
		Rand() float64
	}
}

// mixtures returns mixtures that draw from rng. Throughputs are about 100; outliers are slow.
func mixtures(rng rand.Source) []mixture {
	normal := func(mean, sd float64) distuv.Normal { return distuv.Normal{Mu: mean, Sigma: sd, Src: rng} }
	return []mixture{
		{"normal, cv 10 %", []part{{1, normal(100, 10)}}},
		{"lognormal, cv 30 %", []part{{1, distuv.LogNormal{Mu: math.Log(100), Sigma: 0.3, Src: rng}}}},
		{"bimodal 70 : 30", []part{{0.7, normal(100, 5)}, {0.3, normal(60, 5)}}},
		{"bimodal 50 : 50, median in the gap", []part{{0.5, normal(100, 5)}, {0.5, normal(60, 5)}}},
		{"5 % outliers", []part{{0.95, normal(100, 5)}, {0.05, normal(30, 10)}}},
	}
}

// draw returns n samples.
func (m mixture) draw(rng *rand.Rand, n int) []float64 {
	samples := make([]float64, n)
	for i := range samples {
		at := rng.Float64()
		k := 0
		for ; k < len(m.parts)-1 && at >= m.parts[k].weight; k++ {
			at -= m.parts[k].weight
		}
		samples[i] = m.parts[k].of.Rand()
	}
	return samples
}

// median returns the true median, found by bisection.
func (m mixture) median() float64 {
	low, high := 0.0, 1000.0
	for range 100 {
		middle, below := (low+high)/2, 0.0
		for _, p := range m.parts {
			below += p.weight * p.of.CDF(middle)
		}
		if below < 0.5 {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

func TestMedianIntervalCovers(t *testing.T) {
	const trials, bar = 10_000, 0.94
	src := rand.NewPCG(1, 2)
	rng := rand.New(src)
	for _, m := range mixtures(src) {
		truth, lowest, at, report := m.median(), 1.0, 0, ""
		for n := 6; n <= 30; n++ {
			hit := 0
			for range trials {
				if e := stats.Median(m.draw(rng, n), 0.95); e.Low <= truth && truth <= e.High {
					hit++
				}
			}
			covers := float64(hit) / trials
			if covers < bar {
				t.Errorf("%s, n = %d: covers %.4f, want at least %.2f", m.name, n, covers, bar)
			}
			if covers < lowest {
				lowest, at = covers, n
			}
			report += fmt.Sprintf(" %d:%.3f", n, covers)
		}
		t.Logf("%s: lowest coverage %.4f at n = %d;%s", m.name, lowest, at, report)
	}
}

// binomials[n][k] is the probability of k successes in n trials with probability 1/2.
var binomials = func() (table [31][]float64) {
	for n := range table {
		for k := range n + 1 {
			table[n] = append(table[n], distuv.Binomial{N: float64(n), P: 0.5}.Prob(float64(k)))
		}
	}
	return table
}()

// TestMedianIntervalIsNarrowest checks the interval against every pair of order statistics that covers 95 %.
func TestMedianIntervalIsNarrowest(t *testing.T) {
	for n := 6; n <= 30; n++ {
		ranks := make([]float64, n) // ranks as samples, low and high in turns, so they do not autocorrelate
		for i := range ranks {
			ranks[i] = float64(i/2 + 1)
			if i%2 == 1 {
				ranks[i] = float64(n - i/2)
			}
		}
		fewest := math.Inf(1)
		for low := 1; low <= n; low++ {
			covered := 0.0
			for high := low + 1; high <= n; high++ {
				covered += binomials[n][high-1]
				if covered >= 0.95 {
					fewest = min(fewest, float64(high-low))
				}
			}
		}
		e := stats.Median(ranks, 0.95)
		exact := 0.0
		for k := int(e.Low); k < int(e.High); k++ {
			exact += binomials[n][k]
		}
		if e.High-e.Low > fewest || exact < 0.95 {
			t.Errorf("n = %d: from rank %v to %v, covers %.4f; %v ranks are enough", n, e.Low, e.High, exact, fewest)
		}
		t.Logf("n = %2d: ranks %2v to %2v, coverage %.4f", n, e.Low, e.High, exact)
	}
}

// TestMedianIntervalLeavesSlowOutliersOut compares the interval with its mirror image, which has the same coverage.
func TestMedianIntervalLeavesSlowOutliersOut(t *testing.T) {
	src := rand.NewPCG(3, 4)
	rng := rand.New(src)
	outliers := mixtures(src)[4]
	for n := 6; n <= 30; n++ {
		var width, mirrored float64
		for range 2000 {
			samples := outliers.draw(rng, n)
			e := stats.Median(samples, 0.95)
			slices.Sort(samples)
			low, high := slices.Index(samples, e.Low), slices.Index(samples, e.High)
			width += e.High - e.Low
			mirrored += samples[n-1-low] - samples[n-1-high]
		}
		if width > mirrored {
			t.Errorf("n = %d: %.2f times as wide as its mirror image", n, width/mirrored)
		}
	}
}

func TestMedianOfFewSamples(t *testing.T) {
	for n := range stats.MinSamples(0.95) {
		samples := make([]float64, n)
		for i := range samples {
			samples[i] = float64(n - i)
		}
		given := slices.Clone(samples)
		e := stats.Median(samples, 0.95)
		if e.HasInterval() || !math.IsInf(e.Low, -1) || !math.IsInf(e.High, 1) || e.N != n {
			t.Errorf("%d samples: %+v, want no finite interval", n, e)
		}
		if n > 0 && (e.Median != float64(n+1)/2 || e.Min != 1 || e.Max != float64(n)) {
			t.Errorf("%d samples: %+v, want their median and range", n, e)
		}
		if !slices.Equal(samples, given) {
			t.Errorf("%d samples: their order was changed", n)
		}
	}
	for level, want := range map[float64]int{0.5: 2, 0.9: 5, 0.95: 6, 0.99: 8} {
		n := stats.MinSamples(level)
		if n != want {
			t.Errorf("MinSamples(%v) is %d, want %d", level, n, want)
		}
		if !stats.Median(make([]float64, n), level).HasInterval() ||
			stats.Median(make([]float64, n-1), level).HasInterval() {
			t.Errorf("%d samples are not the fewest with an interval at %v", n, level)
		}
	}
}

func BenchmarkMedianOfAMillion(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	samples := make([]float64, 1_000_000)
	for i := range samples {
		samples[i] = rng.NormFloat64()
	}
	for b.Loop() {
		stats.Median(samples, 0.95)
	}
}
