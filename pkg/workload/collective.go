package workload

import (
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// CollectiveOperation is an operation that all processes do together: in it, each process waits, or may have to wait,
// until all processes have arrived.
type CollectiveOperation struct {
	Line int    // line in the workload file; 0: not known
	Hash uint64 // equal steps have equal hashes, on all processes
	// For a turn: the ranks before and after this process in its band, or NoRank.
	IsTurn                 bool
	PreviousRank, NextRank int

	text func() string
}

// String describes the operation, as a sentence without a full stop.
func (c *CollectiveOperation) String() string {
	text := c.text()
	if c.Line > 0 {
		text += fmt.Sprintf(" (line %d)", c.Line)
	}
	return text
}

// IsCollective reports whether all processes do a step together: a fence, or a step with a file that all processes open
// together, unless it is an independent transfer.
func (p *Program) IsCollective(s *Step) bool {
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

// CollectiveOperations yields the collective operations of a process, in order. The same operation on consecutive
// objects is yielded once, even if it takes several steps. The last one is the end of the program.
func (p *Program) CollectiveOperations() iter.Seq[CollectiveOperation] {
	return func(yield func(CollectiveOperation) bool) {
		w := collectiveCollector{
			Program: p, names: p.memberNamings(), kindHashes: make([]uint64, len(p.Objects)),
			yield: yield,
		}
		for op := range p.Parts {
			w.op = Op(op)
			w.collectEpochs("before the first dump", p.Parts[op].Begin)
			for i := range p.Parts[op].Dumps {
				w.collectEpochs(fmt.Sprintf("of dump %d", i+1), p.Parts[op].Dumps[i].Epochs)
			}
			w.collectEpochs("after the last dump", p.Parts[op].End)
		}
		w.yieldPoint(0, "the workload ends")
	}
}

// collectiveCollector converts steps to collective operations.
type collectiveCollector struct {
	*Program
	op           Op
	names        []memberNaming
	kindHashes   []uint64 // by family of objects: see propertiesHash; 0: not computed yet
	yield        func(CollectiveOperation) bool
	done         bool
	pending      Step // merged steps that are not yielded yet; Count 0: none
	previousRank int  // the rank before this one in its band
	awaited      bool // the process has awaited its turn
}

// collectEpochs yields the collective operations of epochs. section says in messages which epochs these are, such as
// "of dump 1".
func (w *collectiveCollector) collectEpochs(section string, all []Epoch) {
	for i := range all {
		w.yieldPoint(firstLine(all[i].Steps), fmt.Sprintf("steps %s of part %s begin, %d of %d", section, w.op, i+1,
			len(all)))
		for j := range all[i].Steps {
			if w.done {
				return
			}
			w.collectStep(&all[i].Steps[j])
		}
		w.yieldPending()
		if w.awaited { // the process is the last one of its band
			w.yieldTurn(0, NoRank)
		}
	}
}

// firstLine returns the line of the first step; 0: not known.
func firstLine(steps []Step) int {
	if len(steps) == 0 {
		return 0
	}
	return steps[0].Line
}

// yieldCollective yields a collective operation, unless the consumer of the iterator has stopped.
func (w *collectiveCollector) yieldCollective(c CollectiveOperation) {
	if !w.done {
		w.done = !w.yield(c)
	}
}

// yieldPoint yields the pending steps, and then a point of the program that is no step, such as the begin of an epoch.
// Points with equal texts are equal.
func (w *collectiveCollector) yieldPoint(line int, text string) {
	w.yieldPending()
	w.yieldCollective(CollectiveOperation{Line: line, Hash: hashOfText(text), text: func() string { return text }})
}

// yieldTurn yields the pending steps, and then a turn. after is the rank that has the next turn, or NoRank.
func (w *collectiveCollector) yieldTurn(line, after int) {
	w.yieldPending()
	before := w.previousRank
	if !w.awaited {
		before = NoRank
	}
	w.awaited = false
	w.yieldCollective(CollectiveOperation{
		Line: line, Hash: hashOfText("turn"), IsTurn: true, PreviousRank: before, NextRank: after, text: func() string {
			return "steps are done in turns"
		},
	})
}

// collectStep adds a step to the pending steps if it continues them. Otherwise it first yields the pending steps.
func (w *collectiveCollector) collectStep(s *Step) {
	if s.Class == Fence {
		switch s.Turn {
		case NoTurn:
			w.yieldPoint(s.Line, "all ranks wait for one another")
		case AwaitTurn:
			w.previousRank, w.awaited = s.NeighbourRank, true
		default:
			w.yieldTurn(s.Line, s.NeighbourRank)
		}
		return
	}
	if !w.IsCollective(s) {
		return
	}
	next := *s
	if next.Class == FileOpen || next.Class == FileClose || next.Class == Sync || next.Object == NoParent {
		next.First, next.Count = 0, 1
	}
	switch last := &w.pending; {
	case next.Count == 0:
	case last.Count > 0 && w.isContinuation(last, &next):
		last.Count += next.Count
	default:
		w.yieldPending()
		w.pending = next
	}
}

// isContinuation reports whether the step next does the same operation as the step last, with the members of the family
// that follow.
func (w *collectiveCollector) isContinuation(last, next *Step) bool {
	switch next.Class {
	case Create, Open, CreateLink, Stat, Rename, ObjectClose, Unlink:
		if last.Info != next.Info || last.NewNames != next.NewNames {
			return false
		}
	case Attribute:
		if last.Attributes != next.Attributes || next.Object == NoParent {
			return false
		}
	case Extend:
		if !slices.Equal(last.Extent, next.Extent) {
			return false
		}
	case Transfer:
		if last.MultiMoves > 0 || next.MultiMoves > 0 || last.NumTransfers != next.NumTransfers || last.Op != next.Op {
			return false
		}
	default:
		return false
	}
	return last.Class == next.Class && last.File == next.File &&
		last.Object == next.Object && last.First+last.Count == next.First
}

// yieldPending yields the pending steps as one collective operation.
func (w *collectiveCollector) yieldPending() {
	if w.pending.Count == 0 {
		return
	}
	s := w.pending
	w.pending.Count = 0
	if !s.IsReadBack(w.op) {
		s.Op = w.op
	}
	w.yieldCollective(CollectiveOperation{
		Line: s.Line, Hash: w.hashOfStep(&s),
		text: func() string { return w.textOfStep(&s) },
	})
}

// hashOfStep returns the hash of a step that uses a file.
func (w *collectiveCollector) hashOfStep(s *Step) uint64 {
	text := append([]byte{byte(s.TimedClass(w.op)), byte(w.op)}, w.Files[s.File].Name+"\x00"...)
	switch s.Class {
	case FileOpen:
		text = append(strconv.AppendBool(text, s.Existing), w.Files[s.File].Tracking.description()...)
	case FileClose, Sync:
	case Attribute:
		text = fmt.Appendf(text, "%+v", w.Attributes[s.Attributes])
		if s.Object != NoParent {
			text = w.appendMembers(text, s.Object, s)
		}
	case Transfer:
		text = strconv.AppendUint(text, s.NumTransfers, 10)
		for m := range s.Moves() {
			text = strconv.AppendBool(w.appendMembers(text, w.Moves[m].Object, s), w.Moves[m].Collective)
		}
	case Create, CreateLink:
		text = strconv.AppendUint(w.appendMembers(text, s.Object, s), w.propertiesHash(s.Object), 10)
	case Rename:
		text = w.appendMembers(w.appendMembers(text, s.Object, s), s.NewNames, s)
	default:
		text = fmt.Append(w.appendMembers(text, s.Object, s), s.Extent, s.Info, s.Levels, s.Visits)
	}
	return hashOfText(string(text))
}

// appendMembers appends a text that identifies the members of a family that a step uses.
func (w *collectiveCollector) appendMembers(text []byte, family int, s *Step) []byte {
	for at := range w.names[family].rangesOf(&w.Objects[family], s.First, s.Count) {
		text = append(at.appendPlace(append(text, ' ')), ' ')
		text = append(strconv.AppendUint(text, at.from, 10), ' ')
		text = strconv.AppendUint(text, at.to, 10)
	}
	return text
}

// propertiesHash returns the cached hashOfProperties of a family.
func (w *collectiveCollector) propertiesHash(family int) uint64 {
	if w.kindHashes[family] == 0 {
		w.kindHashes[family] = w.Objects[family].hashOfProperties()
	}
	return w.kindHashes[family]
}

// textOfStep describes a step that uses a file.
func (w *collectiveCollector) textOfStep(s *Step) string {
	c := checker{Program: w.Program, op: s.Op, step: s}
	if s.Class == FileOpen { // it has no object
		return c.fileText() + " is " + c.fileOpenVerb() + w.Files[s.File].Tracking.description()
	}
	text := c.actionText(s.First)
	if s.Count > 1 {
		text += fmt.Sprintf(", and %d after it", s.Count-1)
	}
	switch s.Class {
	case Rename:
		text += " to " + w.Objects[s.NewNames].NameOf(s.First)
	case Stat:
		text += ", " + s.Info.String()
	case Create, CreateLink:
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

func hashOfText(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never an error
	return h.Sum64()
}
