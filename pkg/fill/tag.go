// Package fill makes buffer content that names its place, and checks it.
//
// Content is made in two layers. The pool that all transfer buffers lie in is filled once (Data.Fill): with words that do
// not repeat, so that nothing can be compressed or deduplicated, or as other kinds of data want it. On top of that, in data
// that are stamped, every grain of a run (a stretch of at most 4096 bytes, counted from the start of the run) begins with
// who wrote it and where in the file it belongs. A stamp can be undone, so a block that is found in the wrong place tells
// where it came from; data without stamps can be verified too, but only tell that they are not what was written.
//
// The package is pure: no I/O, no clock, no cgo. The transfer loops in C set the same stamps (h5perf_kernel.h).
package fill

import "encoding/binary"

const (
	rankBits      = 22
	fileBits      = 14
	iterationBits = 16
	runBits       = 12
)

// Tag is who wrote a block.
type Tag struct {
	Run, Iteration, File, Rank int
}

// Pack makes a word of a tag: from the highest bit, 12 bits of Run, 16 of Iteration, 14 of File and 22 of Rank. Greater
// numbers wrap: writers whose numbers are equal modulo these powers of two cannot be told apart.
func (t Tag) Pack() uint64 {
	word := field(t.Run, runBits)
	word = word<<iterationBits | field(t.Iteration, iterationBits)
	word = word<<fileBits | field(t.File, fileBits)
	return word<<rankBits | field(t.Rank, rankBits)
}

// Unpack is the tag that Pack made a word of, its numbers wrapped.
func Unpack(word uint64) Tag {
	rank := int(word % (1 << rankBits))
	word >>= rankBits
	file := int(word % (1 << fileBits))
	word >>= fileBits
	return Tag{
		Run: int(word >> iterationBits), Iteration: int(word % (1 << iterationBits)), File: file, Rank: rank,
	}
}

// Writer is who wrote a grain that begins with a whole stamp, of 16 bytes.
func Writer(grain []byte) Tag {
	return Unpack(unmix(binary.LittleEndian.Uint64(grain[stampBytes/2:])))
}

func field(value, bits int) uint64 { return uint64(value) % (1 << bits) }
