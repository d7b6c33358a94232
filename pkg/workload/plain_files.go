package workload

import "slices"

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

// usesObjects reports whether a step creates, opens or closes objects, or uses them by their names.
func (s *Step) usesObjects() bool {
	switch s.Class {
	case Create, Open, ObjectClose, Unlink, CreateLink, Stat, List, Rename:
		return true
	}
	return false
}
