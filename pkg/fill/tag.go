// Package fill fills buffers with data that tell their place in the file, and checks what was read.
//
// Content has two layers. The pool of memory that holds all transfer buffers is filled once (Data.Fill),
// with words that do not repeat, so that nothing can be compressed or deduplicated, or with content of
// another kind. On top of that, every grain of stamped data begins with a stamp: who wrote it, and where in
// the file it belongs. A grain is a stretch of at most 4096 bytes of a run, counted from the start of the
// run. A stamp can be decoded, so a block found in the wrong place shows where it came from. Data without
// stamps can be verified too, but show only that they are not what was written.
//
// The package is pure: no I/O, no clock, no cgo. The transfer loops in C write the same stamps
// (h5perf_kernel.h).
package fill

import "encoding/binary"

const (
	rankBits      = 22
	fileBits      = 14
	iterationBits = 15
	hotBits       = 1
	runBits       = 12
)

// Tag identifies who wrote a block.
type Tag struct {
	Run, Iteration, File, Rank int
	Hot                        bool // from a pool that stays in a cache of the processor
}

// Pack returns the tag as one word: from the highest bit, 12 bits of Run, one of Hot, 15 of Iteration, 14 of File
// and 22 of Rank. Each number is taken modulo its power of two. Writers whose numbers are equal modulo these
// cannot be distinguished.
func (t Tag) Pack() uint64 {
	word := lowestBits(t.Run, runBits) << hotBits
	if t.Hot {
		word |= 1
	}
	word = word<<iterationBits | lowestBits(t.Iteration, iterationBits)
	word = word<<fileBits | lowestBits(t.File, fileBits)
	return word<<rankBits | lowestBits(t.Rank, rankBits)
}

// UnpackTag returns the tag of a word that Pack returned, with its numbers modulo the powers of two.
func UnpackTag(word uint64) Tag {
	rank := int(word % (1 << rankBits))
	word >>= rankBits
	file := int(word % (1 << fileBits))
	word >>= fileBits
	iteration := int(word % (1 << iterationBits))
	word >>= iterationBits
	return Tag{Run: int(word >> hotBits), Hot: word%2 == 1, Iteration: iteration, File: file, Rank: rank}
}

// WriterOf returns who wrote a grain. The grain must begin with a complete stamp of 16 bytes.
func WriterOf(grain []byte) Tag {
	return UnpackTag(unmixBits(binary.LittleEndian.Uint64(grain[stampBytes/2:])))
}

// lowestBits returns the lowest bits of a value.
func lowestBits(value, bits int) uint64 { return uint64(value) % (1 << bits) }
