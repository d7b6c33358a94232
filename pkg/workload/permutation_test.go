package workload

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestAPermutationHasEachNumberOnce(t *testing.T) {
	sizes := []uint64{1 << 16, 1<<16 + 1, 99_991, 1_000_000}
	for n := range uint64(300) {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		p := NewPermutation(n, n)
		seen := make([]bool, n)
		for i := range n {
			v := p.At(i)
			if v >= n || seen[v] {
				t.Fatalf("%d numbers: place %d has %d, which is too large or was there before", n, i, v)
			}
			seen[v] = true
		}
	}
}

func TestAPermutationOfAllNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []uint64{math.MaxUint64, math.MaxUint64 - 5, 1 << 63, 1<<53 + 1, 1<<32 + 1, 1 << 32} {
		p, places := NewPermutation(n, 3), map[uint64]uint64{}
		for range 1000 {
			i := r.Uint64N(n)
			v := p.At(i)
			if other, is := places[v]; v >= n || is && other != i {
				t.Fatalf("%d numbers: place %d has %d, which is too large or at place %d, too", n, i, v, other)
			}
			places[v] = i
		}
	}
}

// With n numbers, each number is at each position for 1/n of the seeds.
func TestAllPlacesAreEquallyLikely(t *testing.T) {
	const seeds = 20000
	for _, n := range []uint64{2, 3, 5, 12} {
		for i := range n {
			times := make([]float64, n)
			for seed := range uint64(seeds) {
				times[NewPermutation(n, seed).At(i)]++
			}
			mean := float64(seeds) / float64(n)
			for v, k := range times {
				if math.Abs(k-mean) > 6*math.Sqrt(mean) {
					t.Errorf("%d numbers: %d is at place %d for %v of %d seeds", n, v, i, k, seeds)
				}
			}
		}
	}
}

func TestNeighboursAreApart(t *testing.T) {
	const n = 100_000
	p := NewPermutation(n, 1)
	var sum float64
	for i := range uint64(n - 1) {
		sum += math.Abs(float64(p.At(i+1)) - float64(p.At(i)))
	}
	if mean := sum / (n - 1) / n; math.Abs(mean-1.0/3) > 0.01 { // expected difference of two uniform numbers
		t.Errorf("neighbours differ by %v of the numbers, want a third", mean)
	}
}
