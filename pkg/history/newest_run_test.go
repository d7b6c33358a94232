package history_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// nights describes how the values of series vary from night to night although nothing changes.
type nights struct {
	series      int
	shared, own float64 // coefficients of variation: common to all series, and of each series
	likeBefore  float64 // coefficient of autocorrelation
	outliers    float64 // fraction of the values that take twice as long
	weekend     float64 // the values of two nights of seven are multiplied by 1 + weekend
	slowHost    float64 // the values of half of the nights are multiplied by 1 - slowHost
	growth      float64 // factor of the noise in the second half of the nights; 0: none
	season      float64 // amplitude of a season of a year
	slowMode    float64 // fraction of the values of each third series that are in a mode slower by 0.3
}

// draw returns the places of the series, and the values of each in a number of nights.
func (n nights) draw(rng *rand.Rand, count int) (places []history.Place, values [][]float64) {
	noise := func(deviation float64) []float64 {
		all, away := make([]float64, count), rng.NormFloat64()
		for k := range all {
			all[k] = deviation * away
			if n.growth > 0 && k >= count/2 {
				all[k] *= n.growth
			}
			away = n.likeBefore*away + math.Sqrt(1-n.likeBefore*n.likeBefore)*rng.NormFloat64()
		}
		return all
	}
	all, weekday, phase := noise(n.shared), rng.IntN(7), rng.Float64()
	for k := range all {
		all[k] += n.season * math.Sin(2*math.Pi*(float64(k)/365+phase))
		if (k+weekday)%7 < 2 {
			all[k] += math.Log1p(n.weekend)
		}
		if rng.IntN(2) == 0 {
			all[k] += math.Log1p(-n.slowHost)
		}
	}
	for i := range n.series {
		own := noise(n.own)
		for k := range own {
			own[k] = 1e9 * math.Exp(all[k]+own[k])
			if rng.Float64() < n.outliers {
				own[k] /= 2
			}
			if i%3 == 0 && rng.Float64() < n.slowMode {
				own[k] *= 0.7
			}
		}
		places = append(places, history.Place{
			Operation: []result.Operation{result.OperationRead, result.OperationWrite}[i%2],
			API:       []string{"mpiio", "phdf5", "posix"}[i/2%3], TransferBytes: uint64(i),
		})
		values = append(values, own)
	}
	return places, values
}

// repeated returns n, or DEEP times as many for results to be quoted.
func repeated(n int) int {
	if times, err := strconv.Atoi(os.Getenv("DEEP")); err == nil {
		return n * times
	}
	return n
}

// If nothing changes, there is a fall of a newest run in at most 5 % of years. With DEEP set, trees of 18 series are
// tested, too.
func TestNewestRunsOfQuietYearsAreNoFalls(t *testing.T) {
	for name, n := range map[string]nights{
		"noise 3 %":        {shared: .03, own: .03},
		"noise 5 %":        {shared: .05, own: .05, likeBefore: .3},
		"noise 20 %":       {shared: .2, own: .2},
		"AR 0.6":           {shared: .05, own: .05, likeBefore: .6},
		"AR 0.8":           {shared: .05, own: .05, likeBefore: .8},
		"outliers 3 %":     {shared: .05, own: .05, outliers: .03},
		"weekends -30 %":   {shared: .05, own: .05, weekend: -.3},
		"weekends +30 %":   {shared: .05, own: .05, weekend: .3},
		"two hosts":        {shared: .05, own: .05, slowHost: .2},
		"growing variance": {shared: .05, own: .05, growth: 2},
		"season":           {shared: .05, own: .05, season: .05},
		"slow mode":        {shared: .03, own: .03, slowMode: .3},
	} {
		for _, series := range []int{5, 18} {
			if series > 5 && os.Getenv("DEEP") == "" {
				continue
			}
			n := n
			n.series = series
			t.Run(fmt.Sprintf("%s, %d series", name, series), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(71, uint64(series)))
				years, bad, falls := repeated(1), 0, 0
				for range years {
					places, values := n.draw(rng, 365+20)
					before := falls
					for last := 20; last < 365+20; last++ {
						window := make([][]float64, series)
						for i := range window {
							window[i] = values[i][max(0, last-30) : last+1]
						}
						falls += len(history.NewestRunOf(places, window, true).DistinctFalls(1))
					}
					if falls > before {
						bad++
					}
				}
				t.Logf("%d falls in %d of %d years", falls, bad, years)
				if (distuv.Binomial{N: float64(years), P: 0.05}).Survival(float64(bad)-1) < 0.005 {
					t.Errorf("%d falls in %d of %d years", falls, bad, years)
				}
			})
		}
	}
}

