package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"h5perf/pkg/stats"
)

// nightWorld describes a tree of series with known disturbances.
type nightWorld struct {
	world
	weekend   float64 // the values of two nights of seven are multiplied by 1 + weekend
	slowHost  float64 // the values of half of the nights are multiplied by 1 - slowHost
	growth    float64 // factor of the noise in the second half of the nights; 0: none
	season    float64 // amplitude of a season of a year
	incidents int     // number of incidents of 3 to 5 nights at -40 %
}

// draw returns the leaves of a tree. From night on, series for which falls returns true are multiplied by ratio.
func (w nightWorld) draw(rng *rand.Rand, night int, ratio float64, falls func(int) bool) []stats.Leaf {
	leaves := w.world.draw(rng, night, ratio, falls)
	factors, weekday, phase := make([]float64, w.nights), rng.IntN(7), rng.Float64()
	for k := range factors {
		factors[k] = math.Exp(w.season * math.Sin(2*math.Pi*(float64(k)/365+phase)))
		if (k+weekday)%7 < 2 {
			factors[k] *= 1 + w.weekend
		}
		if rng.IntN(2) == 0 {
			factors[k] *= 1 - w.slowHost
		}
	}
	for i := range w.incidents {
		first := i*w.nights/w.incidents + rng.IntN(40)
		scaled(factors[first:min(first+3+rng.IntN(3), w.nights)], 0.6)
	}
	for _, l := range leaves {
		for k := range l.Values {
			l.Values[k] *= factors[k]
			if w.growth > 0 && k >= w.nights/2 {
				l.Values[k] = 1000 * math.Pow(l.Values[k]/1000, w.growth)
			}
		}
	}
	return leaves
}

// simulate returns n, or DEEP times as many for results to be quoted; short is returned without DEEP.
func simulate(n, short int) int {
	if os.Getenv("DEEP") == "" {
		return short
	}
	return trials(n)
}

// Falls are told soon after they begin, whatever the length of the history. With DEEP set, the shares are printed for
// more worlds.
func TestFallsAreToldWithinNights(t *testing.T) {
	reads := func(i int) bool { return i%2 == 0 }
	api := func(i int) bool { return i/2%3 == 0 }
	one := func(i int) bool { return i == 4 }
	trees := simulate(20, 20)
	for _, c := range []struct {
		name   string
		ratio  float64
		falls  func(int) bool
		within int
		wanted float64 // share of trees at AR 0 with 100 nights and 18 series
	}{
		{"-50 % of all", 0.5, all, 2, 0.95},
		{"-50 % of one", 0.5, one, 2, 0.9},
		{"-20 % of all", 0.8, all, 4, 0.9},
		{"-20 % of all", 0.8, all, 6, 0.95},
		{"-20 % of reads", 0.8, reads, 4, 0.95},
		{"-20 % of an API", 0.8, api, 4, 0.95},
		{"-20 % of one", 0.8, one, 6, 0.9},
		{"-10 % of all", 0.9, all, 10, 0.4},
	} {
		for _, w := range []nightWorld{
			{world: world{series: 18, nights: 100}},
			{world: world{series: 5, nights: 14}},
			{world: world{series: 18, nights: 14}},
			{world: world{series: 5, nights: 100}},
			{world: world{series: 5, nights: 365}},
			{world: world{series: 18, nights: 365}},
			{world: world{series: 90, nights: 60}},
		} {
			for _, likeBefore := range []float64{0, 0.3} {
				isShort := w.series == 18 && w.nights == 100 && likeBefore == 0
				if !isShort && os.Getenv("DEEP") == "" {
					continue
				}
				w, before := w, w.nights
				w.shared, w.own, w.likeBefore, w.nights = 0.05, 0.05, likeBefore, before+c.within
				t.Run(fmt.Sprintf("%s in %d nights, %d series, %d nights, AR %g", c.name, c.within, w.series, before,
					likeBefore), func(t *testing.T) {
					t.Parallel()
					rng := rand.New(rand.NewPCG(uint64(before), uint64(w.series)))
					told := 0
					for range trees {
						for _, a := range stats.Alarms(w.draw(rng, before, c.ratio, c.falls),
							stats.NewNightlyBudget(0.05)) {
							if a.Told >= before && a.Ratio < 1 && a.First >= before-3 {
								told++
								break
							}
						}
					}
					t.Logf("told in %d of %d trees", told, trees)
					if isShort && 1-atLeast(told+1, trees, c.wanted) < 0.01 {
						t.Errorf("told in %d of %d trees, want a share of %.2f", told, trees, c.wanted)
					}
				})
			}
		}
	}
}

