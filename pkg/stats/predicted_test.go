package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"h5perf/pkg/stats"
)

func TestPredictedAlarmsAndIntervals(t *testing.T) {
	const trials = 4000
	for _, c := range []struct{ n1, n2 int }{{2, 1}, {5, 1}, {1, 5}, {30, 1}} {
		rng := rand.New(rand.NewPCG(13, 14))
		alarms, covers, agree := 0, 0, 0
		n := noise{variation: 0.05}
		for range trials {
			if stats.PredictionTest(n.draw(rng, c.n1), n.draw(rng, c.n2), 0.95).P <= 0.05 {
				alarms++
			}
			d := stats.PredictionTest(n.draw(rng, c.n1), scaled(n.draw(rng, c.n2), 0.9), 0.95)
			if d.Low <= 0.9 && 0.9 <= d.High {
				covers++
			}
			if (d.P <= 0.05) == (d.High < 1 || d.Low > 1) {
				agree++
			}
			if d.Ratio < d.Low || d.Ratio > d.High {
				t.Fatalf("ratio %v is not within %v to %v", d.Ratio, d.Low, d.High)
			}
		}
		t.Logf("%d + %d: alarms %.4f, covers %.4f", c.n1, c.n2, float64(alarms)/trials, float64(covers)/trials)
		if float64(alarms) > 0.06*trials || float64(covers) < 0.94*trials || agree < trials {
			t.Errorf("%d + %d: of %d: %d alarms, %d covered, %d agree", c.n1, c.n2, trials, alarms, covers, agree)
		}
	}
}

// If a sample depends on the one before it, a single sample is outside the interval a little more often.
func TestPredictedOfDependentSamples(t *testing.T) {
	const trials, r = 4000, 0.5
	rng := rand.New(rand.NewPCG(15, 16))
	for _, c := range []struct {
		n    int
		most float64
	}{{30, 0.07}, {10, 0.08}} {
		n, alarms := c.n, 0
		for range trials {
			away, samples := rng.NormFloat64(), make([]float64, n+1)
			for i := range samples {
				samples[i] = math.Exp(0.05 * away)
				away = r*away + math.Sqrt(1-r*r)*rng.NormFloat64()
			}
			if stats.PredictionTest(samples[:n], samples[n:], 0.95).P <= 0.05 {
				alarms++
			}
		}
		t.Logf("%d + 1: alarms %.4f", n, float64(alarms)/trials)
		if float64(alarms) > c.most*trials {
			t.Errorf("%d + 1: %d alarms of %d", n, alarms, trials)
		}
	}
}

// One sample with half the value of 30 others is found, at the level for one of 40 points.
func TestPredictedFindsOneAgainstMany(t *testing.T) {
	const level = 1 - 0.05/40
	rng := rand.New(rand.NewPCG(17, 18))
	n := noise{variation: 0.05}
	for range 200 {
		if d := stats.PredictionTest(n.draw(rng, 30), scaled(n.draw(rng, 1), 0.5), level); d.P > 1-level ||
			d.High >= 1 {
			t.Fatalf("half of the throughput is not found: %+v", d)
		}
	}
}

// Interval and p-value agree with a t test that was computed by hand.
func TestPredictedIsTheTestOfStudent(t *testing.T) {
	d := stats.PredictionTest([]float64{2, 0.5, 2, 0.5, 1, 2, 0.5, 2, 0.5}, []float64{8}, 0.95)
	near := func(x, y float64) bool { return math.Abs(x-y) < 1e-6 }
	// The standard deviation of the logarithms is log 2; with 8/1.6 degrees of freedom the quantile is 2.570582.
	scale := math.Sqrt(10.0 / 9) // of the standard error of a prediction
	if reach := 2.570582 * math.Ln2 * scale; !near(d.Ratio, 8) || !near(math.Log(d.Low), 3*math.Ln2-reach) ||
		!near(math.Log(d.High), 3*math.Ln2+reach) {
		t.Errorf("%+v, want 8 and an interval of ±%v", d, reach)
	}
	angle := math.Atan(3 / scale / math.Sqrt(5))
	c := math.Cos(angle)
	if want := 1 - 2/math.Pi*(angle+math.Sin(angle)*(c+2.0/3*c*c*c)); !near(d.P, want) {
		t.Errorf("p is %v, want %v", d.P, want)
	}
}

// What happened in several of the samples is expected of one more, but not what happened in one of many.
func TestPredictedIncludesTheSlowMode(t *testing.T) {
	samples := around(1000, 30)
	samples[7] = 400
	once := stats.PredictionTest(samples, []float64{450}, 0.95)
	back := stats.PredictionTest([]float64{450}, samples, 0.95)
	if once.P > 0.05 || once.High >= 1 || math.Abs(back.P-once.P) > 1e-9 || math.Abs(back.Low*once.High-1) > 1e-9 ||
		math.Abs(back.High*once.Low-1) > 1e-9 {
		t.Errorf("slow once: %+v, and the other way round %+v", once, back)
	}
	samples[20], samples[23] = 410, 420
	twice := stats.PredictionTest(samples, []float64{450}, 0.95)
	back = stats.PredictionTest([]float64{450}, samples, 0.95)
	if twice.P <= 0.05 || twice.High < 1 || math.Abs(back.P-twice.P) > 1e-9 || math.Abs(back.Low*twice.High-1) > 1e-9 ||
		math.Abs(back.High*twice.Low-1) > 1e-9 {
		t.Errorf("slow three times: %+v, and the other way round %+v", twice, back)
	}
}

// around returns n values that differ from middle by at most 1 %.
func around(middle float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = middle * (1 + 0.02*(float64(i*7%n)/float64(n)-0.5))
	}
	return all
}

func TestPredictedOfFewSamples(t *testing.T) {
	d := stats.PredictionTest([]float64{1}, []float64{7}, 0.95)
	if d.P != 1 || d.SmallestP != 1 || d.Low != 0 || !math.IsInf(d.High, 1) || math.Abs(d.Ratio-7) > 1e-9 {
		t.Errorf("%+v, want a ratio without a test", d)
	}
	if d := stats.PredictionTest(nil, []float64{1}, 0.95); d.P != 1 || !math.IsNaN(d.Ratio) {
		t.Errorf("of nothing: %+v", d)
	}
	if d := stats.PredictionTest([]float64{4, 4, 4}, []float64{4}, 0.95); d.P != 1 {
		t.Errorf("of equal samples: %+v", d)
	}
	if d := stats.PredictionTest([]float64{4, 4}, []float64{2}, 0.95); d.P != 0 || d.High >= 1 {
		t.Errorf("of samples that do not vary: %+v", d)
	}
}
