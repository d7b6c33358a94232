package workload

import (
	"math/rand/v2"
	"testing"
)

// A rangeMap returns for each number the value that was set last.
func TestSpansTellWhatWasSetLast(t *testing.T) {
	const numbers = 40
	draw := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var s rangeMap[int]
		var want [numbers]int
		for range 30 {
			from := draw.Uint64N(numbers)
			to, value := from+draw.Uint64N(numbers-from+1), draw.IntN(3)
			s.setRange(from, to, value)
			for i := from; i < to; i++ {
				want[i] = value
			}
			from = draw.Uint64N(numbers)
			to = from + draw.Uint64N(numbers-from+1)
			at := from
			for n := range s.rangesWithin(from, to) {
				if n.from != at || n.to <= n.from {
					t.Fatalf("a stretch from %d to %d after %d", n.from, n.to, at)
				}
				for ; at < n.to; at++ {
					if n.value != want[at] {
						t.Fatalf("%d is %d, want %d", at, n.value, want[at])
					}
				}
			}
			if at != to {
				t.Fatalf("stretches end at %d, want %d", at, to)
			}
			for i := 1; i < len(s.all); i++ {
				if a, b := s.all[i-1], s.all[i]; a.to > b.from || a.to == b.from && a.value == b.value {
					t.Fatalf("stretches %v and %v", a, b)
				}
			}
		}
	}
}
