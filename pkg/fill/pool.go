package fill

import (
	"encoding/binary"
	"math/bits"
)

// wordStep is the difference between the arguments of mixBits for neighbouring words: 2^64 divided by the golden ratio,
// made odd. Words repeat only after 2^64 words.
const wordStep = 0x9e3779b97f4a7c15

// writeWords writes to dst the bytes of a pool at offset at and after it. The words of the pool do not repeat: word i
// is mixBits(seed + i × wordStep), little-endian.
func writeWords(dst []byte, seed, at uint64) {
	z := seed + at/8*wordStep
	if skip := at % 8; skip > 0 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], mixBits(z))
		dst = dst[copy(dst, word[skip:]):]
		z += wordStep
	}
	for ; len(dst) >= 8; dst = dst[8:] {
		binary.LittleEndian.PutUint64(dst, mixBits(z))
		z += wordStep
	}
	if len(dst) > 0 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], mixBits(z))
		copy(dst, word[:])
	}
}

// nonzeroBits has the lowest bit of each byte set. A word with these bits set has no zero byte.
const nonzeroBits = 0x0101010101010101

// writeRepeated writes to dst the bytes, at offset at and after it, of a pool that repeats one word.
func writeRepeated(dst []byte, word, at uint64) {
	word = bits.RotateLeft64(word, -8*int(at%8))
	for ; len(dst) >= 8; dst = dst[8:] {
		binary.LittleEndian.PutUint64(dst, word)
	}
	for i := range dst {
		dst[i] = byte(word >> (8 * i))
	}
}

// poisonByte is the value to which bytes of memory are set before a read.
const poisonByte = 0xdb

// Poison fills a buffer before a read that is verified, so that bytes that the read leaves out are detected.
func Poison(buf []byte) {
	for i := range buf {
		buf[i] = poisonByte
	}
}

// mixBits maps each word to a different word (it is a bijection). Every bit of the result depends on every bit of the
// word. It is the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), and the same as h5perf_mix in C.
func mixBits(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unmixBits is the inverse of mixBits. Its factors are the inverses of those of mixBits modulo 2^64.
func unmixBits(z uint64) uint64 {
	z = (z ^ z>>31 ^ z>>62) * 0x319642b2d24d8ec3
	z = (z ^ z>>27 ^ z>>54) * 0x96de1b173f119089
	return z ^ z>>30 ^ z>>60
}
