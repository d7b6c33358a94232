package workload

import (
	"fmt"
	"slices"

	"h5perf/pkg/pattern"
)

// epochs returns the epochs in the place of others.
func (m *merger) epochs(epochs []Epoch) ([]Epoch, error) {
	m.follow(epochs)
	made := slices.Clone(epochs)
	for i := range epochs {
		m.steps = nil
		for j := range epochs[i].Steps {
			s := &epochs[i].Steps[j]
			if err := m.step(s); err != nil {
				return nil, err
			}
			m.create(s)
		}
		made[i].Steps = m.steps
	}
	return made, nil
}

// follow finds the steps that close merged datasets: those that close the last part, unless another part is opened
// after it before the file is closed.
func (m *merger) follow(epochs []Epoch) {
	settle := func() {
		for _, l := range m.lives {
			if l.parts == 0 {
				l.end, l.seen = nil, map[uint64]bool{}
			}
		}
	}
	for s := range (&Part{Begin: epochs}).Steps() {
		switch s.Class {
		case FileClose:
			settle()
		case Create, Open, ObjectClose:
			if of := m.slots[s.Object]; of != nil {
				for k := s.First; k < s.First+s.Count; k++ {
					m.life(of[k]).follow(s, of[k].index)
				}
			}
		}
	}
	settle()
}

// follow notes that a step opens or closes the part of an index.
func (l *life) follow(s *Step, index uint64) {
	switch {
	case s.Class == ObjectClose:
		if l.parts--; l.parts == 0 {
			l.end, l.closing[s] = s, true
		}
		return
	case l.seen[index]:
		l.seen = map[uint64]bool{}
	default:
		delete(l.closing, l.end)
	}
	l.seen[index] = true
	l.parts++
}

// life returns the life of a merged dataset.
func (m *merger) life(of slot) *life {
	of.index = 0
	if m.lives[of] == nil {
		m.lives[of] = &life{seen: map[uint64]bool{}, closing: map[*Step]bool{}, told: map[int]bool{}}
	}
	return m.lives[of]
}

// create adds the steps that create merged datasets after another one.
func (m *merger) create(after *Step) {
	for _, f := range m.early[after] {
		b := Batch{
			Class: Create, Op: Write, File: after.File, Object: m.families[f], Count: m.made[f].Count, Move: NoMove,
		}
		m.steps = append(m.steps, Step{Batch: b})
		for _, a := range m.made[f].attached {
			b.Class, b.Attributes = Attribute, m.attribute(a, f)
			m.steps = append(m.steps, Step{Batch: b})
		}
		b.Class, b.Attributes = ObjectClose, 0
		m.steps = append(m.steps, Step{Batch: b})
	}
}

// attribute returns the attributes that a merged family has in the place of others: all that it stands for have
// attributes of these names.
func (m *merger) attribute(old, family int) int {
	key := fmt.Sprint(family, " ", m.Attributes[old].Name)
	if _, is := m.attributes[key]; !is {
		m.attributes[key] = old
	}
	return m.attributes[key]
}

// step adds the steps in the place of one.
func (m *merger) step(s *Step) error {
	switch s.Class {
	case FileOpen, Sync, FileClose, Compute, Fence:
		m.steps = append(m.steps, *s)
		return nil
	}
	if s.Object == NoParent || m.slots[s.Object] == nil {
		return m.keep(*s)
	}
	early := m.early != nil && s.Op == Write
	switch s.Class {
	case Create, Open:
		one := *s
		if early {
			one.Class = Open
		}
		m.add(one, func(l *life) bool {
			was := l.open
			l.open = true
			return !was
		})
	case ObjectClose:
		m.add(*s, func(l *life) bool {
			closes := l.open && l.closing[s]
			if closes {
				l.open, l.told = false, map[int]bool{}
			}
			return closes
		})
	case Attribute:
		if early {
			break
		}
		one := *s
		one.Attributes = m.attribute(s.Attributes, m.slots[s.Object][s.First].family)
		m.add(one, func(l *life) bool {
			was := l.told[one.Attributes]
			l.told[one.Attributes] = true
			return !was
		})
	case Select: // before each of the transfers
	case Transfer:
		return m.transfer(s)
	default:
		return fmt.Errorf("%s is extended or unlinked", m.PathOf(s.Object, s.First))
	}
	return nil
}

