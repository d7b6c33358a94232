package workload

import (
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Collective is what a process does together with all others: each of them waits in it until all have come, or may do
// so.
type Collective struct {
	Line int    // of the workload file; 0: not known
	Hash uint64 // equal for equal steps, on all processes
	// Of a turn: the ranks before and after this one, or NoRank.
	Turn          bool
	Before, After int

	text func() string
}

// String returns what is done, as a sentence without an end.
func (c *Collective) String() string {
	text := c.text()
	if c.Line > 0 {
		text += fmt.Sprintf(" (line %d)", c.Line)
	}
	return text
}

// Waits reports whether processes do a step together: it is a fence, or about a file that all have open, and no
// independent transfer.
func (p *Program) Waits(s *Step) bool {
	switch s.Class {
	case Compute, Select:
		return false
	case Fence:
		return s.Turn == NoTurn
	case Transfer:
		if !slices.ContainsFunc(slices.Collect(s.Moves()), func(m int) bool { return p.Moves[m].Collective }) {
			return false
		}
	}
	return p.Files[s.File].Group == All
}

// Collectives yields what a process does together with all others, in order. Objects that follow one another and with
// which the same is done are one, however many steps do it. The end of the program is the last one.
func (p *Program) Collectives() iter.Seq[Collective] {
	return func(yield func(Collective) bool) {
		w := collector{Program: p, names: p.namings(), kinds: make([]uint64, len(p.Objects)), yield: yield}
		for op := range p.Parts {
			w.op = Op(op)
			w.epochs("before the first dump", p.Parts[op].Begin)
			for i := range p.Parts[op].Dumps {
				w.epochs(fmt.Sprintf("of dump %d", i+1), p.Parts[op].Dumps[i].Epochs)
			}
			w.epochs("after the last dump", p.Parts[op].End)
		}
		w.mark(0, "the workload ends")
	}
}

// collector makes collectives of steps.
type collector struct {
	*Program
	op    Op
	names []naming
	kinds []uint64 // by family of objects: hashes of what its members are; 0: not known
	yield func(Collective) bool
	done  bool
	steps Step // several as one, which have not been yielded; Count 0: none
	await int  // the rank before this one in its band
	turns bool // the process has awaited its turn
}

// epochs yields the collectives of epochs.
func (w *collector) epochs(section string, all []Epoch) {
	for i := range all {
		w.mark(firstLine(all[i].Steps), fmt.Sprintf("steps %s of part %s begin, %d of %d", section, w.op, i+1,
			len(all)))
		for j := range all[i].Steps {
			if w.done {
				return
			}
			w.step(&all[i].Steps[j])
		}
		w.flush()
		if w.turns { // it does not pass its turn on
			w.turn(0, NoRank)
		}
	}
}

// firstLine returns the line of the first one of steps.
func firstLine(steps []Step) int {
	if len(steps) == 0 {
		return 0
	}
	return steps[0].Line
}

// emit yields a collective after those before it.
func (w *collector) emit(c Collective) {
	if !w.done {
		w.done = !w.yield(c)
	}
}

// mark yields a collective that is all in its text.
func (w *collector) mark(line int, text string) {
	w.flush()
	w.emit(Collective{Line: line, Hash: hashOf(text), text: func() string { return text }})
}

// turn yields a turn.
func (w *collector) turn(line, after int) {
	w.flush()
	before := w.await
	if !w.turns {
		before = NoRank
	}
	w.turns = false
	w.emit(Collective{
		Line: line, Hash: hashOf("turn"), Turn: true, Before: before, After: after, text: func() string {
			return "steps are done in turns"
		},
	})
}

// step adds a step.
func (w *collector) step(s *Step) {
	if s.Class == Fence {
		switch s.Turn {
		case NoTurn:
			w.mark(s.Line, "all ranks wait for one another")
		case Await:
			w.await, w.turns = s.Neighbour, true
		default:
			w.turn(s.Line, s.Neighbour)
		}
		return
	}
	if !w.Waits(s) {
		return
	}
	next := *s
	if next.Class == FileOpen || next.Class == FileClose || next.Class == Sync || next.Object == NoParent {
		next.First, next.Count = 0, 1
	}
	switch last := &w.steps; {
	case next.Count == 0:
	case last.Count > 0 && w.follows(last, &next):
		last.Count += next.Count
	default:
		w.flush()
		w.steps = next
	}
}

// follows reports whether a step does to the next members what the last one did to those before.
func (w *collector) follows(last, next *Step) bool {
	switch next.Class {
	case Create, Open, ObjectClose, Unlink:
	case Attribute:
		if last.Attributes != next.Attributes || next.Object == NoParent {
			return false
		}
	case Extend:
		if !slices.Equal(last.Extent, next.Extent) {
			return false
		}
	case Transfer:
		if last.Together > 0 || next.Together > 0 || last.Times != next.Times {
			return false
		}
	default:
		return false
	}
	return last.Class == next.Class && last.File == next.File &&
		last.Object == next.Object && last.First+last.Count == next.First
}

// flush yields the steps that are kept.
func (w *collector) flush() {
	if w.steps.Count == 0 {
		return
	}
	s := w.steps
	w.steps.Count = 0
	s.Op = w.op
	w.emit(Collective{Line: s.Line, Hash: w.hash(&s), text: func() string { return w.text(&s) }})
}

// hash returns the hash of a step with a file.
func (w *collector) hash(s *Step) uint64 {
	text := append([]byte{byte(s.Class), byte(w.op)}, w.Files[s.File].Name+"\x00"...)
	switch s.Class {
	case FileOpen:
		text = strconv.AppendBool(text, s.Existing)
	case FileClose, Sync:
	case Attribute:
		text = fmt.Appendf(text, "%+v", w.Attributes[s.Attributes])
		if s.Object != NoParent {
			text = w.objects(text, s.Object, s)
		}
	case Transfer:
		text = strconv.AppendUint(text, s.Times, 10)
		for m := range s.Moves() {
			text = strconv.AppendBool(w.objects(text, w.Moves[m].Object, s), w.Moves[m].Collective)
		}
	case Create:
		text = strconv.AppendUint(w.objects(text, s.Object, s), w.kind(s.Object), 10)
	default:
		text = fmt.Append(w.objects(text, s.Object, s), s.Extent)
	}
	return hashOf(string(text))
}

// objects appends a text about those members of a family with which a step is done.
func (w *collector) objects(text []byte, family int, s *Step) []byte {
	for at := range w.names[family].stretches(&w.Objects[family], s.First, s.Count) {
		text = append(at.appendTo(append(text, ' ')), ' ')
		text = append(strconv.AppendUint(text, at.from, 10), ' ')
		text = strconv.AppendUint(text, at.to, 10)
	}
	return text
}

// kind returns the hash of what the members of a family are, beside their names.
func (w *collector) kind(family int) uint64 {
	if w.kinds[family] == 0 {
		w.kinds[family] = w.Objects[family].hash()
	}
	return w.kinds[family]
}

// text returns what a step with a file does.
func (w *collector) text(s *Step) string {
	c := checker{Program: w.Program, op: s.Op, step: s}
	text := c.doing(s.First)
	if s.Count > 1 {
		text += fmt.Sprintf(", and %d after it", s.Count-1)
	}
	if s.Class == FileOpen {
		return "file " + w.Files[s.File].Name + " is " + c.opens()
	}
	switch s.Class {
	case Create:
		text += w.Objects[s.Object].description()
	case Attribute:
		text += w.Attributes[s.Attributes].description()
	case Extend:
		text += fmt.Sprintf(" to %s", extentText(s.Extent))
	case Transfer:
		text += " in collective mode"
		var others []string
		for m := range s.Moves() {
			if o := w.Moves[m].Object; o != s.Object {
				others = append(others, w.PathOf(o, s.First))
			}
		}
		if others != nil {
			text += ", together with " + strings.Join(others, ", ")
		}
	default:
	}
	return text
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never an error
	return h.Sum64()
}
