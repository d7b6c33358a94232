package workload

// page is the size of a page of memory. Buffers of a move begin at one.
const page = 4096

// Memory says where in one stretch of memory the buffers of each move of a program begin, how many slots each has, and
// how large the stretch is, in bytes. A move has a slot for each dataset that it has in a section, so that the data of
// a section can be made before it, and compared after it: a section is a dump, or what is before or after all dumps.
// Moves that are in no section together may share memory.
func (p *Program) Memory() (starts, slots []uint64, bytes uint64) {
	slots, sections := p.slots()
	starts = make([]uint64, len(p.Moves))
	ends := map[int]uint64{}
	for i := range p.Moves {
		slots[i] = max(1, slots[i])
		for _, section := range sections[i] {
			starts[i] = max(starts[i], ends[section])
		}
		end := starts[i] + (slots[i]*p.Moves[i].Buffer.SlotBytes+page-1)/page*page
		for _, section := range sections[i] {
			ends[section] = end
		}
		bytes = max(bytes, end)
	}
	return starts, slots, max(page, bytes) // some memory where no move needs any
}

// slots returns the number of slots that each move needs, so that datasets of a section do not share one, and the
// numbers of the sections that it is in.
func (p *Program) slots() (slots []uint64, sections [][]int) {
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
		for _, epochs := range p.Parts[i].epochs() {
			section(epochs)
		}
	}
	return slots, sections
}
