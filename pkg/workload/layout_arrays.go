package workload

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/pattern"
)

// stackArrays returns the program in which one dataset replaces several similar datasets of a dump. Similar are the
// members of a family in one group, and datasets of several families in one group with the same type, extent,
// attributes and transfers. first, the program of rank 0, says which datasets are combined. For files that this process
// opens alone, its own program p says it.
func (p Program) stackArrays(first Program) (Program, error) {
	stacks, reason := first.findStackableFamilies()
	if len(stacks) == 0 {
		return p, cmp.Or(reason, errors.New("there are no like datasets"))
	}
	others := p.familiesOfFirstRank(&first)
	var own [][]int
	for _, s := range stacks {
		for i, q := range s {
			s[i] = slices.Index(others, q)
		}
		if !slices.Contains(s, -1) {
			own = append(own, s)
		}
	}
	alone, _ := p.findStackableFamilies()
	for _, s := range alone {
		if others[s[0]] < 0 {
			own = append(own, s)
		}
	}
	m := newMerger(p)
	for f, s := range own {
		m.stackFamilies(f, s)
	}
	return m.mergeProgram()
}

// stackFamilies adds merged family number f. It stands for several families, or for one family whose members in each
// group are combined.
func (m *programMerger) stackFamilies(f int, families []int) {
	o := m.Objects[families[0]]
	n := uint64(len(families))
	if n == 1 {
		n = o.PerGroup
		for k := range o.Count {
			m.setPosition(families[0], k, mergedPosition{f, k / n, k % n})
		}
		o.PerGroup, o.Count, o.First, o.Name = 1, o.Count/n, 0, formatWithoutVerb(o.Name)
	} else {
		o.Name = "arrays" + strings.Repeat("_%d", int(min(o.PerGroup-1, 1)))
		for i, at := range families {
			for k := range o.Count {
				m.setPosition(at, k, mergedPosition{f, k, uint64(i)})
			}
		}
	}
	m.mergedFamilies = append(m.mergedFamilies,
		mergedFamily{Object: o.withFirstDim(n), insertBefore: slices.Min(families)})
}

// withFirstDim returns the dataset with an additional first dimension of extent n.
func (o Object) withFirstDim(n uint64) Object {
	o.Dims = slices.Insert(slices.Clone(o.Dims), 0, n)
	if o.Chunk != nil {
		o.Chunk = slices.Insert(slices.Clone(o.Chunk), 0, 1)
	}
	return o
}

// whyNotMergeable returns the reason why a dataset cannot be a part of a merged one, or nil.
func (p *Program) whyNotMergeable(object int) error {
	o := &p.Objects[object]
	path := p.PathOf(object, 0)
	switch {
	case o.MaxExtent != nil:
		return fmt.Errorf("%s can be extended", path)
	case o.Compact:
		return fmt.Errorf("%s is compact", path)
	case o.External:
		return fmt.Errorf("%s is in an external file", path)
	case o.Null || len(o.Dims) == 0:
		return fmt.Errorf("%s has no dimensions", path)
	}
	return nil
}

// familyStep is a step that uses members of a family.
type familyStep struct {
	*Step
	dump int // number of the dump; -1: before the first one
}

// stepsByFamily returns the steps that use each family of objects, except those that build selections.
func (p *Program) stepsByFamily() [][]familyStep {
	all := make([][]familyStep, len(p.Objects))
	for op := range p.Parts {
		for i, epochs := range p.Parts[op].Sections() {
			for s := range (&ProgramPart{Begin: epochs}).Steps() {
				switch s.Class {
				case Create, Open, CreateLink, Stat, List, Rename, Attribute, Extend, ObjectClose, Unlink:
					if s.Object != NoParent {
						all[s.Object] = append(all[s.Object], familyStep{s, i - 1})
					}
					if s.Class == Rename {
						all[s.NewNames] = append(all[s.NewNames], familyStep{s, i - 1})
					}
				case Transfer:
					for move := range s.Moves() {
						object := p.Moves[move].Object
						all[object] = append(all[object], familyStep{s, i - 1})
					}
				}
			}
		}
	}
	return all
}

