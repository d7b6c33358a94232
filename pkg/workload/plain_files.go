package workload

import (
	"slices"

	"h5perf/pkg/pattern"
)

// ForPlainFiles returns a program without the steps that do nothing with plain files: those that use groups, datasets,
// links, attributes and selections. A step that creates, opens or closes datasets remains if it has a move. The number
// of epochs stays the same, since processes synchronize between them. With objectFiles, the steps that use objects
// remain in files with File.ObjectFiles.
func (p Program) ForPlainFiles(objectFiles bool) Program {
	for op := range p.Parts {
		p.Parts[op] = p.Parts[op].withSteps(func(steps []Step) []Step {
			return slices.DeleteFunc(slices.Clone(steps), func(s Step) bool {
				own := objectFiles && s.usesObjects() && p.Files[s.File].ObjectFiles
				switch s.Class {
				case Create, Open, ObjectClose:
					return s.Move == NoMove && !own
				case Unlink, CreateLink, Stat, List, Rename:
					return !own
				case Attribute, Select, Extend:
					return true
				}
				return false
			})
		})
	}
	return p
}

// maxComparedElements is the largest selection that PlainForm makes comparable.
const maxComparedElements = 1 << 16

// PlainForm returns what a program does with plain files, so that two programs that do the same are equal: without how
// HDF5 selects elements, and without chunks, filters and fill values. Programs with larger selections than
// maxComparedElements, made in different ways, differ.
func (p Program) PlainForm() Program {
	p = p.ForPlainFiles(true)
	p.Moves, p.Objects = slices.Clone(p.Moves), slices.Clone(p.Objects)
	for i := range p.Moves {
		m := &p.Moves[i]
		m.Union, m.Slab, m.Selection = 0, 0, pattern.Selection{}
		if m.PlainSelection.NumElements() <= maxComparedElements {
			if points, err := m.PlainSelection.AsPoints(); err == nil {
				m.PlainSelection = points
			}
		}
	}
	for i := range p.Objects {
		o := &p.Objects[i]
		o.InitialDims, o.MaxExtent, o.Chunk, o.Filters, o.Fill = nil, nil, nil, nil, FillPolicy{}
	}
	return p
}

// usesObjects reports whether a step creates, opens or closes objects, or uses them by their names.
func (s *Step) usesObjects() bool {
	switch s.Class {
	case Create, Open, ObjectClose, Unlink, CreateLink, Stat, List, Rename:
		return true
	}
	return false
}
