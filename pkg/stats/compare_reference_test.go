package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"h5perf/pkg/stats"
)

// fallen draws a tree in which all series fall at a night and stay there. The reference is the first nights.
func fallen(w world, rng *rand.Rand, first, night int, ratio float64) (tree stats.SearchResult, reference []int) {
	for i := range first {
		reference = append(reference, i)
	}
	return stats.Search(w.draw(rng, night, ratio, all), stats.NewBudget(0.05), 1, 0.95), reference
}

func TestWhatFellStaysBelowItsReference(t *testing.T) {
	w := world{series: 9, nights: 70, shared: 0.03, own: 0.04, likeBefore: 0.3, outliers: 0.03}
	rng := rand.New(rand.NewPCG(61, 62))
	for range 20 {
		tree, reference := fallen(w, rng, 7, 28, 0.8) // the fall was six weeks ago
		d, ok := tree.Groups[0].CompareWithReference(reference, 0.95)
		if !ok || d.P > 0.01 || d.High > 0.95 || d.Ratio < 0.7 || d.Ratio > 0.9 {
			t.Errorf("all: %+v, %v", d, ok)
		}
		for _, leaf := range tree.Leaves {
			if d, ok := leaf.CompareWithReference(reference, 0.95); !ok || d.Ratio < 0.65 || d.Ratio > 0.95 {
				t.Errorf("%v: %+v, %v", leaf.Groups, d, ok)
			}
		}
	}
}

// An unchanged tree differs from its reference, of one night or of many, at most as often as the level allows.
func TestReferencesOfUnchangedTreesHold(t *testing.T) {
	for _, w := range worlds {
		if w.series > 30 {
			continue
		}
		trees := trials(60)
		rng := rand.New(rand.NewPCG(63, 64))
		for _, first := range []int{1, 5} {
			wrong, judged := 0, 0
			for range trees {
				tree, reference := fallen(w, rng, first, w.nights, 1)
				if len(tree.Groups) == 0 {
					continue
				}
				d, ok := tree.Groups[0].CompareWithReference(reference, 0.95)
				if !ok {
					continue
				}
				judged++
				if d.P <= 0.05 {
					wrong++
				}
			}
			share := float64(wrong) / float64(judged)
			t.Logf("%v, reference of %d: %.3f of %d", w, first, share, judged)
			if atLeast(wrong, judged, 0.06) < 0.01 {
				t.Errorf("%v, reference of %d: %d of %d differ", w, first, wrong, judged)
			}
		}
	}
}

func TestAReferenceNeedsNightsOfBoth(t *testing.T) {
	values := make([]float64, 12)
	for i := range values {
		values[i] = 1e9 * (1 + 0.01*float64(i*5%12))
	}
	tree := stats.Search([]stats.Leaf{{Values: values}}, stats.NewBudget(0.05), 1, 0.95)
	leaf := tree.Leaves[0]
	for name, reference := range map[string][]int{
		"none": nil, "all": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, "others": {77},
	} {
		if d, ok := leaf.CompareWithReference(reference, 0.95); ok {
			t.Errorf("%s: %+v", name, d)
		}
	}
	d, ok := leaf.CompareWithReference([]int{0}, 0.95)
	if !ok || d.N != [2]int{1, 11} || d.Low > d.Ratio || d.High < d.Ratio || math.IsNaN(d.P) {
		t.Errorf("%+v, %v", d, ok)
	}
	short := stats.Search([]stats.Leaf{{Values: values[:9]}}, stats.NewBudget(0.05), 1, 0.95).Leaves[0]
	if d, ok := short.CompareWithReference([]int{0}, 0.95); ok {
		t.Errorf("of 9 nights: %+v", d)
	}
}

// Values before the reference are not compared with it.
func TestThePresentIsAfterTheReference(t *testing.T) {
	values := make([]float64, 30)
	for i := range values {
		values[i] = 1e9 * (1 + 0.01*float64(i*5%12))
		if i >= 15 {
			values[i] *= 0.8
		}
	}
	leaf := stats.Search([]stats.Leaf{{Values: values}}, stats.NewBudget(0.05), 1, 0.95).Leaves[0]
	var reference []int
	for night := 10; night < 30; night++ {
		reference = append(reference, night)
	}
	if d, ok := leaf.CompareWithReference(reference, 0.95); ok {
		t.Errorf("no night is after the reference: %+v", d)
	}
	if d, ok := leaf.CompareWithReference(reference[:10], 0.95); !ok || d.N != [2]int{10, 10} || d.Ratio > 1 {
		t.Errorf("%+v, %v", d, ok)
	}
}
