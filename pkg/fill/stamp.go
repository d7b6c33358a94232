package fill

import "encoding/binary"

// stampBytes is the size of a complete stamp. A smaller grain holds only its first bytes.
const stampBytes = 16

// StampDistance returns the distance between stamps in a run, in bytes: the size of a block, but at most 4096.
func StampDistance(block uint64) uint64 { return min(block, 4096) }

// StampsInLoop reports whether the transfer loop stamps the data that it writes. Blocks smaller than a stamp are not
// stamped in the loop, where stamping would take as long as the transfer, but before it (Transfer.Stamp).
func (d Data) StampsInLoop(block uint64) bool { return d.stamped && block >= stampBytes }

// StampsBefore reports whether data must be stamped before the transfer loop starts, because the loop does not stamp
// them.
func (d Data) StampsBefore(block uint64) bool { return d.stamped && !d.StampsInLoop(block) }

// Transfer describes the content of the buffer of one transfer. The buffer holds the runs of the transfer, one after
// the other.
type Transfer struct {
	Data       Data
	Seed       uint64                  // seed of the pool
	PoolOffset uint64                  // offset in the pool at which the buffer begins, in bytes
	Tag        uint64                  // writer, as Tag.Pack returns it
	Offset     func(run uint64) uint64 // returns the offset of a run in the file
	RunBytes   uint64                  // size of a run
	Grain      uint64                  // distance between stamps; see the function Grain
}

// Stamp stamps a buffer that is part of a filled pool. It does nothing if the data are not stamped.
func (t Transfer) Stamp(buf []byte) {
	if !t.Data.stamped {
		return
	}
	t.eachGrain(buf, func(grain []byte, _, offset uint64) bool {
		writeStamp(grain, t.Tag, offset)
		return true
	})
}

// eachGrain calls yield for each grain of a buffer, with its offsets in the buffer and in the file, until yield returns
// false.
func (t Transfer) eachGrain(buf []byte, yield func(grain []byte, pos, offset uint64) bool) {
	for run := uint64(0); run*t.RunBytes < uint64(len(buf)); run++ {
		start, offset := run*t.RunBytes, t.Offset(run)
		for p := uint64(0); p < t.RunBytes; p += t.Grain {
			end := min(p+t.Grain, t.RunBytes)
			if !yield(buf[start+p:start+end], start+p, offset+p) {
				return
			}
		}
	}
}

// writeStamp writes the stamp of an offset to the start of a grain: the little-endian words mixBits(offset ^
// mixBits(tag)) and mixBits(tag), or as many of their bytes as fit.
func writeStamp(grain []byte, tag, offset uint64) {
	if len(grain) >= stampBytes {
		second := mixBits(tag)
		binary.LittleEndian.PutUint64(grain, mixBits(offset^second))
		binary.LittleEndian.PutUint64(grain[8:], second)
		return
	}
	var whole [stampBytes]byte
	writeStamp(whole[:], tag, offset)
	copy(grain, whole[:])
}
