package workload

import "slices"

// Plain returns a program without the steps that do nothing with plain files: those about groups, datasets, attributes
// and selections. Steps with which transfers begin or end stay.
func (p Program) Plain() Program {
	for op := range p.Parts {
		p.Parts[op] = p.Parts[op].replaced(plain)
	}
	return p
}

// plain returns epochs without these steps. Their number does not change: processes do epochs together.
func plain(epochs []Epoch) []Epoch {
	epochs = slices.Clone(epochs)
	for i := range epochs {
		epochs[i].Steps = slices.DeleteFunc(slices.Clone(epochs[i].Steps), func(s Step) bool {
			switch s.Class {
			case Create, Open, ObjectClose:
				return s.Move == NoMove
			case Attribute, Select, Extend, Unlink:
				return true
			}
			return false
		})
	}
	return epochs
}
