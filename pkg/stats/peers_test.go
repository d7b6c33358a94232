package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"h5perf/pkg/stats"
)

// A rule decides in each night whether values have fallen. values are the logarithms of a series or of the mean of all
// series, up to this night. Rules for falls only have it easier than Search, which looks for rises, too.
type rule struct {
	name string
	// height returns how far the values are beyond what is usual.
	height func(values []float64, known knownNoise) float64
	// limit is the height at which the rule tells a fall. If it is 0, one year in 20 reaches the limit in the simplest
	// world.
	limit float64
}

// knownNoise is what some rules know about values in advance.
type knownNoise struct {
	deviation, r float64 // standard deviation and coefficient of autocorrelation
	fall         float64 // size of the fall that the rule looks for
}

var rules = []rule{
	{"Shewhart", distanceOfLatest, 3},
	{"E-divisive", heightOfSplit, -math.Log(0.001)},
	{"t test", distanceOfMean, 0},
	{"CUSUM with known variance", cumulativeSum, 0},
}

// distanceOfLatest returns how far the latest value is below the mean of up to 30 values before it, in standard
// deviations.
func distanceOfLatest(values []float64, _ knownNoise) float64 {
	n := len(values) - 1
	mean, deviation := stat.MeanStdDev(values[max(0, n-30):n], nil)
	return (mean - values[n]) / deviation
}

// cumulativeSum returns the largest sum of the innovations of the latest values, each without half of the fall (Page,
// 1954).
func cumulativeSum(values []float64, known knownNoise) float64 {
	scale := known.deviation * math.Sqrt(1-known.r*known.r)
	sum, highest := 0.0, 0.0
	for i := len(values) - 1; i > max(0, len(values)-40); i-- {
		sum += (known.r*values[i-1] - values[i] - known.fall*(1-known.r)/2) / scale
		highest = max(highest, sum)
	}
	return highest
}

// distanceOfMean returns the negative logarithm of the smallest p-value of t tests of the latest one to six values
// against up to 90 before them. It knows the autocorrelation, but neither level nor variance.
func distanceOfMean(values []float64, known knownNoise) (highest float64) {
	values = values[max(0, len(values)-96):]
	for k := 1; k <= 6; k++ {
		before, latest := values[:len(values)-k], values[len(values)-k:]
		mean, deviation := stat.MeanStdDev(before, nil)
		factor := math.Sqrt(ar1MeanVariance(len(before), known.r) + ar1MeanVariance(k, known.r))
		student := distuv.StudentsT{Sigma: 1, Nu: float64(len(before) - 1)}
		p := student.CDF((stat.Mean(latest, nil) - mean) / (deviation * factor))
		highest = max(highest, -math.Log(max(p, 1e-300)))
	}
	return highest
}

// ar1MeanVariance returns the variance of the mean of n values of an AR(1) process with variance 1.
func ar1MeanVariance(n int, r float64) float64 {
	sum := 1.0
	for k := 1; k < n; k++ {
		sum += 2 * (1 - float64(k)/float64(n)) * math.Pow(r, float64(k))
	}
	return sum / float64(n)
}

// heightOfSplit splits the latest 50 values in two by E-divisive means (Matteson and James, 2014), and returns the
// negative logarithm of the p-value of a t test of the two parts. Hunter and Otava do this with a limit of 0.001.
func heightOfSplit(values []float64, _ knownNoise) float64 {
	const least = 2
	x := values[max(0, len(values)-50):]
	distances := func(i, from, to int) (sum float64) {
		for _, v := range x[from:to] {
			sum += math.Abs(x[i] - v)
		}
		return sum
	}
	one, other, between, highest, at := 0.0, 0.0, 0.0, 0.0, 0
	for i := range x {
		other += distances(i, 0, i)
	}
	for k := 1; k <= len(x)-least; k++ { // the value before k moves to the first part
		left, right := distances(k-1, 0, k-1), distances(k-1, k, len(x))
		one, other, between = one+left, other-right, between-left+right
		n, m := float64(k), float64(len(x)-k)
		if q := 2 * (between - one*m/(n-1) - other*n/(m-1)) / (n + m); k >= least && q > highest {
			highest, at = q, k
		}
	}
	if at == 0 {
		return 0
	}
	n, m := float64(at), float64(len(x)-at)
	a, va := stat.MeanVariance(x[:at], nil)
	b, vb := stat.MeanVariance(x[at:], nil)
	student := distuv.StudentsT{Sigma: 1, Nu: n + m - 2}
	pooled := ((n-1)*va + (m-1)*vb) / (n + m - 2) * (1/n + 1/m)
	return -math.Log(max(2*student.CDF((b-a)/math.Sqrt(pooled)), 1e-300))
}

