package workload

import (
	"fmt"
	"slices"
	"strings"
)

// mergedFamily is a family of merged datasets. Each merged dataset replaces several datasets of the old program. Its
// first dimension is the index of the old dataset.
type mergedFamily struct {
	Object                   // Parent is an index in the old program
	insertBefore       int   // index of the old object before which it is inserted
	attachedAttributes []int // attributes that are written if it is created before the dumps
}

// mergedPosition says which merged dataset holds a dataset, and at which index.
type mergedPosition struct {
	family        int // index in programMerger.mergedFamilies
	number, index uint64
}

// programMerger makes a new program in which merged datasets replace the datasets of the old program.
type programMerger struct {
	Program        // the old one
	mergedFamilies []mergedFamily
	positions      []map[uint64]mergedPosition // by old family and member; nil: the family is not merged
	emptyGroups    []bool                      // by old family: the groups would be empty, and are left out
	createdAfter   map[*Step][]int             // merged families to create after a step before the dumps

	newProgram Program
	objects    []int          // index of the new family, by old family
	families   []int          // index of the new family, by merged family
	attributes map[string]int // index in the old program, by merged family and name
	moves      map[string]int
	states     map[mergedPosition]*mergedState
	steps      []Step // of the current epoch
}

// mergedState tracks the state of a merged dataset through the steps.
type mergedState struct {
	numOpen        int             // number of open old datasets for which it stands
	openedIndices  map[uint64]bool // indices of old datasets that were opened since it was opened
	lastClose      *Step           // the step that closed the last open old dataset
	closingSteps   map[*Step]bool  // steps of the old program that close it
	open           bool            // open in the new program
	usedAttributes map[int]bool    // attributes that were used since it was opened
}

func newMerger(p Program) programMerger {
	return programMerger{
		Program: p, positions: make([]map[uint64]mergedPosition, len(p.Objects)),
		emptyGroups: make([]bool, len(p.Objects)),
	}
}

// setPosition notes which merged dataset holds a dataset.
func (m *programMerger) setPosition(object int, member uint64, at mergedPosition) {
	if m.positions[object] == nil {
		m.positions[object] = map[uint64]mergedPosition{}
	}
	m.positions[object][member] = at
}

// mergeProgram returns the new program. A merged dataset is open while at least one of its old datasets is open. Within
// a dump it also stays open from one old dataset to the next.
func (m *programMerger) mergeProgram() (Program, error) {
	m.newProgram = m.Program
	m.newProgram.Moves = nil
	m.attributes, m.moves, m.states = map[string]int{}, map[string]int{}, map[mergedPosition]*mergedState{}
	m.makeObjects()
	var err error
	for op := range m.newProgram.Parts {
		m.newProgram.Parts[op] = m.newProgram.Parts[op].withEpochs(func(epochs []Epoch) []Epoch {
			if err == nil {
				epochs, err = m.mergeEpochs(epochs)
			}
			return epochs
		})
	}
	m.newProgram.PlaceDatasets()
	return m.newProgram, err
}

// makeObjects fills the objects of the new program.
func (m *programMerger) makeObjects() {
	m.newProgram.Objects, m.objects, m.families = nil, make([]int, len(m.Objects)), make([]int, len(m.mergedFamilies))
	add := func(o Object) int {
		if o.Parent != NoParent {
			o.Parent = m.objects[o.Parent]
		}
		if o.OldNames > 0 {
			o.OldNames = m.objects[o.OldNames-1] + 1
		}
		m.newProgram.Objects = append(m.newProgram.Objects, o)
		return len(m.newProgram.Objects) - 1
	}
	for i := range len(m.Objects) + 1 {
		for f := range m.mergedFamilies {
			if m.mergedFamilies[f].insertBefore == i {
				m.families[f] = add(m.mergedFamilies[f].Object)
			}
		}
		if i < len(m.Objects) && m.positions[i] == nil && !m.emptyGroups[i] {
			m.objects[i] = add(m.Objects[i])
		}
	}
	m.nameFamilies()
}

// nameFamilies makes the names of merged families unique in their file or group. If necessary, it appends a number.
func (m *programMerger) nameFamilies() {
	type place struct {
		file   string
		parent int
		name   string
	}
	taken := map[place]bool{}
	for _, merged := range []bool{false, true} {
		for i := range m.newProgram.Objects {
			if slices.Contains(m.families, i) != merged {
				continue
			}
			o := &m.newProgram.Objects[i]
			at := place{m.Files[o.File].Name, o.Parent, o.Name}
			for n := 2; merged && taken[at]; n++ {
				at.name = fmt.Sprintf("%s_%d", o.Name, n)
			}
			o.Name, taken[at] = at.name, true
		}
	}
}

// separators are the characters between words and numbers in a name.
const separators = "=_-.: "

// formatWithoutVerb returns the name of an object family, such as "step_%05d", as a format without its verb: "step".
func formatWithoutVerb(name string) string {
	before, _, after := splitAtVerb(name)
	return strings.Trim(LiteralFormat(before+after), separators)
}
