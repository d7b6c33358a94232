package workload

import (
	"math"
	"math/bits"
	"slices"
)

// Permutation is a permutation of the numbers below n that needs no memory: each number is computed on its own.
//
// It is the generalised Feistel network of J. Black, P. Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002,
// where both halves are numbers below a = ⌈√n⌉, and additions are modulo a. The network permutes a² numbers. If a
// result is n or more, the network is applied to it again, until the result is below n (cycle walking, from the same
// paper). Fewer than 2√n + 1 of the a² numbers are n or more, so this is rarely needed. The permutation is for
// shuffling, not for cryptography.
type Permutation struct {
	n, side uint64
	keys    [6]uint64 // one for each round
}

// NewPermutation returns the permutation of the numbers below n for a seed.
func NewPermutation(n, seed uint64) Permutation {
	p := Permutation{n: n, side: ceilSquareRoot(n)}
	for i := range p.keys {
		p.keys[i] = randomNumber(seed, seedForRounds, uint64(i))
	}
	return p
}

// ceilSquareRoot returns the smallest number whose square is n or more.
func ceilSquareRoot(n uint64) uint64 {
	a := uint64(math.Sqrt(float64(n)))
	enough := func(a uint64) bool {
		over, square := bits.Mul64(a, a)
		return over != 0 || square >= n
	}
	for a > 0 && enough(a-1) {
		a--
	}
	for !enough(a) {
		a++
	}
	return a
}

// At returns the number at position i. Both are below n.
func (p Permutation) At(i uint64) uint64 {
	for {
		left, right := i/p.side, i%p.side
		for _, key := range p.keys {
			left, right = right, (left+p.roundFunction(key, right))%p.side
		}
		if i = left*p.side + right; i < p.n {
			return i
		}
	}
}

// numbersOfRank returns the numbers of a process, in ascending order. The n positions from first on are dealt to the
// processes as evenly as possible.
func (p Permutation) numbersOfRank(first, n, rank, ranks uint64) []uint64 {
	from, to := EvenShare(n, rank, ranks)
	own := make([]uint64, 0, to-from)
	for i := from; i < to; i++ {
		own = append(own, p.At(first+i))
	}
	slices.Sort(own)
	return own
}

// roundFunction is the round function of the Feistel network. Its value is below side.
func (p Permutation) roundFunction(key, half uint64) uint64 { return randomNumber(key, half) % p.side }
