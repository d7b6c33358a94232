package workload

import "slices"

// ForPlainFiles returns a program without the steps that do nothing with plain files: those that use groups, datasets,
// links, attributes and selections. A step that creates, opens or closes datasets remains if it has a move. The number of
// epochs stays the same, since processes synchronize between them.
func (p Program) ForPlainFiles() Program {
	for op := range p.Parts {
		p.Parts[op] = p.Parts[op].withSteps(func(steps []Step) []Step {
			return slices.DeleteFunc(slices.Clone(steps), func(s Step) bool {
				switch s.Class {
				case Create, Open, ObjectClose:
					return s.Move == NoMove
				case Attribute, Select, Extend, Unlink, CreateLink, Stat, List, Rename:
					return true
				}
				return false
			})
		})
	}
	return p
}
