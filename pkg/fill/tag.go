// Package fill fills buffers with data that tell their place in the file, and checks what was read.
//
// Content has two layers. Data.Fill fills the pool of memory that holds all transfer buffers once. By default its words
// do not repeat, so that nothing can be compressed or deduplicated. On top of that, every grain of stamped data begins
// with a stamp: its writer, and its offset in the file. A grain is a part of a run of at most 4096 bytes, counted from
// the start of the run. A stamp can be decoded, so a block at the wrong place shows where it came from. Data without
// stamps can be verified too, but show only that they differ from the data that were written.
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

// Tag identifies the writer of a block.
type Tag struct {
	Run, Iteration, File, Rank int
	FromCachedPool             bool // written from a pool that stays in a cache of the processor
}

// Pack returns the tag as one word: from the highest bit, 12 bits of Run, 1 of FromCachedPool, 15 of Iteration, 14 of
// File and 22 of Rank. It keeps only the lowest bits of a larger number, so writers that differ only in higher bits
// have the same word.
func (t Tag) Pack() uint64 {
	word := lowestBits(t.Run, runBits) << hotBits
	if t.FromCachedPool {
		word |= 1
	}
	word = word<<iterationBits | lowestBits(t.Iteration, iterationBits)
	word = word<<fileBits | lowestBits(t.File, fileBits)
	return word<<rankBits | lowestBits(t.Rank, rankBits)
}

// UnpackTag returns the tag that Pack has encoded in a word; its numbers have only the bits that Pack kept.
func UnpackTag(word uint64) Tag {
	rank := int(word % (1 << rankBits))
	word >>= rankBits
	file := int(word % (1 << fileBits))
	word >>= fileBits
	iteration := int(word % (1 << iterationBits))
	word >>= iterationBits
	return Tag{Run: int(word >> hotBits), FromCachedPool: word%2 == 1, Iteration: iteration, File: file, Rank: rank}
}

// WriterOf returns the writer of a grain. The grain must begin with a complete stamp of 16 bytes.
func WriterOf(grain []byte) Tag {
	return UnpackTag(unmixBits(binary.LittleEndian.Uint64(grain[stampBytes/2:])))
}

// lowestBits returns the lowest bits of value; bits is their number.
func lowestBits(value, bits int) uint64 { return uint64(value) % (1 << bits) }
