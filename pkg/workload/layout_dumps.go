package workload

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// createdDataset is a dataset that a dump creates. parent is the family of the nearest group above the dataset that
// exists before the dump, or NoParent. group is the number of this group in the family.
type createdDataset struct {
	object int
	member uint64
	parent int
	group  uint64
}

// joinDumps returns the program in which one dataset for all dumps replaces one dataset for each dump. If each dump
// creates several datasets, the first one of each dump is joined, then the second one, and so on. first is the program
// of rank 0.
func (p Program) joinDumps(first Program) (Program, error) {
	j := dumpJoiner{
		programMerger: newMerger(p), familySteps: p.stepsByFamily(),
		dumpOfMember: make([]map[uint64]int, len(p.Objects)),
		dumps:        make([][]createdDataset, len(p.Parts[Write].Dumps)),
	}
	j.createdAfter = map[*Step][]int{}
	j.findCreatedDatasets()
	for _, do := range []func() error{j.joinFamilies, j.checkJoinedSteps, j.findCreationSteps} {
		if err := do(); err != nil {
			return p, err
		}
	}
	j.findEmptyGroups(&first)
	return j.mergeProgram()
}

// dumpJoiner joins the datasets of dumps.
type dumpJoiner struct {
	programMerger
	familySteps  [][]familyStep     // by family
	dumpOfMember []map[uint64]int   // by family and member: the dump that creates the object
	dumps        [][]createdDataset // by dump: its datasets, sorted by family and member
}

// findCreatedDatasets fills dumpOfMember and dumps.
func (j *dumpJoiner) findCreatedDatasets() {
	for i := range j.Objects {
		o := &j.Objects[i]
		for _, a := range j.familySteps[i] {
			if a.Class != Create || a.dump < 0 || a.dump >= len(j.dumps) || j.Files[a.File].Group != All {
				continue
			}
			if j.dumpOfMember[i] == nil {
				j.dumpOfMember[i] = map[uint64]int{}
			}
			for k := a.First; k < a.First+a.Count; k++ {
				j.dumpOfMember[i][k] = a.dump
				if o.Kind == DatasetObject {
					all := &j.dumps[a.dump]
					*all = append(*all, j.withoutDumpGroups(createdDataset{i, k, o.Parent, k / o.PerGroup}, a.dump))
				}
			}
		}
	}
	for _, all := range j.dumps {
		slices.SortFunc(all, func(a, b createdDataset) int {
			return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.member, b.member))
		})
	}
}

// withoutDumpGroups returns the dataset, with parent and group moved up to a group that the dump does not create.
func (j *dumpJoiner) withoutDumpGroups(c createdDataset, dump int) createdDataset {
	for c.parent != NoParent {
		if d, is := j.dumpOfMember[c.parent][c.group]; !is || d != dump {
			break
		}
		g := &j.Objects[c.parent]
		c.parent, c.group = g.Parent, c.group/g.PerGroup
	}
	return c
}

// joinFamilies adds the merged families, or returns why the datasets cannot be joined.
func (j *dumpJoiner) joinFamilies() error {
	if len(j.dumps) < 2 {
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
			if err := j.whyNotJoinable(&one[i], &all[i]); err != nil {
				return err
			}
		}
	}
	for i, end := 0, 0; i < len(one); i = end {
		for end < len(one) && one[end].object == one[i].object {
			end++
		}
		if err := j.addJoinedFamily(i, end); err != nil {
			return err
		}
	}
	return nil
}

// whyNotJoinable returns the reason why dataset a of the first dump and its counterpart b in another dump cannot be
// joined, or nil.
func (j *dumpJoiner) whyNotJoinable(a, b *createdDataset) error {
	o, p := j.Objects[a.object], j.Objects[b.object]
	if err := j.whyNotMergeable(a.object); err != nil {
		return err
	}
	path := j.PathOf(a.object, a.member)
	if j.Files[o.File].Name != j.Files[p.File].Name {
		return fmt.Errorf("%s is in a file for each dump", path)
	}
	p.Name, p.File, p.Parent, p.PerGroup, p.Count, p.First = o.Name, o.File, o.Parent, o.PerGroup, o.Count, o.First
	p.Base, p.Stride = o.Base, o.Stride
	if a.parent != b.parent || a.group != b.group || !reflect.DeepEqual(o, p) {
		return fmt.Errorf("%s is not alike for each dump", path)
	}
	return nil
}

