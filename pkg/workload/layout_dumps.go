package workload

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// created is a dataset that a dump creates.
type created struct {
	object int
	member uint64
	// The group that holds it and is there before the dumps: its family, or NoParent, and its number.
	parent int
	group  uint64
	// If that is not the one in which the dataset is: that one.
	holder int
	within uint64
}

// joined returns the program with one dataset for all dumps in the place of one for each: of the datasets that dumps
// create, those that are created at the same place in their order.
func (p Program) joined(first Program) (Program, error) {
	j := joiner{
		merger: merger{
			Program: p, slots: make([]func(uint64) slot, len(p.Objects)), gone: make([]bool, len(p.Objects)),
			early: map[*Step][]int{},
		},
		born: make([]map[uint64]int, len(p.Objects)), parts: make([]map[uint64]slot, len(p.Objects)),
	}
	for _, do := range []func() error{j.find, j.join, j.check, j.place} {
		if err := do(); err != nil {
			return p, err
		}
	}
	j.clear(&first)
	return j.merge()
}

// joiner puts the datasets of dumps together.
type joiner struct {
	merger
	born  []map[uint64]int  // by family and member: the dump that creates it
	dumps [][]created       // datasets, by family and member
	parts []map[uint64]slot // by family and member
}

// find finds what dumps create.
func (j *joiner) find() error {
	for d := range j.Parts[Write].Dumps {
		var all []created
		order := map[int]int{}
		for s := range (&Part{Begin: j.Parts[Write].Dumps[d].Epochs}).Steps() {
			if s.Class != Create || j.Files[s.File].Group != All {
				continue
			}
			if _, is := order[s.Object]; !is {
				order[s.Object] = len(order)
			}
			if j.born[s.Object] == nil {
				j.born[s.Object] = map[uint64]int{}
			}
			for k := s.First; k < s.First+s.Count; k++ {
				j.born[s.Object][k] = d
				if j.Objects[s.Object].Kind == DatasetObject {
					all = append(all, j.created(s.Object, k, d))
				}
			}
		}
		slices.SortFunc(all, func(a, b created) int {
			return cmp.Or(cmp.Compare(order[a.object], order[b.object]), cmp.Compare(a.member, b.member))
		})
		j.dumps = append(j.dumps, all)
	}
	return nil
}

// created returns a dataset that a dump creates.
func (j *joiner) created(object int, member uint64, dump int) created {
	o := &j.Objects[object]
	c := created{object, member, o.Parent, member / o.Each, NoParent, member / o.Each}
	for c.parent != NoParent {
		if d, is := j.born[c.parent][c.group]; !is || d != dump {
			break
		}
		c.holder = o.Parent
		g := &j.Objects[c.parent]
		c.parent, c.group = g.Parent, c.group/g.Each
	}
	return c
}

// join makes the merged families.
func (j *joiner) join() error {
	n := len(j.dumps)
	if n < 2 {
		return errors.New("there is only one dump")
	}
	one := j.dumps[0]
	if len(one) == 0 {
		return errors.New("there is no dataset for each dump")
	}
	for d, all := range j.dumps {
		if len(all) != len(one) {
			return fmt.Errorf("dump %d creates %d datasets, but dump 0 creates %d", d, len(all), len(one))
		}
		for i := range all {
			if err := j.same(&one[i], &all[i]); err != nil {
				return err
			}
		}
	}
	for i := 0; i < len(one); {
		end := i + 1
		for end < len(one) && one[end].object == one[i].object {
			end++
		}
		if err := j.add(i, end); err != nil {
			return err
		}
		i = end
	}
	for i, parts := range j.parts {
		if parts != nil {
			j.slots[i] = func(member uint64) slot { return parts[member] }
		}
	}
	return nil
}

// same returns why a dataset of the first dump, and the one that another dump creates in its place, cannot be parts of
// one, or nil.
func (j *joiner) same(a, b *created) error {
	o, p := j.Objects[a.object], j.Objects[b.object]
	if err := j.rigid(a.object); err != nil {
		return err
	}
	path := j.PathOf(a.object, a.member)
	if j.Files[o.File].Name != j.Files[p.File].Name {
		return fmt.Errorf("%s is in a file for each dump", path)
	}
	p.Name, p.File, p.Parent, p.Each, p.Count, p.First = o.Name, o.File, o.Parent, o.Each, o.Count, o.First
	p.Base, p.Stride = o.Base, o.Stride
	if a.parent != b.parent || a.group != b.group || !reflect.DeepEqual(o, p) {
		return fmt.Errorf("%s is not alike for each dump", path)
	}
	return nil
}

