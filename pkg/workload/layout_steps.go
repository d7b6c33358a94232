package workload

import (
	"fmt"
	"slices"

	"h5perf/pkg/pattern"
)

// mergeEpochs converts epochs of the old program to epochs of the new program.
func (m *programMerger) mergeEpochs(epochs []Epoch) ([]Epoch, error) {
	m.findClosingSteps(epochs)
	made := slices.Clone(epochs)
	for i := range epochs {
		m.steps = nil
		for j := range epochs[i].Steps {
			s := &epochs[i].Steps[j]
			if err := m.addMergedSteps(s); err != nil {
				return nil, err
			}
			m.createMerged(s)
		}
		made[i].Steps = m.steps
	}
	return made, nil
}

// findClosingSteps finds the old steps that close merged datasets. Such a step closes the last open one of the old
// datasets that a merged dataset replaces, and none of them is opened again before the file is closed.
func (m *programMerger) findClosingSteps(epochs []Epoch) {
	settle := func() {
		for _, l := range m.states {
			if l.numOpen == 0 {
				l.lastClose, l.openedIndices = nil, map[uint64]bool{}
			}
		}
	}
	for s := range (&ProgramPart{Begin: epochs}).Steps() {
		switch s.Class {
		case FileClose:
			settle()
		case Create, Open, ObjectClose:
			if of := m.positions[s.Object]; of != nil {
				for k := s.First; k < s.First+s.Count; k++ {
					m.stateOfMerged(of[k]).noteOpenOrClose(s, of[k].index)
				}
			}
		}
	}
	settle()
}

// noteOpenOrClose notes that a step opens or closes the old dataset with the given index.
func (l *mergedState) noteOpenOrClose(s *Step, index uint64) {
	switch {
	case s.Class == ObjectClose:
		if l.numOpen--; l.numOpen == 0 {
			l.lastClose, l.closingSteps[s] = s, true
		}
		return
	case l.openedIndices[index]:
		l.openedIndices = map[uint64]bool{}
	default:
		delete(l.closingSteps, l.lastClose)
	}
	l.openedIndices[index] = true
	l.numOpen++
}

// stateOfMerged returns the state of a merged dataset. It ignores the index in of.
func (m *programMerger) stateOfMerged(of mergedPosition) *mergedState {
	of.index = 0
	if m.states[of] == nil {
		m.states[of] = &mergedState{
			openedIndices: map[uint64]bool{}, closingSteps: map[*Step]bool{},
			usedAttributes: map[int]bool{},
		}
	}
	return m.states[of]
}

// createMerged adds the steps that create merged datasets. They follow step after, which comes before the dumps.
func (m *programMerger) createMerged(after *Step) {
	for _, f := range m.createdAfter[after] {
		b := Batch{
			Class: Create, Op: Write, File: after.File, Object: m.families[f], Count: m.mergedFamilies[f].Count,
			Move: NoMove,
		}
		m.steps = append(m.steps, Step{Batch: b})
		for _, a := range m.mergedFamilies[f].attachedAttributes {
			b.Class, b.Attributes = Attribute, m.mergedAttribute(a, f)
			m.steps = append(m.steps, Step{Batch: b})
		}
		b.Class, b.Attributes = ObjectClose, 0
		m.steps = append(m.steps, Step{Batch: b})
	}
}

// mergedAttribute returns the attributes of a merged family that replace attributes of an old family. Attributes with
// the same names in several old families are replaced by the same attributes.
func (m *programMerger) mergedAttribute(old, family int) int {
	key := fmt.Sprint(family, " ", m.Attributes[old].Name)
	if _, is := m.attributes[key]; !is {
		m.attributes[key] = old
	}
	return m.attributes[key]
}

// addMergedSteps adds the steps of the new program that replace a step of the old program.
func (m *programMerger) addMergedSteps(s *Step) error {
	switch s.Class {
	case FileOpen, Sync, FileClose, Compute, Fence:
		m.steps = append(m.steps, *s)
		return nil
	}
	if s.Object == NoParent || m.positions[s.Object] == nil {
		return m.addUnmergedStep(*s)
	}
	early := m.createdAfter != nil && s.Op == Write
	switch s.Class {
	case Create, Open:
		one := *s
		if early {
			one.Class = Open
		}
		m.addStepWhere(one, func(l *mergedState) bool {
			was := l.open
			l.open = true
			return !was
		})
	case ObjectClose:
		m.addStepWhere(*s, func(l *mergedState) bool {
			closes := l.open && l.closingSteps[s]
			if closes {
				l.open, l.usedAttributes = false, map[int]bool{}
			}
			return closes
		})
	case Attribute:
		if early {
			break
		}
		one := *s
		one.Attributes = m.mergedAttribute(s.Attributes, m.positions[s.Object][s.First].family)
		m.addStepWhere(one, func(l *mergedState) bool {
			was := l.usedAttributes[one.Attributes]
			l.usedAttributes[one.Attributes] = true
			return !was
		})
	case Select: // mergeTransfers adds them
	case Transfer:
		return m.mergeTransfers(s)
	default:
		return fmt.Errorf("%s is %s", m.PathOf(s.Object, s.First), s.Class.participle())
	}
	return nil
}

