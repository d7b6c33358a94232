package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"h5perf/pkg/stats"
)

// runRace runs a race whose arms take the times that take returns, and returns how often each arm was measured.
func runRace(r *stats.Race, arms int, take func(arm int) float64) (measured []int) {
	measured = make([]int, 1+arms)
	for block := r.NextBlock(); block != nil; block = r.NextBlock() {
		times := make([]float64, 1+arms)
		for _, arm := range block {
			times[arm] = take(arm)
			measured[arm]++
		}
		r.AddBlock(times)
	}
	return measured
}

func newSource(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// A race measures the fast arms most often, all arms at least once and arm 0 in all blocks, within its limit.
func TestRaceMeasuresFastArmsMost(t *testing.T) {
	for _, c := range []struct{ arms, keep, limit int }{
		{32, 3, 112}, {32, 1, 160}, {7, 1, 48}, {2, 2, 20}, {1, 1, 2}, {60, 3, 61}, {5, 3, 1000},
	} {
		r := stats.NewRace(c.arms, c.keep, c.limit, newSource(1))
		measured := runRace(r, c.arms, func(arm int) float64 { return float64(100 + arm) })
		sum := 0
		for arm, n := range measured {
			sum += n
			if n < 1 || n > measured[0] || arm > 1 && n > measured[arm-1] {
				t.Errorf("%+v: measured %v", c, measured)
				break
			}
		}
		if sum > c.limit || sum < min(c.limit, 1+c.arms)/2 {
			t.Errorf("%+v: %d measurements", c, sum)
		}
		if best := r.Ranking()[0]; best != 1 && c.limit > 1+c.arms {
			t.Errorf("%+v: arm %d won", c, best)
		}
	}
}

// An arm that fails leaves the race, and a failed arm 0 ends it.
func TestRaceDropsFailedArms(t *testing.T) {
	r := stats.NewRace(4, 1, 40, newSource(2))
	measured := runRace(r, 4, func(arm int) float64 {
		if arm == 2 {
			return 0
		}
		return float64(10 - arm)
	})
	if ranking := r.Ranking(); measured[2] != 1 || !slices.Equal(ranking, []int{4, 3, 1}) {
		t.Errorf("measured %v, ranking %v", measured, r.Ranking())
	}
	r = stats.NewRace(4, 1, 40, newSource(2))
	measured = runRace(r, 4, func(arm int) float64 { return float64(arm) })
	if measured[0] != 1 || len(r.Ranking()) > 0 {
		t.Errorf("arm 0 failed: measured %v, ranking %v", measured, r.Ranking())
	}
}

// With fewer measurements than arms, the last arms are not measured. A race ends when fewer measurements are left than
// it expected.
func TestRaceKeepsItsLimit(t *testing.T) {
	r := stats.NewRace(10, 1, 6, newSource(3))
	if measured := runRace(r, 10, func(int) float64 { return 1 }); measured[5] != 1 || measured[6] != 0 {
		t.Errorf("measured %v", measured)
	}
	r = stats.NewRace(10, 1, 1, newSource(3))
	if block := r.NextBlock(); block != nil {
		t.Errorf("one measurement is no block, but there is %v", block)
	}
	r, blocks := stats.NewRace(3, 3, 400, newSource(3)), 0
	runRace(r, 3, func(int) float64 {
		if blocks++; blocks == 4 {
			r.SetLeft(13)
		}
		return 1
	})
	if blocks != 12 {
		t.Errorf("%d measurements after the number that is left fell to 13 in the first block", blocks)
	}
}

// A drift does not decide a race: with an autocorrelation of 0.8, an arm that is 20 % faster wins nearly always, though
// the times vary by 20 %.
func TestRaceTakesOutDrift(t *testing.T) {
	const trials = 300
	won := 0
	for i := range trials {
		rng := newSource(uint64(i))
		samples, n := noise{variation: 0.2, likeBefore: 0.8}.draw(rng, 160), 0
		r := stats.NewRace(32, 1, 160, rng)
		runRace(r, 32, func(arm int) float64 {
			n++
			if arm == 9 {
				return samples[n-1] / 1.2
			}
			return samples[n-1]
		})
		if r.Ranking()[0] == 9 {
			won++
		}
	}
	t.Logf("won %d of %d", won, trials)
	if share := float64(won) / trials; share < 0.92 {
		t.Errorf("the fastest arm won %.3f of the races", share)
	}
}

// All looks together show a difference where there is none with a probability of at most alpha, and the interval of the
// look that ends the measurement contains the true ratio with at least 1 - alpha.
func TestLooksHoldTheirError(t *testing.T) {
	const alpha, trials = 0.05, 4000
	looks := stats.Looks(alpha, 12, 24, 40)
	sum := 0.0
	for _, l := range looks {
		sum += l.Alpha
	}
	if math.Abs(sum-alpha) > 1e-12 || looks[0].Pairs != 12 || looks[0].Alpha < 0.02 {
		t.Errorf("looks %+v spend %g", looks, sum)
	}
	for _, c := range []struct{ ratio, likeBefore float64 }{{1, 0}, {1, 0.8}, {1.05, 0}, {1.2, 0.5}} {
		rng, shown, covers := newSource(4), 0, 0
		for range trials {
			a, b := noise{variation: 0.1, likeBefore: c.likeBefore}.pairs(rng, 40, c.ratio)
			for i, l := range looks {
				d := stats.PairedTest(a[:l.Pairs], b[:l.Pairs], 1-l.Alpha)
				if d.P > l.Alpha && i+1 < len(looks) {
					continue
				}
				if d.P <= l.Alpha {
					shown++
				}
				if d.Low <= c.ratio && c.ratio <= d.High {
					covers++
				}
				break
			}
		}
		t.Logf("%+v: shown %.4f, covers %.4f", c, float64(shown)/trials, float64(covers)/trials)
		if float64(covers)/trials < 1-alpha || c.ratio == 1 && float64(shown)/trials > alpha {
			t.Errorf("%+v: shown in %d and right in %d of %d", c, shown, covers, trials)
		}
	}
}

// A race that follows the blocks of another one makes the same decisions, whatever is left, and can go on from there.
func TestRaceFollowsAnother(t *testing.T) {
	const arms = 12
	take := func(arm, block int) float64 {
		if arm == 5 && block == 1 {
			return 0 // it fails
		}
		return float64(100+arm) * (1 + 0.3*float64((arm*7+block*5)%11))
	}
	for _, left := range []int{100, 30, 5, 1000} {
		one, other := stats.NewRace(arms, 2, 100, newSource(3)), stats.NewRace(arms, 2, left, newSource(3))
		blocks := 0
		for block := one.NextBlock(); block != nil; block = one.NextBlock() {
			sorted := slices.Sorted(slices.Values(block))
			if got := other.FollowBlock(sorted); !slices.Equal(got, block) {
				t.Fatalf("%d left: block %d is %v, not %v", left, blocks, got, block)
			}
			times := make([]float64, 1+arms)
			for _, arm := range block {
				times[arm] = take(arm, blocks)
			}
			one.AddBlock(times)
			other.AddBlock(times)
			blocks++
		}
		if got, want := other.Ranking(), one.Ranking(); !slices.Equal(got, want) || len(want) != arms-1 {
			t.Errorf("%d left: %v, not %v", left, got, want)
		}
		other.SetLeft(20)
		if next := other.NextBlock(); len(next) != 3 {
			t.Errorf("%d left: then it measures %v", left, next)
		}
	}
}