// A fall by half of all points is told in the first night.
func TestAFallByHalfIsToldInTheFirstNight(t *testing.T) {
	for name, n := range map[string]nights{
		"noise 5 %":  {series: 12, shared: .05, own: .05},
		"noise 10 %": {series: 12, shared: .07, own: .07},
	} {
		rng := rand.New(rand.NewPCG(73, 74))
		const trees = 50
		told := map[int]int{} // by number of nights before
		for range trees {
			for _, before := range []int{20, 30} {
				places, values := n.draw(rng, before+1)
				for i := range values {
					values[i][before] /= 2
				}
				for _, d := range history.NewestRunOf(places, values, true).DistinctFalls(0.9) {
					if d.Found.Newest != nil && d.Group != nil && d.Group.NumSeries == n.series {
						told[before]++
					}
				}
			}
		}
		t.Logf("%s: told %v of %d", name, told, trees)
		if told[20] < 40 || told[30] < 45 {
			t.Errorf("%s: told %v of %d", name, told, trees)
		}
	}
}

// A newest run is compared with runs at its level: with those before an incident, and with those after a lasting
// change.
func TestTheNewestRunIsComparedWithRunsAtItsLevel(t *testing.T) {
	for _, c := range []struct {
		slow  int // number of slow runs
		ratio float64
	}{{2, 0.4}, {5, 0.4}, {7, 1}, {12, 1}} {
		records := varied(9, 30+c.slow, func(day, _ int) float64 {
			if day >= 30 {
				return 0.4
			}
			return 1
		})
		found, err := trendOf(history.TrendOptions{}, records)
		if err != nil {
			t.Fatal(err)
		}
		r, group := found.Newest[0], found.Groups[0]
		if math.Abs(r.All.Ratio/c.ratio-1) > 0.1 || (r.All.Verdict == history.Worse) != (c.ratio < 1) ||
			!r.OtherLevels || group.Verdict != history.Worse || group.Newest == nil || *group.Newest != *r.All {
			t.Errorf("%d slow runs: %+v, %+v; %+v", c.slow, r, r.All, group.Newest)
		}
		if falls := found.DistinctFalls(0.9); len(falls) != 1 || falls[0].Found.Newest != nil {
			t.Errorf("%d slow runs: the fall is told %d times", c.slow, len(falls))
		}
	}
}

// The newest run is a fall if all its points together are much lower and the reference has not accepted it.
func TestWhichNewestRunIsAFall(t *testing.T) {
	at := func(level func(point int) float64) []history.Record {
		return varied(11, 31, func(day, point int) float64 {
			if day == 30 {
				return level(point)
			}
			return 1
		})
	}
	all := func(ratio float64) []history.Record { return at(func(int) float64 { return ratio }) }
	one := at(func(point int) float64 { return 1 - 0.6*float64(point/11) })
	pinned := func(ids ...string) []history.PinnedReference {
		return []history.PinnedReference{{Identity: one[0].Identity, Runs: ids, Time: day}}
	}
	for name, c := range map[string]struct {
		records    []history.Record
		references []history.PinnedReference
		want       int
	}{
		"half":                {all(0.5), nil, 1},
		"few runs before":     {all(0.5)[24:], nil, 1},
		"below the reference": {all(0.5), pinned("run00003", "run00004", "run00005", "run00006"), 1},
		"a smaller fall":      {all(0.8), nil, 0},
		"one point":           {one, nil, 0},
		"a rise":              {all(2), nil, 0},
		"accepted":            {all(0.5), pinned("run00003", "run00004", "run00005", "run00030"), 0},
		"a small reference":   {all(0.5), pinned("run00003"), 0},
	} {
		found, err := trendOf(history.TrendOptions{References: c.references}, c.records)
		if err != nil {
			t.Fatal(err)
		}
		var falls []string
		for _, d := range found.DistinctFalls(0.9) {
			if d.Found.Newest != nil {
				falls = append(falls, fmt.Sprint(d.ScopeText(), d.Found.Ratio))
			}
		}
		if len(falls) != c.want {
			t.Errorf("%s: falls %q, want %d; %+v", name, falls, c.want, found.Newest[0].All)
		}
	}
}
