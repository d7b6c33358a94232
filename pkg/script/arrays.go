package script

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// stacked returns the workload with one dataset in the place of like ones of a dump: those of one name in the workload
// that differ by a variable, or those that have the same type and extent, are in the same group, and are transferred in
// the same way.
func stacked(w Workload) (Workload, error) {
	w = copied(w)
	s := stacker{Workload: &w, stacks: map[string]*stack{}}
	if err := s.find(); err != nil {
		return w, err
	}
	for _, p := range []*Part{w.Write, w.Read} {
		err := rewritten(p, func(all Steps) (Steps, error) { return s.steps(all, nil) })
		if err != nil {
			return w, err
		}
	}
	return w, nil
}

// stack is a dataset that stands for several.
type stack struct {
	name     string   // in the workload
	variable string   // that numbers the datasets, if they have one name; else members do
	members  []string // their names
	number   Number   // of datasets
	dims     int      // of one of them
}

// index returns the number of a dataset in the stack.
func (s *stack) index(name string) Number {
	if s.variable != "" {
		return Variable(s.variable)
	}
	return Integer(slices.Index(s.members, name))
}

// stacker puts like datasets together.
type stacker struct {
	*Workload
	stacks map[string]*stack // by the names of members
}

// find finds like datasets, and changes the objects.
func (s *stacker) find() error {
	var reason error
	var order []string
	like := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(s.Objects)) {
		o := s.Objects[name]
		if !o.IsDataset() {
			continue
		}
		variable := ""
		for v := range o.For {
			variable = v
		}
		if err := cmp.Or(rigid(name, o, variable), s.transferred(name)); err != nil {
			reason = cmp.Or(reason, err)
			continue
		}
		if variable == "" {
			key := s.likeness(name)
			if like[key] == nil {
				order = append(order, key)
			}
			like[key] = append(like[key], name)
			continue
		}
		text, err := renamed(*o.Dataset, name, variable)
		if err != nil {
			return err
		}
		number := o.For[variable]
		s.stacks[name] = &stack{
			name: name, variable: variable, members: []string{name}, number: number, dims: len(*o.Extent),
		}
		o.Dataset, o.For = text, nil
		s.Objects[name] = stretched(o, number)
	}
	for _, key := range order {
		if len(like[key]) > 1 {
			if err := s.gather(like[key]); err != nil {
				return err
			}
		}
	}
	if len(s.stacks) == 0 {
		return cmp.Or(reason, errors.New("there are no like datasets"))
	}
	return nil
}

// transferred returns why the transfers of a dataset cannot be those of a part of another one, or nil.
func (s *stacker) transferred(name string) (err error) {
	visitAll(*s.Workload, func(step *Step, _ bool) {
		is := slices.ContainsFunc(step.About(), func(w Word) bool { return w.String() == name })
		switch {
		case !is || err != nil:
		case step.Together:
			err = fmt.Errorf("%s is transferred in one call with others", name)
		case step.Memory != nil && step.Memory.Within != nil:
			err = fmt.Errorf("%s is a member of structures in memory", name)
		case step.Verb() == "unlink", step.Verb() == "extend":
			err = fmt.Errorf("the step %s is about %s", step.Verb(), name)
		}
	})
	return err
}

// likeness is the same for datasets that are like one another.
func (s *stacker) likeness(name string) string {
	o := s.Objects[name]
	parts := []any{o.Dataset.Names()}
	o.Dataset = nil
	parts = append(parts, o)
	visitAll(*s.Workload, func(step *Step, _ bool) {
		if slices.ContainsFunc(step.About(), func(w Word) bool { return w.String() == name }) {
			parts = append(parts, step.Verb(), step.Select, step.Mode, step.Memory)
		}
	})
	return alike(parts...)
}

// gather puts datasets together.
func (s *stacker) gather(members []string) error {
	one := &stack{
		name: free(*s.Workload, "arrays"), members: members, number: Integer(len(members)),
	}
	o := s.Objects[members[0]]
	one.dims = len(*o.Extent)
	text, err := renamed(*o.Dataset, one.name, "")
	if err != nil {
		return err
	}
	o.Dataset = text
	for _, name := range members {
		s.stacks[name] = one
		delete(s.Objects, name)
	}
	s.Objects[one.name] = stretched(o, one.number)
	return nil
}