// addUnmergedStep adds a step whose objects are not merged. It leaves out steps with empty groups.
func (m *programMerger) addUnmergedStep(s Step) (err error) {
	if s.Object != NoParent {
		if m.emptyGroups[s.Object] {
			return nil
		}
		if s.Move != NoMove {
			s.Move, err = m.mergedMove(s.Move, max(1, s.MultiMoves), s.First)
		}
		s.Object = m.objects[s.Object]
		if s.Class == Rename {
			s.NewNames = m.objects[s.NewNames]
		}
	}
	m.steps = append(m.steps, s)
	return err
}

// mergedRange is a range of consecutive merged datasets of a family, with the same index in each. member is the old
// dataset that the first merged dataset replaces.
type mergedRange struct {
	mergedPosition
	count, member uint64
}

// mergedRanges returns the merged datasets that replace the old datasets of a batch.
func (m *programMerger) mergedRanges(b *Batch) (all []mergedRange) {
	at := map[mergedPosition]int{}
	for k := b.First; k < b.First+b.Count; k++ {
		s := m.positions[b.Object][k]
		same := mergedPosition{family: s.family, index: s.index}
		if i, is := at[same]; is && all[i].number+all[i].count == s.number {
			all[i].count++
			continue
		}
		at[same] = len(all)
		all = append(all, mergedRange{s, 1, k})
	}
	return all
}

// addStepWhere adds step s for its merged datasets, but only for those whose state the function matches accepts.
func (m *programMerger) addStepWhere(s Step, matches func(*mergedState) bool) {
	for _, r := range m.mergedRanges(new(s.Batch)) {
		s.Object, s.Count = m.families[r.family], 0
		for n := r.number; n < r.number+r.count; n++ {
			if !matches(m.stateOfMerged(mergedPosition{family: r.family, number: n})) {
				continue
			}
			if last := len(m.steps) - 1; s.Count > 0 && m.steps[last].First+s.Count == n {
				s.Count++
				m.steps[last].Count = s.Count
				continue
			}
			s.First, s.Count = n, 1
			m.steps = append(m.steps, s)
		}
	}
}

// mergeTransfers adds the transfers of merged datasets for an old step. Before each, it adds the steps that build the
// selections.
func (m *programMerger) mergeTransfers(s *Step) error {
	for _, r := range m.mergedRanges(&s.Batch) {
		one := *s
		var err error
		if one.Move, err = m.mergedMove(s.Move, max(1, s.MultiMoves), r.member); err != nil {
			return err
		}
		one.Object, one.First, one.Count = m.families[r.family], r.number, r.count
		for move := range one.Moves() {
			m.steps = append(m.steps, Step{Batch: Batch{
				Class: Select, Op: s.Op, File: s.File, Object: m.newProgram.Moves[move].Object, First: r.number,
				Count: 1,
				Move:  move,
			}, Line: s.Line})
		}
		m.steps = append(m.steps, one)
	}
	return nil
}

// mergedMove returns the index of the new move that replaces the old move for the transfer of a member. It converts
// number moves, from the old one on. They are consecutive in the new program, too.
func (m *programMerger) mergedMove(old, number int, member uint64) (int, error) {
	key := fmt.Sprint(old)
	if of := m.positions[m.Moves[old].Object]; of != nil {
		part := of[member]
		key = fmt.Sprint(old, part.family, part.index)
	}
	at, is := m.moves[key]
	if is {
		return at, nil
	}
	at = len(m.newProgram.Moves)
	m.moves[key] = at
	for _, move := range m.Moves[old : old+number] {
		if err := m.addMergedMove(move, member); err != nil {
			return 0, err
		}
	}
	return at, nil
}

// addMergedMove adds to the new program the move that replaces an old move for the transfer of a member.
func (m *programMerger) addMergedMove(move Move, member uint64) error {
	of := m.positions[move.Object]
	if of == nil {
		move.Object = m.objects[move.Object]
		m.newProgram.Moves = append(m.newProgram.Moves, move)
		return nil
	}
	part := of[member]
	move.Object = m.families[part.family]
	o := &m.newProgram.Objects[move.Object]
	if move.Form.Kind == pattern.Ghost && move.Form.GhostDims == 0 {
		move.Form.GhostDims = len(o.Dims) - 1
	}
	if move.Rule.Name != "" {
		move.Rule.Record = slices.Insert(slices.Clone(move.Rule.Record), 0, part.index)
	}
	var err error
	if move.Selection, err = move.Selection.ExpandToRecords(o.Dims[0], part.index); err == nil {
		err = move.SetDerivedFields(o, o.Type)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.newProgram.PathOf(move.Object, 0), err)
	}
	m.newProgram.Moves = append(m.newProgram.Moves, move)
	return nil
}
