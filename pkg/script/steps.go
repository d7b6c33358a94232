package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// visit calls do for steps and for those in them. some is set for steps of some ranks.
func visit(steps Steps, some bool, do func(s *Step, some bool)) {
	for i := range steps {
		s := &steps[i]
		do(s, some)
		visit(s.Do, some || s.On != "", do)
	}
}

// visitAll does that for all steps of a workload.
func visitAll(w Workload, do func(s *Step, some bool)) {
	for _, p := range []*Part{w.Write, w.Read} {
		if p != nil {
			for _, steps := range []Steps{p.Begin, p.Dump, p.End} {
				visit(steps, false, do)
			}
		}
	}
}

// copied returns a workload whose objects and parts can be changed.
func copied(w Workload) Workload {
	w.Objects = maps.Clone(w.Objects)
	for _, p := range []**Part{&w.Write, &w.Read} {
		if *p != nil {
			*p = new(**p)
		}
	}
	return w
}

// rewritten sets the steps of a part to what rewrite returns.
func rewritten(p *Part, rewrite func(Steps) (Steps, error)) error {
	if p == nil {
		return nil
	}
	var failures []error
	for _, steps := range []*Steps{&p.Begin, &p.Dump, &p.End} {
		var err error
		*steps, err = rewrite(*steps)
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// perDump returns whether an object has an own one for each dump, by its name or that of a group that holds it.
func perDump(w Workload, o Object) bool {
	for {
		name := o.Group
		if o.IsDataset() {
			name = o.Dataset
		}
		if slices.Contains(name.Names(), "dump") {
			return true
		}
		parent, is := w.Objects[o.In.String()]
		if !is {
			return false
		}
		o = parent
	}
}

// file returns the file of an object.
func file(w Workload, o Object) File {
	for {
		parent, is := w.Objects[o.In.String()]
		if !is {
			return w.Files[o.In.String()]
		}
		o = parent
	}
}

// rigid returns why a dataset cannot be a part of another one, or nil.
func rigid(name string, o Object, variable string) error {
	switch {
	case o.MaxExtent != nil:
		return fmt.Errorf("%s can be extended", name)
	case o.Compact:
		return fmt.Errorf("%s is compact", name)
	}
	o.For = nil // the number of values does not count
	named := func(a Attribute) bool { return slices.Contains(a.Name.Names(), variable) }
	if o.Depends(variable) || slices.ContainsFunc(o.Attributes, named) {
		return fmt.Errorf("%s is not alike for each %s", name, variable)
	}
	return nil
}

// renamed returns the name of a dataset that stands for all values of a variable: the given one, with the other
// variables of its name.
func renamed(old Text, name, variable string) (*Text, error) {
	var b strings.Builder
	b.WriteString(name)
	for _, v := range old.Names() {
		if v != variable {
			fmt.Fprintf(&b, "_{%s}", v)
		}
	}
	text, err := NewText(b.String())
	return &text, err
}

// stretched returns a dataset with another dimension before the others.
func stretched(o Object, n Number) Object {
	extent := slices.Insert(slices.Clone(*o.Extent), 0, n)
	o.Extent = &extent
	if o.Chunk != nil {
		o.Chunk = slices.Insert(slices.Clone(o.Chunk), 0, Integer(1))
	}
	return o
}

// inRecord returns a transfer of a record of a dataset that has so many dimensions without that of records.
func inRecord(s Step, index Number, dims int) Step {
	s.Select = new(*s.Select)
	s.Select.Record = slices.Insert(slices.Clone(s.Select.Record), 0, index)
	if s.Memory != nil && s.Memory.Ghost != nil && s.Memory.Last == nil {
		s.Memory = new(*s.Memory)
		s.Memory.Last = new(Integer(dims))
	}
	return s
}

// alike returns what makes two values the same.
func alike(values ...any) string {
	text, _ := json.Marshal(values) // of values that were read from JSON or YAML, hence without error
	return string(text)
}

// words returns words.
func words(names ...string) (all Words) {
	for _, name := range names {
		all = append(all, NewWord(name))
	}
	return all
}

// free returns a name that no object and no file has.
func free(w Workload, name string) string {
	taken := func(name string) bool {
		_, object := w.Objects[name]
		_, file := w.Files[name]
		return object || file
	}
	for i := 2; taken(name); i++ {
		name = fmt.Sprintf("%s%d", strings.TrimRight(name, "0123456789"), i)
	}
	return name
}
