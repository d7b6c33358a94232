package fill

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

func TestMixAgreesWithSplitMix64(t *testing.T) {
	// The first outputs of SplitMix64 seeded with 0.
	const gamma = 0x9e3779b97f4a7c15
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := mixBits(uint64(i+1) * gamma); got != want {
			t.Errorf("output %d is %#x, want %#x", i, got, want)
		}
	}
}

func TestUnmixUndoesMix(t *testing.T) {
	for range 1000 {
		z := rand.Uint64()
		if got := unmixBits(mixBits(z)); got != z {
			t.Fatalf("unmix(mix(%#x)) = %#x", z, got)
		}
	}
}

func TestFillPutsWordsOfTheSeed(t *testing.T) {
	pool := make([]byte, 8*100)
	Position.Fill(pool, 42)
	for i := range uint64(100) {
		if got, want := binary.LittleEndian.Uint64(pool[8*i:]), mixBits(42+i*wordStep); got != want {
			t.Fatalf("word %d is %#x, want %#x", i, got, want)
		}
	}
}

func TestFillDoesNotRepeat(t *testing.T) {
	pool := make([]byte, 1<<20)
	Position.Fill(pool, 7)
	seen := map[uint64]bool{}
	for ; len(pool) > 0; pool = pool[8:] {
		word := binary.LittleEndian.Uint64(pool)
		if seen[word] {
			t.Fatalf("word %#x comes twice", word)
		}
		seen[word] = true
	}
}

func BenchmarkFill(b *testing.B) {
	pool := make([]byte, 8<<20)
	b.SetBytes(int64(len(pool)))
	for b.Loop() {
		Position.Fill(pool, 1)
	}
}
