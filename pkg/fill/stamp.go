package fill

import "encoding/binary"

// stampBytes is the size of a whole stamp; in a smaller grain it is cut short.
const stampBytes = 16

// Grain is the distance of the stamps in a run of blocks: the block, but not more than 4096 bytes.
func Grain(block uint64) uint64 { return min(block, 4096) }

// InLoop tells whether the transfer loop stamps what it writes. In blocks smaller than a stamp that would cost as much as
// the transfer, so they are stamped before it (Transfer.Stamp).
func (d Data) InLoop(block uint64) bool { return d.stamped && block >= stampBytes }

// Before tells whether there is something to stamp before a transfer.
func (d Data) Before(block uint64) bool { return d.stamped && !d.InLoop(block) }

// Transfer is what the buffer of one transfer holds: the runs one behind the other.
type Transfer struct {
	Data     Data
	Seed     uint64                  // of the pool
	At       uint64                  // the byte of the pool at which the buffer begins
	Tag      uint64                  // who writes
	Offset   func(run uint64) uint64 // of each run, in the file
	RunBytes uint64
	Grain    uint64
}

// Stamp stamps a buffer that is part of a filled pool, where its data are stamped.
func (t Transfer) Stamp(buf []byte) {
	if !t.Data.stamped {
		return
	}
	t.grains(buf, func(grain []byte, _, offset uint64) bool {
		stamp(grain, t.Tag, offset)
		return true
	})
}

// grains calls yield for each grain of a buffer, with its place in the buffer and in the file, until it returns false.
func (t Transfer) grains(buf []byte, yield func(grain []byte, pos, offset uint64) bool) {
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

// stamp writes the stamp of a place to the start of a grain: two little-endian words, mix(offset ^ mix(tag)) and
// mix(tag), as many bytes of them as there is room for.
func stamp(grain []byte, tag, offset uint64) {
	if len(grain) >= stampBytes {
		second := mix(tag)
		binary.LittleEndian.PutUint64(grain, mix(offset^second))
		binary.LittleEndian.PutUint64(grain[8:], second)
		return
	}
	var whole [stampBytes]byte
	stamp(whole[:], tag, offset)
	copy(grain, whole[:])
}
