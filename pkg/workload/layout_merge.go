package workload

import (
	"fmt"
	"slices"
	"strings"
)

// merged is a family of datasets each of which stands for several ones of a program: their index is its first
// dimension.
type merged struct {
	Object         // its parent is one of the program before
	at       int   // the object of the program before in front of which it comes
	holder   int   // the family of groups that held it in the program before, or NoParent: see merger.name
	attached []int // attributes that are written when it is created before the dumps
}

// slot is the place of a dataset in a merged one.
type slot struct {
	family        int // in merger.made
	number, index uint64
}

// merger makes a program in which merged datasets are in the place of others.
type merger struct {
	Program // before
	made    []merged
	slots   []func(member uint64) slot // by family of the program before; nil: it stays as it is
	gone    []bool                     // by family: groups in which nothing is left
	early   map[*Step][]int            // merged families that are created after steps before the dumps

	p          Program
	objects    []int // families of the new program, by those of the one before
	families   []int // the same, by merged ones
	attributes map[string]int
	moves      map[string]int
	together   map[int]*Step // by move: the step that transfers with it and others in one call
	lives      map[slot]*life
	steps      []Step // of the epoch
}

// life is what steps do with a merged dataset.
type life struct {
	parts int             // of the datasets that it stands for, so many are open
	seen  map[uint64]bool // their indexes, of those that were open since it was opened
	end   *Step           // closed the last one
	open  bool            // in the new program
	told  map[int]bool    // attributes that were written or read since it was opened
}

// merge returns the new program. A merged dataset is open while one of the datasets that it stands for is, and from one
// to the next one within a dump.
func (m *merger) merge() (Program, error) {
	m.p = m.Program
	m.p.Attributes, m.p.Moves = nil, nil
	m.attributes, m.moves, m.together = map[string]int{}, map[string]int{}, map[int]*Step{}
	m.lives = map[slot]*life{}
	m.declare()
	for op := range m.p.Parts {
		part := &m.p.Parts[op]
		for s := range part.Steps() {
			if s.Class == Transfer && s.Together > 0 {
				for move := range s.Moves() {
					m.together[move] = s
				}
			}
		}
		part.Dumps = slices.Clone(part.Dumps)
		all := []*[]Epoch{&part.Begin}
		for i := range part.Dumps {
			all = append(all, &part.Dumps[i].Epochs)
		}
		for _, epochs := range append(all, &part.End) {
			var err error
			if *epochs, err = m.epochs(*epochs); err != nil {
				return m.p, err
			}
		}
	}
	m.p.Place()
	return m.p, nil
}

// declare makes the objects of the new program.
func (m *merger) declare() {
	m.p.Objects, m.objects, m.families = nil, make([]int, len(m.Objects)), make([]int, len(m.made))
	add := func(o Object) int {
		if o.Parent != NoParent {
			o.Parent = m.objects[o.Parent]
		}
		m.p.Objects = append(m.p.Objects, o)
		return len(m.p.Objects) - 1
	}
	for i := range len(m.Objects) + 1 {
		for f := range m.made {
			if m.made[f].at == i {
				m.families[f] = add(m.made[f].Object)
			}
		}
		if i < len(m.Objects) && m.slots[i] == nil && !m.gone[i] {
			m.objects[i] = add(m.Objects[i])
		}
	}
	m.name()
}

// name gives merged families names that no other object in their file or group has: where several would have one, that
// of the group that held the datasets is in front, and if need be there is a number at the end.
func (m *merger) name() {
	type place struct {
		file   string
		parent int
		name   string
	}
	given, taken := map[place]int{}, map[place]bool{}
	in := func(i int) place {
		o := &m.p.Objects[i]
		return place{m.Files[o.File].Name, o.Parent, o.Name}
	}
	for i := range m.p.Objects {
		given[in(i)]++
		taken[in(i)] = !slices.Contains(m.families, i)
	}
	for f, i := range m.families {
		at := in(i)
		if holder := m.made[f].holder; given[at] > 1 && holder != NoParent {
			at.name = unnumbered(m.Objects[holder].Name) + "_" + at.name
		}
		for name, n := at.name, 2; taken[at]; n++ {
			at.name = fmt.Sprintf("%s_%d", name, n)
		}
		m.p.Objects[i].Name, taken[at] = at.name, true
	}
}

// unnumbered returns the name of a family without the number.
func unnumbered(name string) string {
	for at := 0; at < len(name); at++ {
		switch {
		case name[at] != '%':
		case strings.HasPrefix(name[at:], "%%"):
			at++
		default:
			end := at + strings.IndexByte(name[at:], 'd') + 1
			return trimmed(name[:at] + name[end:])
		}
	}
	return name
}

// trimmed returns a name without what separates numbers from words at its ends.
func trimmed(name string) string { return strings.Trim(name, "=_-.: ") }
