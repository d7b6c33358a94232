package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"h5perf/pkg/stats"
)

// TestPairedAlarmsAndPower checks the rate of false alarms and the power of the paired test. The standard
// error of the counted fraction is at most 0.0022 (alarms) and 0.0015 (power).
func TestPairedAlarmsAndPower(t *testing.T) {
	const alarmTrials, powerTrials = 10_000, 10_000
	for _, c := range []struct {
		name            string
		noise           noise
		ratio           float64
		trials          int
		lowest, highest float64
	}{
		{"A/A, AR 0", noise{0.05, 0, 0.03}, 1, alarmTrials, 0, 0.06},
		{"A/A, AR 0.5", noise{0.05, 0.5, 0.03}, 1, alarmTrials, 0, 0.06},
		{"A/A, AR 0.8", noise{0.05, 0.8, 0.03}, 1, alarmTrials, 0, 0.06},
		{"-10 % at cv 5 %, AR 0", noise{0.05, 0, 0.03}, 0.9, powerTrials, 0.97, 1},
		{"-10 % at cv 5 %, AR 0.5", noise{0.05, 0.5, 0.03}, 0.9, powerTrials, 0.97, 1},
		{"-10 % at cv 5 %, AR 0.8", noise{0.05, 0.8, 0.03}, 0.9, powerTrials, 0.97, 1},
		{"-5 % at cv 2 %, AR 0", noise{0.02, 0, 0.03}, 0.95, powerTrials, 0.95, 1},
		{"-5 % at cv 2 %, AR 0.5", noise{0.02, 0.5, 0.03}, 0.95, powerTrials, 0.95, 1},
		{"-5 % at cv 2 %, AR 0.8", noise{0.02, 0.8, 0.03}, 0.95, powerTrials, 0.95, 1},
	} {
		rng := rand.New(rand.NewPCG(5, 6))
		found := 0
		for range c.trials {
			a, b := c.noise.pairs(rng, 10, c.ratio)
			if stats.SignFlip(a, b) <= 0.05 {
				found++
			}
		}
		part := float64(found) / float64(c.trials)
		t.Logf("%-24s 10 pairs: a difference is found in %.4f", c.name, part)
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
			d := stats.Paired(a, b, 0.95)
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

// TestPairedCountsAllSwaps checks the test against counting every way to exchange samples within pairs.
func TestPairedCountsAllSwaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for n := 1; n <= 12; n++ {
		a, b := noise{variation: 0.05}.pairs(rng, n, 0.97)
		seen, as, far := 0.0, 0, make([]float64, n)
		for i := range n {
			far[i] = math.Log(b[i] / a[i])
			seen += far[i]
		}
		for signs := range 1 << n {
			sum := 0.0
			for i := range n {
				sum += far[i] * float64(1-2*(signs>>i&1))
			}
			if math.Abs(sum) >= math.Abs(seen)-1e-12 {
				as++
			}
		}
		want := float64(as) / math.Ldexp(1, n)
		got := stats.Paired(a, b, 0.95)
		if got.Outliers != [2]int{} {
			continue
		}
		if math.Abs(got.P-want) > 0.02*want+1e-12 && n < 6 || math.Abs(got.P-want) > 0.05*want {
			t.Errorf("%d pairs: P is %v, want %v", n, got.P, want)
		}
		if n < 6 && (got.Low != 0 || !math.IsInf(got.High, 1)) {
			t.Errorf("%d pairs: interval %v to %v, want none", n, got.Low, got.High)
		}
	}
}

func TestPairedOfManyIsAsThatOfFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 20 {
		a, b := noise{variation: 0.05}.pairs(rng, 41, 0.985)
		many, few := stats.Paired(a, b, 0.95).P, stats.Paired(a[:40], b[:40], 0.95).P
		if many > 5*few || few > 20*many {
			t.Errorf("P of 41 pairs is %v, of the first 40 of them %v", many, few)
		}
	}
}

func TestPairedTellsOfOutliers(t *testing.T) {
	a := []float64{100, 101, 99, 102, 98, 100, 103, 97, 101, 99}
	b := []float64{90, 91, 89, 92, 88, 90, 300, 87, 91, 89}
	d := stats.Paired(a, b, 0.95)
	if d.Outliers != [2]int{0, 1} || d.P > 0.01 || math.Abs(d.Ratio-0.9) > 0.01 {
		t.Errorf("%+v, want one outlier of b and a difference of 10 %%", d)
	}
	for i := range 5 { // a second mode
		b[i] = 300
	}
	if d := stats.Paired(a, b, 0.95); d.Outliers != [2]int{} {
		t.Errorf("%+v, want a second mode to count", d)
	}
}

func TestPairedOfEqualSamples(t *testing.T) {
	same := []float64{5, 5, 5, 5, 5, 5, 5}
	if d := stats.Paired(same, same, 0.95); d.P != 1 || d.Ratio < 0.999999 || d.Ratio > 1.000001 {
		t.Errorf("%+v, want no difference", d)
	}
	if d := stats.Paired(nil, nil, 0.95); d.P != 1 || !math.IsNaN(d.Ratio) {
		t.Errorf("of nothing: %+v", d)
	}
}

func BenchmarkPairedOfAMillion(b *testing.B) {
	x, y := noise{variation: 0.05}.pairs(rand.New(rand.NewPCG(1, 2)), 500_000, 0.99)
	for b.Loop() {
		stats.Paired(x, y, 0.95)
	}
}
