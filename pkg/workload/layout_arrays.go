package workload

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"h5perf/pkg/pattern"
)

// stacked returns the program with one dataset in the place of like ones of a dump: those of a family that are in one
// group, or those of families that have the same type, extent and attributes, are in the same group, and are
// transferred in the same way. Datasets of files that this process has for itself are put together by its own program.
func (p Program) stacked(first Program) (Program, error) {
	stacks, reason := first.stacks()
	others := p.counterparts(&first)
	var own [][]int
	for _, s := range stacks {
		mine := []int{}
		for _, q := range s {
			if i := slices.Index(others, q); i >= 0 {
				mine = append(mine, i)
			}
		}
		if len(mine) == len(s) {
			own = append(own, mine)
		}
	}
	stacks, other := p.stacks()
	for _, s := range stacks {
		if others[s[0]] < 0 {
			own = append(own, s)
		}
	}
	if len(own) == 0 {
		return p, cmp.Or(reason, other, errors.New("there are no like datasets"))
	}
	m := merger{Program: p, slots: make([]func(uint64) slot, len(p.Objects)), gone: make([]bool, len(p.Objects))}
	for f, s := range own {
		m.stack(f, s)
	}
	return m.merge()
}

// stack adds the merged family of families, or of one family whose members in a group are put together.
func (m *merger) stack(f int, families []int) {
	o := m.Objects[families[0]]
	n := uint64(len(families))
	if n == 1 {
		n = o.Each
		o.Each, o.Count, o.First, o.Name = 1, o.Count/n, 0, unnumbered(o.Name)
		m.slots[families[0]] = func(k uint64) slot { return slot{f, k / n, k % n} }
	} else {
		o.Name = strings.Repeat("_%d", int(min(o.Each-1, 1)))
		o.Name = "arrays" + o.Name
		for i, at := range families {
			m.slots[at] = func(k uint64) slot { return slot{f, k, uint64(i)} }
		}
	}
	m.made = append(m.made, merged{Object: o.stretched(n), at: slices.Min(families), holder: NoParent})
}

// stretched returns a dataset with another dimension before the others.
func (o Object) stretched(n uint64) Object {
	o.Dims = slices.Insert(slices.Clone(o.Dims), 0, n)
	if o.Chunk != nil {
		o.Chunk = slices.Insert(slices.Clone(o.Chunk), 0, 1)
	}
	return o
}

// rigid returns why a dataset cannot be a part of another one, or nil.
func (p *Program) rigid(object int) error {
	o := &p.Objects[object]
	path := p.PathOf(object, 0)
	switch {
	case o.Most != nil:
		return fmt.Errorf("%s can be extended", path)
	case o.Compact:
		return fmt.Errorf("%s is compact", path)
	case o.Null || len(o.Dims) == 0:
		return fmt.Errorf("%s has no dimensions", path)
	case len(o.Dims) == pattern.MaxDims:
		return fmt.Errorf("%s has %d dimensions, the most that there can be", path, pattern.MaxDims)
	}
	return nil
}

// act is a step about members of a family.
type act struct {
	*Step
	dump int // number of the dump; -1: before the first one
}

// acts returns the steps about each family of objects, but for those that build selections.
func (p *Program) acts() [][]act {
	all := make([][]act, len(p.Objects))
	for op := range p.Parts {
		part := &p.Parts[op]
		for i, epochs := range part.epochs() {
			for j := range epochs {
				for k := range epochs[j].Steps {
					switch s := &epochs[j].Steps[k]; s.Class {
					case Create, Open, Attribute, Extend, ObjectClose, Unlink:
						if s.Object != NoParent {
							all[s.Object] = append(all[s.Object], act{s, i - 1})
						}
					case Transfer:
						for move := range s.Moves() {
							object := p.Moves[move].Object
							all[object] = append(all[object], act{s, i - 1})
						}
					}
				}
			}
		}
	}
	return all
}

// stacks returns the families of datasets that can be put together: lists of like ones, by name, and lists of one whose
// members in a group can. The error is about a dataset that cannot.
func (p *Program) stacks() (all [][]int, reason error) {
	acts := p.acts()
	var like [][]int
	for i := range p.Objects {
		if p.Objects[i].Kind != DatasetObject {
			continue
		}
		if err := cmp.Or(p.rigid(i), p.transferred(i, acts[i])); err != nil {
			reason = cmp.Or(reason, err)
			continue
		}
		if p.Objects[i].ofOneDump(acts[i]) {
			all = append(all, []int{i})
			continue
		}
		at := slices.IndexFunc(like, func(s []int) bool { return p.alike(s[0], i, acts) })
		if at < 0 {
			at, like = len(like), append(like, nil)
		}
		like[at] = append(like[at], i)
	}
	for _, s := range like {
		if len(s) > 1 {
			slices.SortStableFunc(s, func(a, b int) int { return cmp.Compare(p.Objects[a].Name, p.Objects[b].Name) })
			all = append(all, s)
		}
	}
	return all, reason
}

// transferred returns why the transfers of a dataset cannot be those of a part of another one, or nil.
func (p *Program) transferred(object int, acts []act) error {
	path := p.PathOf(object, 0)
	for _, a := range acts {
		switch {
		case a.Class == Extend, a.Class == Unlink:
			return fmt.Errorf("%s is extended or unlinked", path)
		case a.Class != Transfer:
		case a.Together > 0:
			return fmt.Errorf("%s is transferred in one call with others", path)
		case p.Moves[a.Move].Form.Kind == pattern.Member:
			return fmt.Errorf("%s is a member of structures in memory", path)
		}
	}
	return nil
}

// ofOneDump reports whether the members of the family in each group are several that one dump begins with.
func (o *Object) ofOneDump(acts []act) bool {
	if o.Each == 1 {
		return false
	}
	type time struct {
		op   Op
		dump int
	}
	begun := map[uint64]time{}
	for _, a := range acts {
		if a.Class == Create || a.Class == Open {
			for k := a.First; k < a.First+a.Count; k++ {
				if _, is := begun[k]; !is {
					begun[k] = time{a.Op, a.dump}
				}
			}
		}
	}
	for k := range begun {
		group := k / o.Each * o.Each
		for other := group; other < group+o.Each; other++ {
			if at, is := begun[other]; !is || at != begun[k] {
				return false
			}
		}
	}
	return len(begun) > 0
}

// alike reports whether two families differ in nothing but their names.
func (p *Program) alike(a, b int, acts [][]act) bool {
	bare := func(i int) Object {
		o := p.Objects[i]
		o.Name, o.Base, o.Stride = "", 0, 0
		return o
	}
	return reflect.DeepEqual(bare(a), bare(b)) && slices.EqualFunc(acts[a], acts[b], func(s, t act) bool {
		if s.Class != t.Class || s.Op != t.Op || s.dump != t.dump || s.First != t.First || s.Count != t.Count {
			return false
		}
		switch s.Class {
		case Attribute:
			return reflect.DeepEqual(p.Attributes[s.Attributes], p.Attributes[t.Attributes])
		case Transfer:
			return reflect.DeepEqual(p.Moves[s.Move].manner(), p.Moves[t.Move].manner())
		}
		return true
	})
}

// manner returns the move as one of any dataset. With a rule, its selection follows from that.
func (m Move) manner() Move {
	m.Object = 0
	if m.Rule.Name != "" {
		m.Selection, m.Plain = pattern.Selection{}, pattern.Selection{}
	}
	return m
}
