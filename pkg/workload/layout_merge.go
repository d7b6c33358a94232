package workload

import (
	"fmt"
	"slices"
	"strings"
)

// mergedFamily is a family of datasets each of which stands for several ones of a program: their index is its first
// dimension.
type mergedFamily struct {
	Object         // its parent is one of the program before
	at       int   // the object of the program before in front of which it comes
	attached []int // attributes that are written when it is created before the dumps
}

// mergedPosition is the place of a dataset in a merged one.
type mergedPosition struct {
	family        int // in merger.made
	number, index uint64
}

// programMerger makes a program in which merged datasets are in the place of others.
type programMerger struct {
	Program     // before
	made        []mergedFamily
	positions   []map[uint64]mergedPosition // by family of the program before, and member; nil: it stays as it is
	emptyGroups []bool                      // by family: groups in which nothing is left
	early       map[*Step][]int             // merged families that are created after steps before the dumps

	p          Program
	objects    []int          // families of the new program, by those of the one before
	families   []int          // the same, by merged ones
	attributes map[string]int // in the program before, by merged family and name
	moves      map[string]int
	lives      map[mergedPosition]*mergedLife
	steps      []Step // of the epoch
}

// mergedLife is what steps do with a merged dataset.
type mergedLife struct {
	parts   int             // of the datasets that it stands for, so many are open
	seen    map[uint64]bool // their indexes, of those that were open since it was opened
	end     *Step           // closed the last one
	closing map[*Step]bool  // steps that close it
	open    bool            // in the new program
	touched map[int]bool    // attributes that were written or read since it was opened
}

func newMerger(p Program) programMerger {
	return programMerger{
		Program: p, positions: make([]map[uint64]mergedPosition, len(p.Objects)),
		emptyGroups: make([]bool, len(p.Objects)),
	}
}

// setPosition puts a dataset in a merged one.
func (m *programMerger) setPosition(object int, member uint64, at mergedPosition) {
	if m.positions[object] == nil {
		m.positions[object] = map[uint64]mergedPosition{}
	}
	m.positions[object][member] = at
}

// mergeProgram returns the new program. A merged dataset is open while one of the datasets that it stands for is, and
// from one to the next one within a dump.
func (m *programMerger) mergeProgram() (Program, error) {
	m.p = m.Program
	m.p.Moves = nil
	m.attributes, m.moves, m.lives = map[string]int{}, map[string]int{}, map[mergedPosition]*mergedLife{}
	m.makeObjects()
	var err error
	for op := range m.p.Parts {
		m.p.Parts[op] = m.p.Parts[op].withEpochs(func(epochs []Epoch) []Epoch {
			if err == nil {
				epochs, err = m.mergeEpochs(epochs)
			}
			return epochs
		})
	}
	m.p.PlaceDatasets()
	return m.p, err
}

// makeObjects makes the objects of the new program.
func (m *programMerger) makeObjects() {
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
		if i < len(m.Objects) && m.positions[i] == nil && !m.emptyGroups[i] {
			m.objects[i] = add(m.Objects[i])
		}
	}
	m.nameFamilies()
}

// nameFamilies gives merged families names that no other object in their file or group has, if need be with a number at
// the end.
func (m *programMerger) nameFamilies() {
	type place struct {
		file   string
		parent int
		name   string
	}
	taken := map[place]bool{}
	for _, merged := range []bool{false, true} {
		for i := range m.p.Objects {
			if slices.Contains(m.families, i) != merged {
				continue
			}
			o := &m.p.Objects[i]
			at := place{m.Files[o.File].Name, o.Parent, o.Name}
			for n := 2; merged && taken[at]; n++ {
				at.name = fmt.Sprintf("%s_%d", o.Name, n)
			}
			o.Name, taken[at] = at.name, true
		}
	}
}

// separators are between words and numbers of a name.
const separators = "=_-.: "

// unnumbered returns the name of a family without the number.
func unnumbered(name string) string {
	before, _, after := splitAtVerb(name)
	return strings.Trim(LiteralFormat(before+after), separators)
}
