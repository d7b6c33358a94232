package script

import (
	"maps"
	"slices"
)

// parts returns the parts of the workload that it has.
func (w *Workload) parts() (all []*Part) {
	for _, p := range []*Part{w.Write, w.Read} {
		if p != nil {
			all = append(all, p)
		}
	}
	return all
}

// steps returns the steps of a part, in their order.
func (p *Part) steps() Steps { return slices.Concat(p.Begin, p.Dump, p.End) }

// Together reports whether a step transfers several datasets in one call, and returns a function that returns an error
// at the place of the first one.
func (r Resolved) Together() (at func(error) error, is bool) {
	for _, p := range r.parts() {
		p.steps().walk(func(s *Step) {
			if s.Together && !is {
				at, is = func(err error) error { return s.pos.Errorf("%v", err) }, true
			}
		})
	}
	return at, is
}

// OneByOne returns the workload with a call for each dataset where a step transfers several in one call.
func (r Resolved) OneByOne() Resolved {
	for _, p := range []**Part{&r.Write, &r.Read} {
		if *p != nil {
			part := **p
			part.Begin, part.Dump, part.End = part.Begin.oneByOne(), part.Dump.oneByOne(), part.End.oneByOne()
			*p = &part
		}
	}
	return r
}

func (all Steps) oneByOne() Steps {
	kept := slices.Clone(all)
	for i := range kept {
		kept[i].Together, kept[i].Do = false, kept[i].Do.oneByOne()
	}
	return kept
}

// CheckFilters calls check with the name of each filter of a dataset, and returns the first error with the place of the
// filter.
func (r Resolved) CheckFilters(check func(name string) error) error {
	for _, name := range slices.Sorted(maps.Keys(r.Objects)) {
		for _, f := range r.Objects[name].Filters {
			if err := check(f.name()); err != nil {
				return f.pos.Errorf("the dataset %s: %v", name, err)
			}
		}
	}
	return nil
}

// name returns the name of a filter.
func (f *Filter) name() string {
	switch {
	case f.Deflate != nil:
		return "deflate"
	case f.Szip != nil:
		return "szip"
	}
	return f.word
}
