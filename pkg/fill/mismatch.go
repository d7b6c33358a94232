package fill

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// MismatchKind says what is wrong with a grain.
type MismatchKind int

// The kinds of mismatch.
const (
	Foreign    MismatchKind = iota // none of the other kinds
	Flipped                        // a few bits differ
	Zeroed                         // the grain, or the part that differs, is all zeros
	Unread                         // the read left what Poison had written
	OtherRank                      // the block of another process of this run, iteration and file
	Stale                          // the block of another run, iteration or file
	OtherPlace                     // a block of this process that belongs elsewhere in the file
)

// Mismatch describes a grain that differs from the data that were written.
type Mismatch struct {
	Offset     uint64 // offset in the file of the first byte that differs
	Length     uint64 // number of bytes from there to the last byte of the grain that differs
	Kind       MismatchKind
	Bits       int    // Flipped: number of bits that differ
	Writer     Tag    // OtherRank, Stale, OtherPlace: writer of the block that was found
	HomeOffset uint64 // OtherRank, Stale, OtherPlace: offset in the file where that block belongs
}

func (m Mismatch) String() string {
	return fmt.Sprintf("%d bytes at offset %d: %s", m.Length, m.Offset, m.reasonText())
}

func (m Mismatch) reasonText() string {
	switch m.Kind {
	case Flipped:
		if m.Bits == 1 {
			return "1 bit differs"
		}
		return fmt.Sprintf("%d bits differ", m.Bits)
	case Zeroed:
		return "zeroed"
	case Unread:
		return "not read: the buffer is unchanged"
	case OtherRank:
		return fmt.Sprintf("the block of rank %d for offset %d", m.Writer.Rank, m.HomeOffset)
	case Stale:
		return fmt.Sprintf("a stale block: run %d, iteration %d, file %d, rank %d, offset %d",
			m.Writer.Run, m.Writer.Iteration, m.Writer.File, m.Writer.Rank, m.HomeOffset)
	case OtherPlace:
		return fmt.Sprintf("the block of offset %d", m.HomeOffset)
	default:
		return "unknown data"
	}
}

// diagnose describes what is wrong with a grain at an offset of the file. got and want must differ.
func (t Transfer) diagnose(got, want []byte, offset uint64) Mismatch {
	first, last := differentRange(got, want)
	m := Mismatch{Offset: offset + uint64(first), Length: uint64(last - first + 1)}
	flips := numFlippedBits(got, want)
	part := got[first : last+1]
	switch {
	case containsOnly(got, 0):
		m.Kind = Zeroed
	case containsOnly(got, poisonByte):
		m.Kind = Unread
	case flips <= max(1, min(8, len(got)/2)): // a wrong stamp differs in half of its bits
		m.Kind, m.Bits = Flipped, flips
	case t.Data.stamped && m.traceWriter(got, t.Tag, offset):
	case containsOnly(part, 0):
		m.Kind = Zeroed
	case containsOnly(part, poisonByte):
		m.Kind = Unread
	}
	return m
}

// traceWriter reports whether the stamp of a grain shows who wrote it, and at which offset. If so, it sets Kind, Writer
// and HomeOffset of the mismatch.
func (m *Mismatch) traceWriter(got []byte, tag, offset uint64) bool {
	for _, c := range possibleOrigins(got, tag, offset) {
		if c == (stampOrigin{tag, offset}) || c.offset > max(offset, maxOffset) {
			continue
		}
		m.Writer, m.HomeOffset = UnpackTag(c.tag), c.offset
		own, other := UnpackTag(tag), m.Writer
		other.Rank = own.Rank
		switch {
		case other != own:
			m.Kind = Stale
		case m.Writer.Rank != own.Rank:
			m.Kind = OtherRank
		default:
			m.Kind = OtherPlace
		}
		return true
	}
	return false
}

// maxOffset is an offset beyond every file of a benchmark (64 TiB). If random bytes are mistaken for a stamp, they give
// a smaller offset with a probability of 1 in 2^18.
const maxOffset = 1 << 46

// stampOrigin is the writer and the offset that a stamp encodes.
type stampOrigin struct{ tag, offset uint64 }

// possibleOrigins returns the pairs of writer and offset whose stamp may be at the start of a grain. A complete stamp
// of 16 bytes determines one pair. From 8 to 15 bytes, only one of the two values can be computed from the other, so it
// returns two guesses: the expected writer with the computed offset, and the expected offset with the computed writer,
// which must belong to this run. From fewer than 8 bytes, nothing can be computed.
func possibleOrigins(got []byte, tag, offset uint64) []stampOrigin {
	if len(got) < 8 {
		return nil
	}
	inner := unmixBits(binary.LittleEndian.Uint64(got)) // offset ^ mixBits(tag)
	if len(got) >= stampBytes {
		second := binary.LittleEndian.Uint64(got[8:])
		return []stampOrigin{{unmixBits(second), inner ^ second}}
	}
	candidates := []stampOrigin{{tag, inner ^ mixBits(tag)}}
	if writer := unmixBits(inner ^ offset); UnpackTag(writer).Run == UnpackTag(tag).Run {
		candidates = append(candidates, stampOrigin{writer, offset})
	}
	var fits []stampOrigin
	for _, c := range candidates {
		probe := make([]byte, len(got))
		writeStamp(probe, c.tag, c.offset)
		if bytes.Equal(probe, got) {
			fits = append(fits, c)
		}
	}
	return fits
}

// differentRange returns the first and the last index at which two slices differ. They must have the same length and
// must not be equal.
func differentRange(got, want []byte) (first, last int) {
	for got[first] == want[first] {
		first++
	}
	last = len(got) - 1
	for got[last] == want[last] {
		last--
	}
	return first, last
}

// numFlippedBits returns the number of bits that differ. Both slices must have the same length.
func numFlippedBits(got, want []byte) int {
	n := 0
	for i := range got {
		n += bits.OnesCount8(got[i] ^ want[i])
	}
	return n
}

// containsOnly reports whether all bytes of a slice have the given value.
func containsOnly(b []byte, value byte) bool {
	return bytes.Count(b, []byte{value}) == len(b)
}
