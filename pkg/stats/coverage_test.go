package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"h5perf/pkg/stats"
)

// sampleWorld is a distribution of samples. Its quantile function is increasing, so that it turns a normal process into
// one with the same order.
type sampleWorld struct {
	name     string
	quantile func(probability float64) float64
}

// logNormal returns the quantile function of a log-normal distribution with the given median.
func logNormal(median, variation float64) func(float64) float64 {
	sigma := math.Sqrt(math.Log1p(variation * variation))
	return func(p float64) float64 { return median * math.Exp(sigma*distuv.UnitNormal.Quantile(p)) }
}

var sampleWorlds = []sampleWorld{
	{"normal, cv 10 %", distuv.Normal{Mu: 100, Sigma: 10}.Quantile},
	{"log-normal, cv 5 %", logNormal(100, 0.05)},
	{"log-normal, cv 50 %", logNormal(100, 0.5)},
	{"Student, 2 df", func(p float64) float64 {
		x := 2*p - 1
		return 100 * math.Exp(0.05*x*math.Sqrt(2/(1-x*x)))
	}},
	{"15 % at half speed", func(p float64) float64 {
		if p < 0.15 {
			return logNormal(50, 0.05)(p / 0.15)
		}
		return logNormal(100, 0.05)((p - 0.15) / 0.85)
	}},
}

// draw returns n consecutive samples of an AR(1) process with coefficient r.
func (w sampleWorld) draw(rng *rand.Rand, n int, r float64) []float64 {
	samples, state := make([]float64, n), rng.NormFloat64()
	for i := range samples {
		if i > 0 {
			state = r*state + math.Sqrt(1-r*r)*rng.NormFloat64()
		}
		samples[i] = w.quantile(distuv.UnitNormal.CDF(state))
	}
	return samples
}

// intervalKind is a kind of interval. covers draws samples and reports whether their interval contains the true value,
// and whether the result says that the interval may be too narrow.
type intervalKind struct {
	name   string
	covers func(rng *rand.Rand, w sampleWorld, n int, r float64) (holds, tooDependent bool)
	// the smallest share of intervals that may contain the true value: with AR 0, with AR 0.5 and with AR 0.8. The last
	// two apply from MinIndependenceSamples samples on, or to all numbers of samples if the order of pairs is random.
	wanted  [3]float64
	ofPairs bool
}

// contains reports whether an estimate contains a value, and whether it says that it may be too narrow.
func contains(e stats.Estimate, x float64) (holds, tooDependent bool) {
	return e.Low <= x && x <= e.High, e.TooDependent
}

// ratioHolds reports whether the interval of a ratio contains 1.
func ratioHolds(d stats.TestedRatio) (holds, tooDependent bool) {
	return d.Low <= 1 && 1 <= d.High, false
}

// shuffledPairs returns n pairs of consecutive samples, each in random order.
func (w sampleWorld) shuffledPairs(rng *rand.Rand, n int, r float64) (a, b []float64) {
	all := w.draw(rng, 2*n, r)
	for i := range n {
		first := rng.IntN(2)
		a, b = append(a, all[2*i+first]), append(b, all[2*i+1-first])
	}
	return a, b
}

var intervalKinds = []intervalKind{
	{name: "median", wanted: [3]float64{0.93, 0.9, 0.9}, covers: medianHolds},
	{name: "median, stopped when narrow", wanted: [3]float64{0.93, 0, 0}, covers: stoppedMedianHolds},
	{name: "ratio of medians", wanted: [3]float64{0.93, 0.9, 0.9}, covers: ratioOfMediansHolds},
	{name: "median of ratios of pairs", wanted: [3]float64{0.93, 0.93, 0.93}, ofPairs: true, covers: pairedMedianHolds},
	{name: "pairs", wanted: [3]float64{0.93, 0.93, 0.93}, ofPairs: true, covers: pairsHold},
	{name: "two sets of runs", wanted: [3]float64{0.93, 0.9, 0}, covers: runsHold},
	{name: "one run after others", wanted: [3]float64{0.93, 0.9, 0.9}, covers: predictionHolds},
	{name: "14 runs and n of a reference", wanted: [3]float64{0.93, 0.9, 0.9}, covers: referenceHolds},
}

func medianHolds(rng *rand.Rand, w sampleWorld, n int, r float64) (holds, tooDependent bool) {
	return contains(stats.Median(w.draw(rng, n, r), 0.95), w.quantile(0.5))
}

// stoppedMedianHolds takes at least n samples, until the interval is narrow.
func stoppedMedianHolds(rng *rand.Rand, w sampleWorld, n int, r float64) (holds, tooDependent bool) {
	samples := w.draw(rng, 4*n, r)
	for n < len(samples) && stats.Median(samples[:n], 0.95).RelativeWidth() > 0.1 {
		n++
	}
	return contains(stats.Median(samples[:n], 0.95), w.quantile(0.5))
}