// loop is a loop over the datasets of stacks. What is done to each of them in it is done before and after it, once.
type loop struct {
	variable      string
	before, after Steps
	inside        bool // within other steps of the loop
}

// deeper returns the loop for steps within others.
func (l *loop) deeper() *loop {
	if l == nil {
		return nil
	}
	return &loop{variable: l.variable, inside: true}
}

// steps returns the steps in the place of others, which are in a loop over datasets or not.
func (s *stacker) steps(all Steps, in *loop) (Steps, error) {
	if err := s.whole(all); err != nil {
		return nil, err
	}
	seen := map[string]int{} // members of stacks, by verb and stack
	var kept Steps
	for _, step := range all {
		if step.Do == nil {
			steps, err := s.step(step, in, seen)
			if err != nil {
				return nil, err
			}
			kept = append(kept, steps...)
			continue
		}
		within := in.deeper()
		if over := s.over(&step); over != "" {
			within = &loop{variable: over}
		}
		do, err := s.steps(step.Do, within)
		if err != nil {
			return nil, err
		}
		step.Do = do
		if within != nil {
			kept = append(kept, within.before...)
		}
		if len(do) > 0 {
			kept = append(kept, step)
		}
		if within != nil {
			kept = append(kept, within.after...)
		}
	}
	return kept, nil
}

// over returns the variable of a loop over the datasets of a stack, or "".
func (s *stacker) over(step *Step) string {
	for v := range step.For {
		for _, one := range s.stacks {
			if one.variable == v {
				return v
			}
		}
	}
	return ""
}

// whole returns an error if steps create, open, close or write attributes of some datasets of a stack only.
func (s *stacker) whole(all Steps) error {
	counts := map[string]int{}
	for i := range all {
		if all[i].Verb() == "write" || all[i].Verb() == "read" {
			continue
		}
		for _, word := range all[i].About() {
			if one := s.stacks[word.String()]; one != nil {
				counts[all[i].Verb()+" "+one.name]++
			}
		}
	}
	for i := range all {
		for _, word := range all[i].About() {
			one := s.stacks[word.String()]
			if one == nil || one.variable != "" {
				continue
			}
			if n := counts[all[i].Verb()+" "+one.name]; n != 0 && n != len(one.members) {
				return fmt.Errorf("steps %s only some of the like datasets %s ... together", all[i].Verb(), word)
			}
		}
	}
	return nil
}

// step returns the steps in the place of one that has no others in it.
func (s *stacker) step(step Step, in *loop, seen map[string]int) (Steps, error) {
	if !slices.ContainsFunc(step.About(), func(w Word) bool { return s.stacks[w.String()] != nil }) {
		return Steps{step}, nil
	}
	if verb := step.Verb(); verb == "write" || verb == "read" {
		return s.transfers(step, in), nil
	}
	var about Words
	var hoisted Words
	for _, word := range step.About() {
		one := s.stacks[word.String()]
		if one == nil {
			about = append(about, word)
			continue
		}
		if one.variable != "" {
			if in == nil || in.variable != one.variable {
				about = append(about, word)
				continue
			}
			if in.inside {
				return nil, fmt.Errorf("the step %s about %s is in a loop over it, within other steps", step.Verb(),
					word)
			}
			hoisted = append(hoisted, word)
			continue
		}
		key := step.Verb() + " " + one.name
		seen[key]++
		at := 1
		if step.Verb() == "close" {
			at = len(one.members)
		}
		if seen[key] == at {
			about = append(about, NewWord(one.name))
		}
	}
	if len(hoisted) > 0 {
		if step.Verb() == "close" {
			in.after = append(in.after, step.With(hoisted))
		} else {
			in.before = append(in.before, step.With(hoisted))
		}
	}
	if len(about) == 0 {
		return nil, nil
	}
	return Steps{step.With(about)}, nil
}

// transfers returns the transfers in the place of one.
func (s *stacker) transfers(step Step, in *loop) (kept Steps) {
	for _, word := range step.About() {
		one := s.stacks[word.String()]
		if one == nil {
			kept = append(kept, step.With(Words{word}))
			continue
		}
		part := inRecord(step.With(words(one.name)), one.index(word.String()), one.dims)
		if one.variable != "" && (in == nil || in.variable != one.variable) {
			kept = append(kept, NewLoop(one.variable, one.number, Steps{part}))
			continue
		}
		kept = append(kept, part)
	}
	return kept
}