// calibrated returns the rule with a limit which a share of independent years reaches.
func (r rule) calibrated(known knownNoise, share float64) rule {
	if r.limit > 0 {
		return r
	}
	rng := rand.New(rand.NewPCG(61, 62))
	heights := make([]float64, max(400, int(20/share)))
	known.fall, known.deviation = known.fall*(1-known.r)/known.deviation/math.Sqrt(1-known.r*known.r), 1
	known.r = 0
	for i := range heights {
		values := noise{variation: math.Sqrt(math.E - 1)}.draw(rng, 365)
		for k := range values {
			values[k] = math.Log(values[k] / 1000)
		}
		for night := 13; night < len(values); night++ {
			heights[i] = max(heights[i], r.height(values[:night+1], known))
		}
	}
	slices.Sort(heights)
	r.limit = heights[int(float64(len(heights))*(1-share))]
	return r
}

// treeSignals returns the logarithms of the mean of all series, and those of each series without this mean.
func treeSignals(leaves []stats.Leaf) (mean []float64, own [][]float64) {
	own = make([][]float64, len(leaves))
	for night := range leaves[0].Values {
		sum, n := 0.0, 0.0
		for _, l := range leaves {
			if v := l.Values[night]; !math.IsNaN(v) {
				sum, n = sum+math.Log(v), n+1
			}
		}
		if n > 0 {
			mean = append(mean, sum/n-math.Log(1000))
		}
		for i, l := range leaves {
			if v := l.Values[night]; !math.IsNaN(v) {
				own[i] = append(own[i], math.Log(v)-sum/n)
			}
		}
	}
	return mean, own
}

// firstTold returns the first of the nights in which the rule tells a fall, or the number of nights. Night from is the
// first that counts.
func (r rule) firstTold(values []float64, known knownNoise, from int) int {
	for night := from; night < len(values); night++ {
		if r.height(values[:night+1], known) >= r.limit {
			return night
		}
	}
	return math.MaxInt
}

// TestOtherRules prints how other rules do in the same worlds. It compares, and asserts nothing.
func TestOtherRules(t *testing.T) {
	if os.Getenv("DEEP") == "" {
		t.Skip("DEEP is not set")
	}
	trees := trials(10)
	one := func(i int) bool { return i == 4 }
	for _, series := range []int{5, 18} {
		for _, likeBefore := range []float64{0, 0.3} {
			for _, r := range rules {
				for _, c := range []struct {
					name   string
					ratio  float64
					falls  func(int) bool
					within []int
				}{
					{"-50 % of all", 0.5, all, []int{1, 2}},
					{"-20 % of all", 0.8, all, []int{2, 4, 6}},
					{"-20 % of one", 0.8, one, []int{4, 6}},
					{"-10 % of all", 0.9, all, []int{6, 10}},
				} {
					deviation, share := math.Sqrt(0.0025+0.0025/float64(series)), 0.025
					if !c.falls(0) {
						deviation, share = 0.05*math.Sqrt(1-1/float64(series)), 0.025/float64(series)
					}
					if r.name == "t test" && !c.falls(0) {
						continue // its limit takes long to calibrate
					}
					known := knownNoise{deviation, likeBefore, -math.Log(c.ratio)}
					r := r.calibrated(known, share)
					text := ""
					for _, before := range []int{14, 100, 365} {
						w := world{series: series, nights: before + 10, shared: 0.05, own: 0.05, likeBefore: likeBefore}
						rng := rand.New(rand.NewPCG(uint64(before), uint64(w.series)))
						told := make([]int, len(c.within))
						for range trees {
							mean, own := treeSignals(w.draw(rng, before, c.ratio, c.falls))
							if !c.falls(0) {
								mean = own[4]
							}
							first := r.firstTold(mean, known, before)
							for i, within := range c.within {
								if first < before+within {
									told[i]++
								}
							}
						}
						text += fmt.Sprintf("; %d before: ", before)
						for i, within := range c.within {
							text += fmt.Sprintf(" %d nights %.0f %%", within, 100*float64(told[i])/float64(trees))
						}
					}
					t.Logf("%s, AR %g, %d series, %s%s", r.name, likeBefore, series, c.name, text)
				}
			}
		}
	}
	for _, c := range quietYears {
		text := ""
		for _, r := range rules {
			w, wrong := c.nightWorld, 0
			w.series, w.nights = 5, 365
			known := knownNoise{math.Sqrt(w.shared*w.shared + w.own*w.own/5), 0, -math.Log(0.8)}
			r := r.calibrated(known, 0.025)
			rng := rand.New(rand.NewPCG(3, 5))
			for range trees {
				mean, own := treeSignals(w.draw(rng, w.nights, 1, all))
				signals := [][]float64{mean}
				if r.name != "t test" && r.name != "CUSUM with known variance" {
					signals = append(signals, own...)
				}
				if slices.ContainsFunc(signals, func(values []float64) bool {
					return r.firstTold(values, known, 14) < math.MaxInt
				}) {
					wrong++
				}
			}
			text += fmt.Sprintf("; %s %d", r.name, wrong)
		}
		t.Logf("false years of %d, %s%s", trees, c.name, text)
	}
}