// addJoinedFamily adds a merged family. Its datasets in the first dump have the indices [from, to), and are of one
// family.
func (j *dumpJoiner) addJoinedFamily(from, to int) error {
	one := j.dumps[0][from:to]
	o := j.Objects[one[0].object]
	each := uint64(len(one))
	if one[0].parent != NoParent {
		each = uint64(max(1, slices.IndexFunc(one, func(c createdDataset) bool { return c.group != one[0].group })))
	}
	for i, c := range one {
		if c.parent != one[0].parent || c.parent != NoParent && c.group != uint64(i)/each {
			return fmt.Errorf("%s is not in all groups alike", j.PathOf(c.object, c.member))
		}
	}
	for d, all := range j.dumps {
		for i, c := range all[from:to] {
			j.setPosition(c.object, c.member, mergedPosition{len(j.mergedFamilies), uint64(i), uint64(d)})
		}
		for other := j.Objects[all[from].object].Name; !strings.HasPrefix(other, o.Name); {
			o.Name = strings.TrimRight(o.Name[:len(o.Name)-1], "%"+separators)
		}
	}
	switch o.Name = cmp.Or(o.Name, "dataset"); {
	case each == 1 && o.PerGroup > 1: // the number in the name is that of the dump
		o.Name = formatWithoutVerb(o.Name)
	case each > 1 && memberName(o.Name, 0) == memberName(o.Name, 1): // the number was in the names of groups
		o.Name += "_%d"
	}
	o.Parent, o.PerGroup, o.Count = one[0].parent, each, uint64(len(one))
	j.mergedFamilies = append(j.mergedFamilies,
		mergedFamily{Object: o.withFirstDim(uint64(len(j.dumps))), insertBefore: o.Parent + 1})
	return nil
}

// checkJoinedSteps returns the reason why the steps that use joined datasets cannot be converted, or nil.
func (j *dumpJoiner) checkJoinedSteps() error {
	for i, parts := range j.positions {
		if parts == nil {
			continue
		}
		for _, a := range j.familySteps[i] {
			path := j.PathOf(i, a.First)
			if j.Files[a.File].Group != All {
				return fmt.Errorf("%s is used by some processes alone", path)
			}
			for k := a.First; k < a.First+a.Count; k++ {
				if _, is := parts[k]; !is {
					return fmt.Errorf("%s is not created by a dump", j.PathOf(i, k))
				}
			}
			switch {
			case a.Class == Attribute && a.Op == Write && !j.attachAttributes(a.Step):
				return fmt.Errorf("%s is not alike for each dump", path)
			case a.Class == Transfer && slices.ContainsFunc(slices.Collect(a.Moves()), func(move int) bool {
				return j.positions[j.Moves[move].Object] == nil
			}):
				return fmt.Errorf("%s is transferred in one call with datasets that are there for all dumps", path)
			}
		}
	}
	return nil
}

// attachAttributes adds to the merged dataset the attributes that a step of the first dump writes. For a step of
// another dump, it reports whether the merged dataset has these attributes.
func (j *dumpJoiner) attachAttributes(s *Step) bool {
	part := j.positions[s.Object][s.First]
	m := &j.mergedFamilies[part.family]
	is := slices.ContainsFunc(m.attachedAttributes, func(a int) bool {
		return reflect.DeepEqual(j.Attributes[a], j.Attributes[s.Attributes])
	})
	if !is && part.index == 0 {
		m.attachedAttributes = append(m.attachedAttributes, s.Attributes)
		return true
	}
	return is
}

// findCreationSteps finds the step after which each merged dataset is created. It is the step, before the dumps, that
// creates its parent group or its file.
func (j *dumpJoiner) findCreationSteps() error {
	after := make([]*Step, len(j.mergedFamilies))
	for s := range (&ProgramPart{Begin: j.Parts[Write].Begin}).Steps() {
		file := &j.Files[s.File]
		for f, m := range j.mergedFamilies {
			switch {
			case file.Group != All:
			case s.Class == FileOpen && m.Parent == NoParent && !s.Existing && file.Name == j.Files[m.File].Name,
				s.Class == Create && s.Object == m.Parent && s.First+s.Count == j.Objects[m.Parent].Count:
				after[f] = s
			}
		}
	}
	for f, s := range after {
		if s == nil {
			return fmt.Errorf("what holds %s is not created before the dumps by all processes",
				j.PathOf(j.dumps[0][0].object, 0))
		}
		j.createdAfter[s] = append(j.createdAfter[s], f)
	}
	return nil
}

// findEmptyGroups finds the groups that dumps create, that are empty after the datasets are joined, and that have no
// attributes.
func (j *dumpJoiner) findEmptyGroups(first *Program) {
	needed, acts, others := make([]bool, len(j.Objects)), first.stepsByFamily(), j.familiesOfFirstRank(first)
	for i, o := range slices.Backward(j.Objects) { // groups come before what is in them
		j.emptyGroups[i] = o.Kind == GroupObject && j.dumpOfMember[i] != nil && !needed[i] && others[i] >= 0 &&
			!slices.ContainsFunc(acts[others[i]], func(a familyStep) bool { return a.Class == Attribute })
		if o.Parent != NoParent && j.positions[i] == nil && !j.emptyGroups[i] {
			needed[o.Parent] = true
		}
	}
}
