package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// joined returns the workload with one dataset for all dumps in the place of one for each.
func joined(w Workload) (Workload, error) {
	w = copied(w)
	j := joiner{Workload: &w, parents: map[string]string{}}
	if err := j.join(); err != nil {
		return w, err
	}
	for _, p := range []*Part{w.Write, w.Read} {
		if p == nil {
			continue
		}
		var err error
		if p.Dump, err = j.steps(p.Dump, p == w.Write, false); err != nil {
			return w, err
		}
	}
	return w, j.create()
}

// joiner puts the datasets of all dumps together.
type joiner struct {
	*Workload
	parents    map[string]string // of the datasets that are put together, by name
	unneeded   []string          // groups in which nothing is left
	created    []string          // of the datasets: those that the dumps create
	attributed []string          // those whose attributes the dumps write
}

// join changes the objects.
func (j *joiner) join() error {
	old := j.Objects
	j.Objects = maps.Clone(old)
	for _, name := range slices.Sorted(maps.Keys(old)) {
		o := old[name]
		if !o.IsDataset() {
			continue
		}
		if f := file(*j.Workload, o); !slices.Contains(f.Per, PerRun) {
			return fmt.Errorf("%s is in a file for each %s", name, f.Per)
		}
		if !perDump(*j.Workload, o) {
			continue
		}
		if err := rigid(name, o, "dump"); err != nil {
			return err
		}
		for {
			group, is := old[o.In.String()]
			if !is || !perDump(*j.Workload, group) {
				break
			}
			if group.For != nil {
				return fmt.Errorf("%s is in several groups of each dump", name)
			}
			o.In = group.In
		}
		var err error
		if o.Dataset, err = renamed(*o.Dataset, name, "dump"); err != nil {
			return err
		}
		j.parents[name] = o.In.String()
		j.Objects[name] = stretched(o, j.Write.Dumps)
	}
	if len(j.parents) == 0 {
		return errors.New("there is no dataset for each dump")
	}
	j.clear()
	return nil
}

// clear finds the groups of dumps in which nothing is left.
func (j *joiner) clear() {
	attributed := map[string]bool{}
	visitAll(*j.Workload, func(s *Step, _ bool) {
		for _, word := range s.Attributes {
			attributed[word.String()] = true
		}
	})
	for range len(j.Objects) { // groups may be in one another
		for name, o := range j.Objects {
			holds := func(name string) func(Object) bool {
				return func(o Object) bool { return o.In.String() == name }
			}
			inside := slices.ContainsFunc(slices.Collect(maps.Values(j.Objects)), holds(name))
			if !o.IsDataset() && perDump(*j.Workload, o) && !inside && !attributed[name] {
				j.unneeded = append(j.unneeded, name)
				delete(j.Objects, name)
			}
		}
	}
}

// steps returns the steps of a dump. on is set within steps of some ranks.
func (j *joiner) steps(all Steps, write, on bool) (Steps, error) {
	var kept Steps
	for _, s := range all {
		if s.Do != nil {
			do, err := j.steps(s.Do, write, on || s.On != "")
			if err != nil {
				return nil, err
			}
			if s.Do = do; len(do) > 0 {
				kept = append(kept, s)
			}
			continue
		}
		steps, err := j.step(s, write, on)
		if err != nil {
			return nil, err
		}
		kept = append(kept, steps...)
	}
	return kept, nil
}

// step returns the steps in the place of one that has no others in it.
func (j *joiner) step(s Step, write, on bool) (Steps, error) {
	if s.About() == nil {
		return Steps{s}, nil
	}
	var own, rest Words
	for _, word := range s.About() {
		switch _, is := j.parents[word.String()]; {
		case is:
			own = append(own, word)
		case !slices.Contains(j.unneeded, word.String()):
			rest = append(rest, word)
		}
	}
	var kept Steps
	add := func(s Step, about Words) {
		if len(about) > 0 {
			kept = append(kept, s.With(about))
		}
	}
	switch verb := s.Verb(); {
	case len(own) == 0 && len(rest) == len(s.About()):
		return Steps{s}, nil
	case verb == "create":
		if on && len(own) > 0 {
			return nil, fmt.Errorf("%s is created by some ranks alone", own[0])
		}
		j.created = union(j.created, own)
		add(s, rest)
		add(NewStep("open", nil), own)
	case verb == "attributes" && write:
		j.attributed = union(j.attributed, own)
		add(s, rest)
	case verb == "write", verb == "read":
		if s.Together {
			if len(rest) > 0 {
				return nil, errors.New("one call transfers datasets of a dump and others")
			}
			first := *j.Objects[own[0].String()].Extent
			return Steps{inRecord(s, Variable("dump"), len(first)-1)}, nil
		}
		for _, word := range s.About() {
			one := s.With(Words{word})
			if _, is := j.parents[word.String()]; is {
				dims := len(*j.Objects[word.String()].Extent) - 1
				one = inRecord(one, Variable("dump"), dims)
			}
			kept = append(kept, one)
		}
	case verb == "unlink", verb == "extend":
		return nil, fmt.Errorf("the step %s is about %s", verb, s.About()[0])
	case verb == "close":
		add(s, slices.DeleteFunc(slices.Clone(s.About()), func(word Word) bool {
			return slices.Contains(j.unneeded, word.String())
		}))
	default:
		add(s, slices.Concat(rest, own))
	}
	return kept, nil
}

// union returns a list with those names that it lacks.
func union(list []string, more Words) []string {
	for _, word := range more {
		if !slices.Contains(list, word.String()) {
			list = append(list, word.String())
		}
	}
	return list
}

// create adds steps before the dumps that create the datasets, each right after what holds it.
func (j *joiner) create() error {
	for _, name := range slices.Backward(j.created) {
		parent := j.parents[name]
		at := slices.IndexFunc(j.Write.Begin, func(s Step) bool {
			return slices.ContainsFunc(s.Create, func(w Word) bool { return w.String() == parent })
		})
		if at < 0 {
			return fmt.Errorf("what holds %s is not created before the dumps by all ranks", name)
		}
		steps := Steps{NewStep("create", words(name))}
		if slices.Contains(j.attributed, name) {
			steps = append(steps, NewStep("attributes", words(name)))
		}
		steps = append(steps, NewStep("close", words(name)))
		j.Write.Begin = slices.Insert(slices.Clone(j.Write.Begin), at+1, steps...)
	}
	return nil
}