// quietYears lists worlds without a lasting change.
var quietYears = []struct {
	name string
	nightWorld
	allowed float64 // share of years with a lasting change, or with any change in worlds without incidents
}{
	{"noise 3 %", nightWorld{world: world{shared: .03, own: .03}}, 0.05},
	{"noise 5 %", nightWorld{world: world{shared: .05, own: .05, likeBefore: .3}}, 0.05},
	{"noise 20 %", nightWorld{world: world{shared: .2, own: .2}}, 0.05},
	{"AR 0.6", nightWorld{world: world{shared: .05, own: .05, likeBefore: .6}}, 0.05},
	{"AR 0.8", nightWorld{world: world{shared: .05, own: .05, likeBefore: .8}}, 0.1},
	{"outliers 3 %", nightWorld{world: world{shared: .05, own: .05, outliers: .03}}, 0.05},
	{"outage nights 10 %", nightWorld{world: world{shared: .05, own: .05, badNights: .1}}, 0.05},
	{"missing 20 %", nightWorld{world: world{shared: .05, own: .05, missing: .2}}, 0.05},
	{"weekends -30 %", nightWorld{world: world{shared: .05, own: .05}, weekend: -.3}, 0.05},
	{"weekends +30 %", nightWorld{world: world{shared: .05, own: .05}, weekend: .3}, 0.05},
	{"two hosts", nightWorld{world: world{shared: .05, own: .05}, slowHost: .2}, 0.05},
	{"growing variance", nightWorld{world: world{shared: .05, own: .05}, growth: 2}, 0.05},
	{"season", nightWorld{world: world{shared: .05, own: .05}, season: .05}, 0.1},
	{"slow mode", nightWorld{world: world{shared: .03, own: .03, slowMode: .3}}, 0.05},
	{"six incidents", nightWorld{world: world{shared: .05, own: .05}, incidents: 6}, 0.05},
}

// Years in which nothing changes for long are quiet.
func TestYearsWithoutAChangeAreQuiet(t *testing.T) {
	for _, c := range quietYears {
		for _, series := range []int{5, 18} {
			w, years := c.nightWorld, simulate(20, 4)
			w.series, w.nights = series, 365
			t.Run(fmt.Sprintf("%s, %d series", c.name, series), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(3, uint64(series)))
				lasting, incidents := 0, 0
				for range years {
					l, i := 0, 0
					for _, a := range stats.Alarms(w.draw(rng, w.nights, 1, all), stats.NewNightlyBudget(0.05)) {
						if a.Lasting {
							l = 1
						} else {
							i = 1
						}
					}
					lasting, incidents = lasting+l, incidents+i
				}
				t.Logf("of %d years, %d with lasting changes and %d with incidents", years, lasting, incidents)
				if atLeast(lasting, years, c.allowed) < 0.005 {
					t.Errorf("lasting changes in %d of %d years", lasting, years)
				}
				hasIncidents := w.incidents > 0 || w.badNights > 0
				if !hasIncidents && atLeast(incidents, years, 2*c.allowed) < 0.005 {
					t.Errorf("incidents in %d of %d years", incidents, years)
				}
			})
		}
	}
}
