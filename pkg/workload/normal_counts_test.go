package workload

import (
	"math"
	"math/bits"
	"testing"
)

// counts returns the counts of all processes, and checks that each begins where the one before ends.
func counts(t *testing.T, c rowCounter, ranks uint64) []float64 {
	t.Helper()
	all := make([]float64, ranks)
	next := uint64(0)
	for rank := range ranks {
		before, count := c.rowsOfRank(rank)
		if before != next {
			t.Fatalf("%d rows before process %d, want %d", before, rank, next)
		}
		next += count
		all[rank] = float64(count)
	}
	return all
}

func normalCounts(t *testing.T, ranks uint64, mean, deviation float64, seed uint64) rowCounter {
	t.Helper()
	c, err := Rule{Counts: NormalCounts, Mean: mean, Deviation: deviation, Seed: seed}.newRowCounter(ranks, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func moments(all []float64) (mean, deviation, correlation float64) {
	n := float64(len(all))
	for _, x := range all {
		mean += x / n
	}
	for i, x := range all {
		deviation += (x - mean) * (x - mean) / n
		if i > 0 {
			correlation += (x - mean) * (all[i-1] - mean) / n
		}
	}
	return mean, math.Sqrt(deviation), correlation / deviation
}

func TestNormalCountsHaveMeanAndDeviationAndAreIndependent(t *testing.T) {
	for _, ranks := range []uint64{65536, 100_000} {
		all := counts(t, normalCounts(t, ranks, 5000, 700, 2), ranks)
		mean, deviation, correlation := moments(all)
		if math.Abs(mean-5000) > 5*700/math.Sqrt(float64(ranks)) || math.Abs(deviation-700) > 15 ||
			math.Abs(correlation) > 0.02 {
			t.Errorf("%d counts: mean %v, deviation %v, correlation of neighbours %v", ranks, mean, deviation,
				correlation)
		}
		within := 0.0
		for _, x := range all {
			if math.Abs(x-5000) < 700 {
				within++
			}
		}
		if share := within / float64(ranks); math.Abs(share-0.683) > 0.01 {
			t.Errorf("%v of the counts are within a deviation of the mean, want 0.683", share)
		}
	}
}

func TestTotalsOfManySeedsAreAsWideAsSumsOfIndependentCounts(t *testing.T) {
	const ranks, seeds = 10, 4000
	totals, firsts := make([]float64, seeds), make([]float64, seeds)
	for seed := range uint64(seeds) {
		c := normalCounts(t, ranks, 1000, 100, seed)
		before, last := c.rowsOfRank(ranks - 1)
		totals[seed] = float64(before + last)
		_, count := c.rowsOfRank(3)
		firsts[seed] = float64(count)
	}
	if mean, deviation,
		_ := moments(totals); math.Abs(mean-10000) > 30 || math.Abs(deviation-100*math.Sqrt(10)) > 15 {
		t.Errorf("totals of 10 counts: mean %v, deviation %v", mean, deviation)
	}
	if mean, deviation, _ := moments(firsts); math.Abs(mean-1000) > 10 || math.Abs(deviation-100) > 5 {
		t.Errorf("counts: mean %v, deviation %v", mean, deviation)
	}
}

func TestCountsThatWouldBeNegativeAreNone(t *testing.T) {
	const ranks = 20_000
	all := counts(t, normalCounts(t, ranks, 10, 12, 1), ranks)
	none := 0
	for _, n := range all {
		if n > 1000 {
			t.Fatalf("a count of %v", n)
		}
		if n == 0 {
			none++
		}
	}
	if mean, _, _ := moments(all); math.Abs(mean-10) > 1 || none < ranks/20 {
		t.Errorf("mean %v, %d processes without rows", mean, none)
	}
}

func TestNormalCountsWithoutAMeanDealAllRows(t *testing.T) {
	const ranks, rows = 10_000, 5_000_000
	c, err := Rule{Counts: NormalCounts, Deviation: 50, Seed: 2}.newRowCounter(ranks, rows)
	if err != nil {
		t.Fatal(err)
	}
	all := counts(t, c, ranks)
	if mean, deviation, _ := moments(all); math.Abs(mean-500) > 1e-6 || math.Abs(deviation-50) > 2 {
		t.Errorf("mean %v, deviation %v", mean, deviation)
	}
	if _, err := (Rule{Counts: NormalCounts, Deviation: 50}).newRowCounter(ranks, 1<<62); err == nil {
		t.Error("2^62 rows are dealt")
	}
}

func TestACountNeedsALogarithmOfDraws(t *testing.T) {
	for _, ranks := range []uint64{1, 2, 3, 100, 1_000_000, 1 << 40} {
		draws := 0
		c := normalCounter{ranks, 0, 1000, 10, func(first, n uint64) float64 {
			draws++
			return normalDeviate(1, first, n)
		}}
		_, _ = c.rowsOfRank(ranks - 1)
		if most := 1 + bits.Len64(ranks-1); draws > most {
			t.Errorf("%d processes: %d draws for a count, want at most %d", ranks, draws, most)
		}
	}
}

func TestRunsOfAMapAreGeometric(t *testing.T) {
	const mean = 6
	part, err := Rule{Name: MapRule, Length: mean, Seed: 1}.Selection([]uint64{mean * runsPerCell * 20_000}, 1, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	var lengths []float64
	ones := 0.0
	_, runs := part.Boxes()
	for _, n := range runs {
		lengths = append(lengths, float64(n))
		if n == 1 {
			ones++
		}
	}
	average, deviation, correlation := moments(lengths)
	// The sum of the lengths of a cell is given: so a length has a smaller deviation than √(mean(mean-1)) = 5.48, and
	// 1 is as likely as the last place without a cut beside it, (n-1)/(N-1) = 15/95.
	want := math.Sqrt(mean * (mean - 1) * 15.0 / 17)
	if math.Abs(average-mean) > 1e-6 || math.Abs(deviation-want) > 0.05 || math.Abs(correlation+1.0/15) > 0.02 {
		t.Errorf("lengths: mean %v, deviation %v, want %v, correlation %v", average, deviation, want, correlation)
	}
	if share := ones / float64(len(lengths)); math.Abs(share-15.0/95) > 0.005 {
		t.Errorf("%v of the runs have one element, want %v", share, 15.0/95)
	}
}
