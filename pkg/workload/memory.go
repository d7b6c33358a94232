package workload

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// pageBytes is the size of a page of memory. The buffers of a move begin at the start of a page, as O_DIRECT wants it.
// Buffers smaller than smallBytes, for which there is no O_DIRECT, begin at multiples of lineBytes, the size of a line
// of a processor's cache: a program may have very many.
const (
	pageBytes  = 4096
	smallBytes = 512
	lineBytes  = 64
)

// roundUp returns the smallest multiple of unit that is at least n.
func roundUp(n, unit uint64) uint64 { return (n + unit - 1) / unit * unit }

// PlaceBuffers places the buffers of all moves in one block of memory. It returns the offset in bytes and the number of
// slots for each move, and the size of the block in bytes. A section is a dump, or the steps before or after all dumps.
// A move has one slot for each dataset that it transfers in a section. So all data of a section can be generated before
// the section, and compared after it. Moves that are in no common section may share memory.
func (p *Program) PlaceBuffers() (starts, slots []uint64, bytes uint64) {
	slots, sections := p.slotsOfMoves()
	starts = make([]uint64, len(p.Moves))
	ends := map[int]uint64{}
	for i := range p.Moves {
		slots[i] = max(1, slots[i])
		for _, section := range sections[i] {
			starts[i] = max(starts[i], ends[section])
		}
		unit := uint64(lineBytes)
		if p.Moves[i].Buffer.SlotBytes >= smallBytes {
			unit = pageBytes
		}
		starts[i] = roundUp(starts[i], unit)
		end := roundUp(starts[i]+slots[i]*p.Moves[i].Buffer.SlotBytes, unit)
		for _, section := range sections[i] {
			ends[section] = end
		}
		bytes = max(bytes, end)
	}
	return starts, slots, max(pageBytes, bytes) // at least one page, also if no move needs memory
}

// variableMemory returns the number of bytes in memory, besides buffers, of data with a variable length: HDF5 has their
// values there as an application gives them to it, and copies them once more. slots has the number of slots of each
// move.
func (p *Program) variableMemory(slots []uint64) (bytes uint64) {
	for i := range p.Moves {
		m := &p.Moves[i]
		if t := p.Objects[m.Object].Type; t.IsVariable() {
			bytes += slots[i] * m.Selection.NumElements() * (t.MemoryBytes() + 2*t.Bytes())
		}
	}
	return bytes
}

// slotsOfMoves returns, for each move, the number of slots that it needs so that datasets of a section do not share a
// slot, and the numbers of its sections.
func (p *Program) slotsOfMoves() (slots []uint64, sections [][]int) {
	slots, sections = make([]uint64, len(p.Moves)), make([][]int, len(p.Moves))
	number := 0
	section := func(epochs []Epoch) {
		type span struct{ first, end uint64 }
		spans := map[int]span{}
		for _, e := range epochs {
			for i := range e.Steps {
				b := &e.Steps[i].Batch
				if b.Class != Transfer {
					continue
				}
				for move := range b.Moves() {
					s, is := spans[move]
					if !is {
						s.first = b.First
						sections[move] = append(sections[move], number)
					}
					s = span{min(s.first, b.First), max(s.end, b.First+b.Count)}
					spans[move], slots[move] = s, max(slots[move], s.end-s.first)
				}
			}
		}
		number++
	}
	for i := range p.Parts {
		for _, epochs := range p.Parts[i].Sections() {
			section(epochs)
		}
	}
	return slots, sections
}

// maxBufferBytes is the largest accepted size of the buffers of a process, in bytes. No machine has so much memory for
// a process.
const maxBufferBytes = 1 << 40

// checkMemory returns a *Fault for the first move with which the buffers of a section exceed maxBufferBytes.
func (p *Program) checkMemory() error {
	slots, sections := p.slotsOfMoves()
	sizes := map[int]uint64{} // by section
	for i := range p.Moves {
		over, bytes := bits.Mul64(slots[i], p.Moves[i].Buffer.SlotBytes)
		if over != 0 {
			bytes = math.MaxUint64
		}
		for _, section := range sections[i] {
			if bytes <= maxBufferBytes-sizes[section] {
				sizes[section] += bytes
				continue
			}
			return &Fault{p.lineOfMove(i), fmt.Sprintf("the buffers of a rank for this transfer of %s, and for those "+
				"before it in the dump, are larger than the limit of %d TiB: select less, leave smaller margins and "+
				"gaps in memory, or transfer fewer datasets in a dump",
				p.PathOf(p.Moves[i].Object, 0), maxBufferBytes>>40)}
		}
	}
	return nil
}

// lineOfMove returns the line of the first step that uses a move for a transfer; 0: not known.
func (p *Program) lineOfMove(move int) int {
	for op := range p.Parts {
		for s := range p.Parts[op].Steps() {
			if s.Class == Transfer && slices.Contains(slices.Collect(s.Moves()), move) {
				return s.Line
			}
		}
	}
	return 0
}
