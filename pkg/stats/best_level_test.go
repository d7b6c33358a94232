package stats_test

import (
	"slices"
	"testing"

	"h5perf/pkg/stats"
)

// levelled returns a series with levels of the given lengths and heights.
func levelled(lengths []int, heights []float64) (values []float64) {
	for i, n := range lengths {
		for k := range n {
			values = append(values, heights[i]*(1+0.002*float64(k*3%7)))
		}
	}
	return values
}

func TestBestEarlierLevel(t *testing.T) {
	for name, c := range map[string]struct {
		lengths     []int
		heights     []float64
		first, last int // nights of the level; -1 if there is none
	}{
		"no change":             {[]int{30}, []float64{1}, -1, -1},
		"one fall":              {[]int{20, 20}, []float64{1, 0.7}, 0, 19},
		"one rise":              {[]int{20, 20}, []float64{0.7, 1}, 0, 19},
		"the second is highest": {[]int{20, 20, 20}, []float64{0.8, 1, 0.7}, 20, 39},
		"the first is highest":  {[]int{20, 20, 20}, []float64{1, 0.7, 0.85}, 0, 19},
		"the last is highest":   {[]int{20, 20, 20}, []float64{0.8, 0.7, 1}, 0, 19},
	} {
		tree := stats.Search([]stats.Leaf{{Values: levelled(c.lengths, c.heights)}}, stats.NewBudget(0.05), 1, 0.95)
		nights := tree.Leaves[0].BestEarlierLevel()
		switch {
		case c.first < 0 && nights == nil:
		case c.first < 0 || nights == nil || nights[0] != c.first || slices.Max(nights) != c.last:
			t.Errorf("%s: nights %v, want %d to %d", name, nights, c.first, c.last)
		}
	}
	// A level of 5 nights is too short.
	for length, want := range map[int]int{5: 20, 6: 6} {
		b := stats.Branch{
			Values:  levelled([]int{20, length, 20}, []float64{0.8, 1, 0.7}),
			Changes: []stats.ChangePoint{stats.SuddenChange(20), stats.SuddenChange(20 + length)},
		}
		for night := range b.Values {
			b.Nights = append(b.Nights, night)
		}
		if nights := b.BestEarlierLevel(); len(nights) != want {
			t.Errorf("a highest level of %d nights: nights %v, want %d", length, nights, want)
		}
	}
}
