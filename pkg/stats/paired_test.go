package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"h5perf/pkg/stats"
)

// TestPairedAlarmsAndPower checks the rate of false alarms and the power of the paired test. The standard
// error of the counted fraction is at most 0.0022 (alarms) and 0.0015 (power).
func TestPairedAlarmsAndPower(t *testing.T) {
	const alarmTrials, powerTrials = 10_000, 10_000
	for _, c := range []struct {
		name            string
		pairs           int
		noise           noise
		ratio           float64
		trials          int
		lowest, highest float64
	}{
		{"A/A, AR 0", 10, noise{0.05, 0, 0.03}, 1, alarmTrials, 0, 0.06},
		{"A/A, AR 0.5", 10, noise{0.05, 0.5, 0.03}, 1, alarmTrials, 0, 0.06},
		{"A/A, AR 0.8", 10, noise{0.05, 0.8, 0.03}, 1, alarmTrials, 0, 0.06},
		{"-10 % at cv 5 %, AR 0", 20, noise{0.05, 0, 0.03}, 0.9, powerTrials, 0.97, 1},
		{"-10 % at cv 5 %, AR 0.5", 20, noise{0.05, 0.5, 0.03}, 0.9, powerTrials, 0.97, 1},
		{"-10 % at cv 5 %, AR 0.8", 20, noise{0.05, 0.8, 0.03}, 0.9, powerTrials, 0.97, 1},
		{"-5 % at cv 2 %, AR 0", 20, noise{0.02, 0, 0.03}, 0.95, powerTrials, 0.97, 1},
		{"-5 % at cv 2 %, AR 0.5", 20, noise{0.02, 0.5, 0.03}, 0.95, powerTrials, 0.97, 1},
		{"-5 % at cv 2 %, AR 0.8", 20, noise{0.02, 0.8, 0.03}, 0.95, powerTrials, 0.97, 1},
		{"-10 % at cv 5 %, no outliers", 10, noise{0.05, 0, 0}, 0.9, powerTrials, 0.97, 1},
		{"-5 % at cv 2 %, no outliers", 10, noise{0.02, 0, 0}, 0.95, powerTrials, 0.97, 1},
	} {
		rng := rand.New(rand.NewPCG(5, 6))
		found := 0
		for range c.trials {
			a, b := c.noise.pairs(rng, c.pairs, c.ratio)
			if stats.SignedRank(a, b) <= 0.05 {
				found++
			}
		}
		part := float64(found) / float64(c.trials)
		t.Logf("%-24s %d pairs: a difference is found in %.4f", c.name, c.pairs, part)
		if part < c.lowest || part > c.highest {
			t.Errorf("%s: a difference is found in %.4f of %d trials, want %.2f to %.2f", c.name, part, c.trials,
				c.lowest, c.highest)
		}
	}
}

func TestPairedIntervalCovers(t *testing.T) {
	const trials = 1000
	for _, c := range []struct {
		pairs int
		noise noise
	}{
		{6, noise{0.05, 0, 0.03}},
		{10, noise{0.05, 0.5, 0.03}},
		{20, noise{0.1, 0.8, 0.03}},
		{50, noise{0.05, 0, 0.03}},
	} {
		rng := rand.New(rand.NewPCG(7, 8))
		hit, agree := 0, 0
		for range trials {
			a, b := c.noise.pairs(rng, c.pairs, 0.9)
			d := stats.PairedTest(a, b, 0.95)
			if d.Low <= 0.9 && 0.9 <= d.High {
				hit++
			}
			if d.P <= 0.05 && (d.High <= 1 || d.Low >= 1) || d.P > 0.05 && d.Low <= 1 && d.High >= 1 {
				agree++
			}
			if d.Ratio < d.Low || d.Ratio > d.High {
				t.Errorf("ratio %v is not within %v to %v", d.Ratio, d.Low, d.High)
			}
		}
		covers := float64(hit) / trials
		t.Logf("%d pairs, AR %.1f: covers %.4f; test and interval agree in %.4f", c.pairs, c.noise.likeBefore, covers,
			float64(agree)/trials)
		if covers < 0.94 || agree < trials {
			t.Errorf("%d pairs: the interval covers %.4f and agrees with the test in %d of %d", c.pairs,
				covers, agree, trials)
		}
	}
}