// findStackableFamilies returns the families of datasets that can be combined. An entry is a list of similar families,
// sorted by name, or a single family whose members in a group can be combined. reason says why the first dataset that
// cannot be combined cannot.
func (p *Program) findStackableFamilies() (all [][]int, reason error) {
	acts := p.stepsByFamily()
	like, order := map[string][]int{}, []string{}
	for i := range p.Objects {
		if p.Objects[i].Kind != DatasetObject {
			continue
		}
		if err := cmp.Or(p.whyNotMergeable(i), p.whyNotStackable(i, acts[i])); err != nil {
			reason = cmp.Or(reason, err)
			continue
		}
		if p.Objects[i].beginsInOneDump(acts[i]) {
			all = append(all, []int{i})
			continue
		}
		key := p.likenessKey(i, acts[i])
		if like[key] == nil {
			order = append(order, key)
		}
		like[key] = append(like[key], i)
	}
	for _, key := range order {
		if s := like[key]; len(s) > 1 {
			slices.SortStableFunc(s, func(a, b int) int { return cmp.Compare(p.Objects[a].Name, p.Objects[b].Name) })
			all = append(all, s)
		}
	}
	return all, reason
}

// whyNotStackable returns the reason why the transfers of a dataset cannot use a part of a merged dataset, or nil.
func (p *Program) whyNotStackable(object int, acts []familyStep) error {
	path := p.PathOf(object, 0)
	for _, a := range acts {
		switch {
		case a.needsOwnName():
			return fmt.Errorf("%s is %s", path, a.Class.participle())
		case a.Class != Transfer:
		case a.MultiMoves > 0:
			return fmt.Errorf("%s is transferred in one call with others", path)
		case p.Moves[a.Move].Form.Kind == pattern.Member:
			return fmt.Errorf("%s is a member of structures in memory", path)
		}
	}
	return nil
}

// needsOwnName reports whether a step makes sense only with a dataset that has its own name or extent.
func (s *Step) needsOwnName() bool {
	switch s.Class {
	case Extend, Unlink, Stat, List, Rename:
		return true
	}
	return false
}

// beginsInOneDump reports whether a group holds several members of the family, which are first created or opened in the
// same dump.
func (o *Object) beginsInOneDump(acts []familyStep) bool {
	begin := func(member uint64) int {
		return slices.IndexFunc(acts, func(a familyStep) bool {
			return (a.Class == Create || a.Class == Open) && member >= a.First && member < a.First+a.Count
		})
	}
	if o.PerGroup == 1 || len(acts) == 0 {
		return false
	}
	one := acts[0].First / o.PerGroup * o.PerGroup // first member of the group
	a, b := begin(one), begin(one+1)
	return a >= 0 && b >= 0 && acts[a].Op == acts[b].Op && acts[a].dump == acts[b].dump
}

// likenessKey returns a text that is equal for families that differ in their names only. It leaves out selections that
// follow from a rule.
func (p *Program) likenessKey(object int, acts []familyStep) string {
	o := p.Objects[object]
	o.Name, o.Base, o.Stride = "", 0, 0
	parts := []any{o}
	for _, a := range acts {
		parts = append(parts, a.Class, a.Op, a.dump, a.First, a.Count)
		switch a.Class {
		case Attribute:
			parts = append(parts, p.Attributes[a.Attributes])
		case Transfer:
			m := p.Moves[a.Move]
			m.Object = 0
			if m.Rule.Name != "" {
				m.Selection, m.PlainSelection = pattern.Selection{}, pattern.Selection{}
			}
			parts = append(parts, m)
		}
	}
	return fmt.Sprintf("%+v", parts)
}