// keep adds a step about objects that stay as they are.
func (m *merger) keep(s Step) (err error) {
	if s.Object != NoParent {
		if m.gone[s.Object] {
			return nil
		}
		if s.Move != NoMove {
			s.Move, err = m.move(s.Move, max(1, s.Together), s.First)
		}
		s.Object = m.objects[s.Object]
	}
	m.steps = append(m.steps, s)
	return err
}

// row is merged datasets of a family that follow one another, with the same index. The first one stands for a
// member of the family before.
type row struct {
	slot
	count, member uint64
}

// rows returns the merged datasets of a batch.
func (m *merger) rows(b *Batch) (all []row) {
	at := map[slot]int{}
	for k := b.First; k < b.First+b.Count; k++ {
		s := m.slots[b.Object][k]
		same := slot{family: s.family, index: s.index}
		if i, is := at[same]; is && all[i].number+all[i].count == s.number {
			all[i].count++
			continue
		}
		at[same] = len(all)
		all = append(all, row{s, 1, k})
	}
	return all
}

// add adds a step about those merged datasets for which is returns true.
func (m *merger) add(s Step, is func(*life) bool) {
	for _, r := range m.rows(new(s.Batch)) {
		s.Object, s.Count = m.families[r.family], 0
		for n := r.number; n < r.number+r.count; n++ {
			if !is(m.life(slot{family: r.family, number: n})) {
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

// transfer adds the transfers in the place of those of merged datasets, each with what builds its selections.
func (m *merger) transfer(s *Step) error {
	for _, r := range m.rows(&s.Batch) {
		one := *s
		var err error
		if one.Move, err = m.move(s.Move, max(1, s.Together), r.member); err != nil {
			return err
		}
		one.Object, one.First, one.Count = m.families[r.family], r.number, r.count
		for move := range one.Moves() {
			m.steps = append(m.steps, Step{Batch: Batch{
				Class: Select, Op: s.Op, File: s.File, Object: m.p.Moves[move].Object, First: r.number, Count: 1,
				Move: move,
			}, Line: s.Line})
		}
		m.steps = append(m.steps, one)
	}
	return nil
}

// move returns the move in the place of another one, of a member of its family. As many follow one another in both
// programs.
func (m *merger) move(old, number int, member uint64) (int, error) {
	key := fmt.Sprint(old)
	if of := m.slots[m.Moves[old].Object]; of != nil {
		part := of[member]
		key = fmt.Sprint(old, part.family, part.index)
	}
	at, is := m.moves[key]
	if is {
		return at, nil
	}
	at = len(m.p.Moves)
	m.moves[key] = at
	for _, move := range m.Moves[old : old+number] {
		if err := m.addMove(move, member); err != nil {
			return 0, err
		}
	}
	return at, nil
}

// addMove adds the move in the place of another one, of a member of its family.
func (m *merger) addMove(move Move, member uint64) error {
	of := m.slots[move.Object]
	if of == nil {
		move.Object = m.objects[move.Object]
		m.p.Moves = append(m.p.Moves, move)
		return nil
	}
	part := of[member]
	move.Object = m.families[part.family]
	o := &m.p.Objects[move.Object]
	if move.Form.Kind == pattern.Ghost && move.Form.Last == 0 {
		move.Form.Last = len(o.Dims) - 1
	}
	if move.Rule.Name != "" {
		move.Rule.Record = slices.Insert(slices.Clone(move.Rule.Record), 0, part.index)
	}
	var err error
	if move.Selection, err = move.Selection.InRecord(o.Dims[0], part.index); err == nil {
		err = move.Complete(o, o.Type)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.p.PathOf(move.Object, 0), err)
	}
	m.p.Moves = append(m.p.Moves, move)
	return nil
}