func ratioOfMediansHolds(rng *rand.Rand, w sampleWorld, n int, r float64) (holds, tooDependent bool) {
	return contains(stats.RatioOfMedians(w.draw(rng, n, r), w.draw(rng, n, r), 0.975), 1)
}

func pairedMedianHolds(rng *rand.Rand, w sampleWorld, n int, r float64) (holds, tooDependent bool) {
	ratios, b := w.shuffledPairs(rng, n, r)
	for i := range ratios {
		ratios[i] /= b[i]
	}
	return contains(stats.Median(ratios, 0.95), 1)
}

func pairsHold(rng *rand.Rand, w sampleWorld, n int, r float64) (holds, tooDependent bool) {
	a, b := w.shuffledPairs(rng, n, r)
	return ratioHolds(stats.PairedTest(a, b, 0.95))
}

func runsHold(rng *rand.Rand, w sampleWorld, n int, r float64) (holds, tooDependent bool) {
	all := w.draw(rng, 2*n, r)
	return ratioHolds(stats.IndependentTest(all[:n], all[n:], 0.95))
}

func predictionHolds(rng *rand.Rand, w sampleWorld, n int, r float64) (holds, tooDependent bool) {
	all := w.draw(rng, n+1, r)
	return ratioHolds(stats.PredictionTest(all[:n], all[n:], 0.95))
}

func referenceHolds(rng *rand.Rand, w sampleWorld, n int, r float64) (holds, tooDependent bool) {
	b := stats.Branch{Values: w.draw(rng, n+14, r)}
	var reference []int
	for i := range b.Values {
		b.Nights = append(b.Nights, i)
		if i < n {
			reference = append(reference, i)
		}
	}
	d, ok := b.CompareWithReference(reference, 0.95)
	holds, _ = ratioHolds(d)
	return holds && ok, false
}

// Intervals contain the true value as often as they say, also if samples have heavy tails or two modes, and from
// MinIndependenceSamples samples on also if they depend on one another. With DEEP set, the shares are printed for all
// worlds.
func TestIntervalsHoldTheirLevel(t *testing.T) {
	trials := simulate(1000, 120)
	deep := os.Getenv("DEEP") != ""
	sizes := []int{6, 10, 20, 25, 30}
	if !deep {
		sizes = []int{6, 25}
	}
	for _, k := range intervalKinds {
		for i, w := range sampleWorlds {
			t.Run(k.name+", "+w.name, func(t *testing.T) {
				t.Parallel()
				var table strings.Builder
				for j, r := range []float64{0, 0.5, 0.8} {
					fmt.Fprintf(&table, " | AR %g:", r)
					for _, n := range sizes {
						rng := rand.New(rand.NewPCG(uint64(n), uint64(10*i+j)))
						held, told := 0, 0
						for range trials {
							holds, tooDependent := k.covers(rng, w, n, r)
							if holds {
								held++
							}
							if tooDependent {
								told++
							}
						}
						fmt.Fprintf(&table, " %.1f", 100*float64(held)/float64(trials))
						if told > 0 {
							fmt.Fprintf(&table, " (%.0f)", 100*float64(told)/float64(trials))
						}
						isPromised := r == 0 || k.ofPairs || n >= stats.MinIndependenceSamples
						if missed := trials - held; isPromised && atLeast(missed, trials, 1-k.wanted[j]) < 0.001 {
							t.Errorf("AR %g, %d samples: %d of %d intervals hold, want %g %%", r, n, held, trials,
								100*k.wanted[j])
						}
					}
				}
				if deep {
					t.Log(k.name + ", " + w.name + table.String())
				}
			})
		}
	}
}

// An interval that may be too narrow is mostly one that says so.
func TestDependentSamplesAreTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	told := func(n int, r float64) (share float64) {
		for range 400 {
			if stats.Median(sampleWorlds[0].draw(rng, n, r), 0.95).TooDependent {
				share += 1.0 / 400
			}
		}
		return share
	}
	if strong, none := told(25, 0.9), told(25, 0); strong < 0.6 || none > 0.01 {
		t.Errorf("told of AR 0.9: %.2f, of independent samples: %.2f", strong, none)
	}
}

// Intervals of samples that vary wildly do not end at the difference itself.
func TestIntervalsReachBeyondTheDifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	wild := sampleWorld{quantile: logNormal(100, 3)}
	for range 200 {
		a, b := wild.draw(rng, 20, 0), wild.draw(rng, 20, 0)
		for name, d := range map[string]stats.TestedRatio{
			"pairs": stats.PairedTest(a, b, 0.95), "two sets of runs": stats.IndependentTest(a, b, 0.95),
			"one run and others": stats.PredictionTest(a, b[:1], 0.95),
		} {
			if d.Low > 0.99*d.Ratio || d.High < 1.01*d.Ratio {
				t.Errorf("%s: %+v", name, d)
			}
		}
	}
}
