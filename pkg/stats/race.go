package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Race finds the fastest of several arms with few measurements, by successive halving (Karnin, Koren and Somekh, 2013)
// in blocks: a block measures each arm that is still in the race once, in random order, and arm 0 always. Arms are
// compared by the means of the logarithms of their times over all blocks, so that what slows down a whole block does
// not matter. After each round of blocks, the slower half of the arms is dropped. Each round has about the same number
// of measurements, so the last arms are measured most often.
//
// A race only chooses: that the fastest of many looks fast is no evidence. See Looks.
type Race struct {
	keep     int // number of arms at the end of the race, without arm 0
	left     int // number of measurements
	draw     *rand.Rand
	racing   []int     // arms that are still in the race, without arm 0
	dropped  []int     // arms that were too slow, those of the last round first
	block    []int     // arms of the current block, in the order of measurement
	order    []int     // arm of each measurement so far
	logs     []float64 // logarithm of the time of each measurement so far
	blocks   int       // number of blocks so far
	roundEnd int       // number of blocks after which the current round ends
}

// NewRace returns a race of the arms 1 to arms against arm 0, with at most the given number of measurements, including
// those of arm 0. It ends with at least keep arms and arm 0. If there are fewer measurements than arms, the last arms
// are not measured.
func NewRace(arms, keep, measurements int, draw *rand.Rand) *Race {
	r := &Race{keep: keep, left: measurements, draw: draw}
	for i := range min(arms, max(0, measurements-1)) {
		r.racing = append(r.racing, 1+i)
	}
	return r
}

// SetLeft sets how many measurements are left.
func (r *Race) SetLeft(measurements int) { r.left = measurements }

// NextBlock returns the arms that the next block measures, in the order of measurement, which is random. It returns nil
// if the race has ended. At the end of a round, it drops the slower half of the arms.
func (r *Race) NextBlock() []int {
	if len(r.racing) > 0 && r.blocks == r.roundEnd {
		if r.blocks > 0 && len(r.racing) > r.keep {
			r.keepFirst(r.rankRacing(), max(r.keep, (len(r.racing)+1)/2))
		}
		r.beginRound()
	}
	if len(r.racing) == 0 || r.left < 1+len(r.racing) {
		return nil
	}
	return r.shuffleBlock()
}

// FollowBlock does what NextBlock does in a race that repeats the decisions of an earlier one: the block has the given
// arms of those that are still in the race, however many measurements are left.
func (r *Race) FollowBlock(arms []int) []int {
	if r.blocks == 0 {
		r.racing = slices.DeleteFunc(slices.Clone(arms), func(arm int) bool { return arm == 0 })
	}
	gone := func(arm int) bool { return !slices.Contains(arms, arm) }
	drops := slices.ContainsFunc(r.racing, gone)
	if drops {
		ranked := r.rankRacing()
		kept := slices.DeleteFunc(slices.Clone(ranked), gone)
		r.keepFirst(append(kept, slices.DeleteFunc(ranked, func(arm int) bool { return !gone(arm) })...), len(kept))
	}
	if drops || r.blocks == r.roundEnd {
		r.beginRound()
	}
	return r.shuffleBlock()
}

// shuffleBlock returns a block of all arms that are in the race.
func (r *Race) shuffleBlock() []int {
	r.block = append([]int{0}, r.racing...)
	r.draw.Shuffle(len(r.block), func(i, j int) { r.block[i], r.block[j] = r.block[j], r.block[i] })
	return slices.Clone(r.block)
}

// keepFirst drops all but the first arms of those in the race.
func (r *Race) keepFirst(ranked []int, kept int) {
	r.racing, r.dropped = ranked[:kept:kept], slices.Concat(ranked[kept:], r.dropped)
}

// beginRound sets the length of the next round.
func (r *Race) beginRound() {
	rounds := 1 // with this one
	for arms := len(r.racing); arms > r.keep; arms = max(r.keep, (arms+1)/2) {
		rounds++
	}
	r.roundEnd = r.blocks + max(1, r.left/rounds/(1+len(r.racing)))
}

// AddBlock adds the times of the block that NextBlock returned, by arm, in any unit. An arm whose time is not positive
// has failed, and is dropped. If arm 0 has failed, the race ends.
func (r *Race) AddBlock(times []float64) {
	r.left -= len(r.block)
	r.blocks++
	for _, arm := range r.block {
		switch t := times[arm]; {
		case t > 0 && !math.IsInf(t, 0):
			r.order, r.logs = append(r.order, arm), append(r.logs, math.Log(t))
		case arm == 0:
			r.racing = nil
		default:
			r.racing = slices.DeleteFunc(r.racing, func(one int) bool { return one == arm })
		}
	}
}

// Ranking returns the arms without arm 0, the fastest first: those that are still in the race before those that were
// dropped. It leaves out arms that have failed or were not measured.
func (r *Race) Ranking() []int { return slices.Concat(r.rankRacing(), r.dropped) }

// rankRacing returns the arms that are still in the race, the fastest first.
func (r *Race) rankRacing() []int {
	sums := map[int]float64{} // all arms in the race have as many measurements
	for i, log := range r.withoutDrift() {
		sums[r.order[i]] += log
	}
	ranked := slices.Clone(r.racing)
	slices.SortStableFunc(ranked, func(a, b int) int { return cmp.Compare(sums[a], sums[b]) })
	return ranked
}

// withoutDrift returns the logarithms of the times less what the measurements before and after let expect of each, if
// the speed drifts like an AR(1) process: r/(1+r²) of the sum of both. Most arms differ little, and their order is
// random, so that no arm gains by its neighbours. Times that are far from the others do not speak for a drift.
func (r *Race) withoutDrift() []float64 {
	usual := limitOutliers(r.logs)
	mean, ar := stat.Mean(usual, nil), max(0, unbiasedAutocorrelation(usual, 1))
	out := make([]float64, len(r.logs))
	for i, log := range r.logs {
		around, share := 0.0, ar
		if i > 0 {
			around += usual[i-1] - mean
		}
		if i+1 < len(r.logs) {
			around += usual[i+1] - mean
		}
		if i > 0 && i+1 < len(r.logs) {
			share = ar / (1 + ar*ar)
		}
		out[i] = log - mean - share*around
	}
	return out
}