// add adds the merged family of datasets of one family that the first dump creates.
func (j *joiner) add(from, to int) error {
	one := j.dumps[0][from:to]
	o := j.Objects[one[0].object]
	each := uint64(len(one))
	if one[0].parent != NoParent {
		each = uint64(max(1, slices.IndexFunc(one, func(c created) bool { return c.group != one[0].group })))
	}
	for i, c := range one {
		before := &one[uint64(i)/each*each]
		if c.parent != one[0].parent || c.parent != NoParent && c.group != uint64(i)/each ||
			c.holder != NoParent && c.within != before.within {
			return fmt.Errorf("%s is in several groups of each dump", j.PathOf(c.object, c.member))
		}
	}
	f := len(j.made)
	var names []string
	for d, all := range j.dumps {
		names = append(names, j.Objects[all[from].object].Name)
		for i, c := range all[from:to] {
			if j.parts[c.object] == nil {
				j.parts[c.object] = map[uint64]slot{}
			}
			j.parts[c.object][c.member] = slot{f, uint64(i), uint64(d)}
		}
	}
	if o.Name = common(names); each == 1 && o.Each > 1 { // the number is that of the dump
		o.Name, o.First = unnumbered(o.Name), 0
	}
	o.Parent, o.Each, o.Count = one[0].parent, each, uint64(len(one))
	j.made = append(j.made, merged{
		Object: o.stretched(uint64(len(j.dumps))), at: one[0].parent + 1, holder: one[0].holder,
	})
	return nil
}

// common returns what all names have in common at their start and at their end.
func common(names []string) string {
	start, end := names[0], names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, start) {
			start = start[:len(start)-1]
		}
		for !strings.HasSuffix(name, end) {
			end = end[1:]
		}
	}
	if start == names[0] {
		return start
	}
	return cmp.Or(trimmed(start+end), "dataset")
}

// check looks at the steps about datasets that are put together.
func (j *joiner) check() error {
	for op := range j.Parts {
		for s := range j.Parts[op].Steps() {
			switch s.Class {
			case FileOpen, Select, Sync, FileClose, Compute, Fence:
				continue
			}
			if s.Object == NoParent || j.slots[s.Object] == nil {
				continue
			}
			path := j.PathOf(s.Object, s.First)
			if j.Files[s.File].Group != All {
				return fmt.Errorf("%s is used by some processes alone", path)
			}
			for k := s.First; k < s.First+s.Count; k++ {
				if _, is := j.parts[s.Object][k]; !is {
					return fmt.Errorf("%s is not created by a dump", j.PathOf(s.Object, k))
				}
			}
			if s.Class == Attribute && s.Op == Write && !j.attach(s) {
				return fmt.Errorf("%s is not alike for each dump", path)
			}
		}
	}
	return nil
}

// attach adds the attributes of a step of the first dump to those of the merged dataset, and reports whether those of
// another dump are among them.
func (j *joiner) attach(s *Step) bool {
	part := j.parts[s.Object][s.First]
	m := &j.made[part.family]
	is := slices.ContainsFunc(m.attached, func(a int) bool {
		return reflect.DeepEqual(j.Attributes[a], j.Attributes[s.Attributes])
	})
	if !is && part.index == 0 {
		m.attached = append(m.attached, s.Attributes)
		return true
	}
	return is
}

// place finds the steps before the dumps after which merged datasets are created: those that create what holds them.
func (j *joiner) place() error {
	for f := range j.made {
		m := &j.made[f]
		var after *Step
		for s := range (&Part{Begin: j.Parts[Write].Begin}).Steps() {
			file := &j.Files[s.File]
			if file.Group != All {
				continue
			}
			switch s.Class {
			case FileOpen:
				if m.Parent == NoParent && !s.Existing && file.Name == j.Files[m.File].Name {
					after = s
				}
			case Create:
				if s.Object == m.Parent && s.First+s.Count == j.Objects[m.Parent].Count {
					after = s
				}
			}
		}
		if after == nil {
			return fmt.Errorf("what holds %s is not created before the dumps by all processes",
				j.PathOf(j.dumps[0][0].object, 0))
		}
		j.early[after] = append(j.early[after], f)
	}
	return nil
}

// clear finds the groups of dumps in which nothing is left.
func (j *joiner) clear(first *Program) {
	needed := make([]bool, len(j.Objects))
	tell := func(p *Program, own func(int) int) {
		for op := range p.Parts {
			for s := range p.Parts[op].Steps() {
				if s.Class == Attribute && s.Object != NoParent {
					if i := own(s.Object); i >= 0 {
						needed[i] = true
					}
				}
			}
		}
	}
	tell(&j.Program, func(i int) int { return i })
	others := j.counterparts(first)
	tell(first, func(q int) int { return slices.Index(others, q) })
	for i, o := range slices.Backward(j.Objects) { // groups come before what is in them
		if o.Kind == GroupObject && j.born[i] != nil && !needed[i] {
			j.gone[i] = true
			continue
		}
		if o.Parent != NoParent && j.slots[i] == nil {
			needed[o.Parent] = true
		}
	}
}
