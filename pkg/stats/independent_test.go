package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"h5perf/pkg/stats"
)

func TestIndependentAlarmsAndIntervals(t *testing.T) {
	const trials = 2000
	for _, c := range []struct{ n1, n2 int }{{5, 5}, {6, 10}, {10, 10}, {15, 30}} {
		rng := rand.New(rand.NewPCG(13, 14))
		alarms, covers, agree := 0, 0, 0
		for range trials {
			n := noise{variation: 0.05, outliers: 0.03}
			if stats.IndependentTest(n.draw(rng, c.n1), n.draw(rng, c.n2), 0.95).P <= 0.05 {
				alarms++
			}
			d := stats.IndependentTest(n.draw(rng, c.n1), scaled(n.draw(rng, c.n2), 0.9), 0.95)
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
		t.Logf("%d + %d: alarms %.4f, covers %.4f, agrees %.4f", c.n1, c.n2, float64(alarms)/trials,
			float64(covers)/trials, float64(agree)/trials)
		if float64(alarms) > 0.06*trials || float64(covers) < 0.94*trials || float64(agree) < 0.99*trials {
			t.Errorf("%d + %d: of %d: %d alarms, %d covered, %d agree", c.n1, c.n2, trials, alarms, covers, agree)
		}
	}
}

// TestIndependentRatioIsTheMedianOfAll checks ratio and interval against the list of all ratios.
func TestIndependentRatioIsTheMedianOfAll(t *testing.T) {
	a, b := []float64{100, 104, 96, 110, 90}, []float64{80, 88, 72, 84, 76}
	var all []float64
	for _, x := range a {
		for _, y := range b {
			all = append(all, y/x)
		}
	}
	slices.Sort(all)
	d := stats.IndependentTest(a, b, 0.95)
	near := func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }
	if !near(d.Ratio, all[12]) || !near(d.Low, all[2]) || !near(d.High, all[22]) {
		t.Errorf("%+v, want %v and %v to %v: at 5 + 5 samples U = 2 is rejected, 3 is not", d, all[12], all[2], all[22])
	}
	if !near(d.P, 2.0/252) || !near(d.SmallestP, 2.0/252) {
		t.Errorf("P is %v, the smallest %v, want 2/252", d.P, d.SmallestP)
	}
}

// TestIndependentRatioIsFoundAmongAny checks the ratio against the list of all ratios, with ties and with far outliers.
func TestIndependentRatioIsFoundAmongAny(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for name, draw := range map[string]func() float64{
		"even":     func() float64 { return 1 + rng.Float64() },
		"tied":     func() float64 { return 1 + float64(rng.IntN(4)) },
		"two":      func() float64 { return 1 + float64(rng.IntN(2)) },
		"the next": func() float64 { return 7 + float64(rng.IntN(4))*0x1p-50 },
		"far away": func() float64 { return math.Exp(rng.ExpFloat64() * rng.ExpFloat64()) },
	} {
		for range 200 {
			var a, b, all []float64
			for range 1 + rng.IntN(30) {
				a, b = append(a, draw()), append(b, 5*draw())
			}
			for _, x := range a {
				for _, y := range b {
					all = append(all, y/x)
				}
			}
			slices.Sort(all)
			n := len(all)
			want := math.Sqrt(all[(n-1)/2] * all[n/2])
			got := stats.IndependentTest(a, b, 0.95).Ratio
			if math.Abs(math.Log(got/want)) > 1e-9*(1+math.Log(all[n-1]/all[0])) {
				t.Errorf("%s, %v and %v: ratio %v, want %v", name, a, b, got, want)
			}
		}
	}
}

func TestIndependentOfFewSamples(t *testing.T) {
	d := stats.IndependentTest([]float64{1, 2, 3}, []float64{7, 8, 9}, 0.95)
	if d.P < 0.0999 || d.Low != 0 || !math.IsInf(d.High, 1) {
		t.Errorf("%+v, want no finite interval", d)
	}
	if d := stats.IndependentTest(nil, []float64{1}, 0.95); d.P != 1 || !math.IsNaN(d.Ratio) {
		t.Errorf("of nothing: %+v", d)
	}
	if d := stats.IndependentTest([]float64{4, 4, 4, 4}, []float64{4, 4, 4, 4}, 0.95); d.P != 1 {
		t.Errorf("of equal samples: %+v", d)
	}
}

func BenchmarkIndependentOfAMillion(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := noise{variation: 0.05}
	x, y := n.draw(rng, 500_000), n.draw(rng, 500_000)
	for b.Loop() {
		stats.IndependentTest(x, y, 0.95)
	}
}