// TestPairedCountsAllSwaps checks p-value, estimate and interval against lists of all exchanges and of all means.
func TestPairedCountsAllSwaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for n := 1; n <= 12; n++ {
		a, b := noise{variation: 0.05}.pairs(rng, n, 0.97)
		steps := make([]float64, n)
		for i := range n {
			steps[i] = math.Log(b[i] / a[i])
		}
		ranks := make([]int, n) // ranks of the absolute values
		for i := range n {
			for j := range n {
				if math.Abs(steps[j]) <= math.Abs(steps[i]) {
					ranks[i]++
				}
			}
		}
		sum := func(sign func(i int) int) (sum int) {
			for i, r := range ranks {
				sum += sign(i) * r
			}
			return max(sum, -sum)
		}
		seen := sum(func(i int) int {
			if steps[i] < 0 {
				return -1
			}
			return 1
		})
		as, sums := 0, make([]int, 0, 1<<n)
		for signs := range 1 << n {
			sums = append(sums, sum(func(i int) int { return 1 - 2*(signs>>i&1) }))
			if sums[signs] >= seen {
				as++
			}
		}
		got := stats.PairedTest(a, b, 0.95)
		if want := float64(as) / math.Ldexp(1, n); math.Abs(got.P-want) > 1e-12 {
			t.Errorf("%d pairs: P is %v, want %v", n, got.P, want)
		}
		var means []float64
		for i := range n {
			for j := range i + 1 {
				means = append(means, (steps[i]+steps[j])/2)
			}
		}
		slices.Sort(means)
		near := func(ratio, step float64) bool { return math.Abs(math.Log(ratio)-step) < 1e-9 }
		if want := (means[(len(means)-1)/2] + means[len(means)/2]) / 2; !near(got.Ratio, want) {
			t.Errorf("%d pairs: ratio %v, want %v", n, got.Ratio, math.Exp(want))
		}
		if n < 6 {
			if got.Low != 0 || !math.IsInf(got.High, 1) {
				t.Errorf("%d pairs: interval %v to %v, want none", n, got.Low, got.High)
			}
			continue
		}
		// A ratio is within the interval if the test does not reject after all steps are shifted by it. rejected means
		// are beyond each end.
		rejected, total := -1, n*(n+1)/2
		for k := range total {
			far := 0
			for _, s := range sums {
				if s >= total-2*k {
					far++
				}
			}
			if float64(far) > 0.05*float64(len(sums)) {
				break
			}
			rejected = k
		}
		if !near(got.Low, means[rejected]) || !near(got.High, means[len(means)-1-rejected]) {
			t.Errorf("%d pairs: interval %v to %v, want %v to %v", n, got.Low, got.High, math.Exp(means[rejected]),
				math.Exp(means[len(means)-1-rejected]))
		}
	}
}

func TestPairedOfManyIsAsThatOfFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 20 {
		a, b := noise{variation: 0.05}.pairs(rng, 101, 0.99)
		many, few := stats.PairedTest(a, b, 0.95).P, stats.PairedTest(a[:100], b[:100], 0.95).P
		if many > 5*few || few > 20*many {
			t.Errorf("P of 101 pairs is %v, of the first 100 of them %v", many, few)
		}
	}
}

// Few extreme pairs neither hide a difference nor make one.
func TestPairedResistsExtremePairs(t *testing.T) {
	a := []float64{100, 101, 99, 102, 98, 100, 103, 97, 101, 99, 100, 102, 98, 100, 101, 99}
	b := []float64{90, 91, 89, 92, 88, 90, 300, 87, 91, 89, 90, 92, 88, 91, 90, 89}
	if d := stats.PairedTest(a, b, 0.95); d.P > 0.05 || math.Abs(d.Ratio-0.9) > 0.01 || d.High >= 1 {
		t.Errorf("%+v, want a difference of 10 %% in spite of one pair", d)
	}
	for i := range 8 { // half of the pairs are in another mode
		b[i] = 300
	}
	if d := stats.PairedTest(a, b, 0.95); d.P <= 0.05 && d.Ratio < 1 {
		t.Errorf("%+v, want no fall where half of the pairs are three times faster", d)
	}
}

// Test, estimate and interval describe the same quantity, even if B is much faster in some pairs and slightly slower in
// the others. The verdict never contradicts the geometric mean, and no interval ends at its estimate.
func TestPairedOfTwoModesIsOfOneQuantity(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	const n = 20
	for fast := range n + 1 {
		a, b := noise{variation: 0.01}.pairs(rng, n, 1)
		mean := 0.0
		for i := range b {
			if i < fast {
				b[i] *= 2
			} else {
				b[i] *= 0.95
			}
			mean += math.Log(b[i]/a[i]) / n
		}
		d := stats.PairedTest(a, b, 0.95)
		shown := d.P <= 0.05
		if shown != (d.High < 1 || d.Low > 1) {
			t.Errorf("%d of %d faster: p %v, but the interval is %v to %v", fast, n, d.P, d.Low, d.High)
		}
		if shown && fast >= 5 && (d.Ratio > 1) != (mean > 0) {
			t.Errorf("%d of %d faster: ratio %v, geometric mean %v", fast, n, d.Ratio, math.Exp(mean))
		}
		if d.Ratio < d.Low*1.0001 || d.Ratio > d.High/1.0001 {
			t.Errorf("%d of %d faster: the interval %v to %v ends at its estimate %v", fast, n, d.Low, d.High, d.Ratio)
		}
	}
}

func TestPairedOfEqualSamples(t *testing.T) {
	same := []float64{5, 5, 5, 5, 5, 5, 5}
	if d := stats.PairedTest(same, same, 0.95); d.P != 1 || d.Ratio < 0.999999 || d.Ratio > 1.000001 {
		t.Errorf("%+v, want no difference", d)
	}
	if d := stats.PairedTest(nil, nil, 0.95); d.P != 1 || !math.IsNaN(d.Ratio) {
		t.Errorf("of nothing: %+v", d)
	}
}

func BenchmarkPairedOfAMillion(b *testing.B) {
	x, y := noise{variation: 0.05}.pairs(rand.New(rand.NewPCG(1, 2)), 500_000, 0.99)
	for b.Loop() {
		stats.PairedTest(x, y, 0.95)
	}
}
