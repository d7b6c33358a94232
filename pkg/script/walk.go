package script

import (
	"maps"
	"reflect"
	"slices"

	"h5perf/pkg/workload"
)

// walker does the steps of a resolved workload, without doing anything, for a job.
type walker struct {
	*Workload
	job    Job
	env    map[string]int64                      // dump, and variables that have a value
	on     Where                                 // the ranks that do steps; "": all
	bands  int64                                 // with OnTurns: number of bands
	unroll bool                                  // loops are done each time; else only once, if each time is the same
	begin  func() error                          // of a dump
	group  groupFunc                             // does steps of some ranks
	alike  func(o *Object, variable string) bool // with unroll: the last variable of objects makes no difference
	alikes map[string]uint64                     // without unroll: values of variables whose loops are done only once
	step   func(s *Step, times uint64) error
	line   int    // of the step at work
	done   uint64 // number of steps
	visits uint64

	// The objects that a rank has, of so many that are dealt.
	own func(all uint64) (from, to uint64)
	// The dealing that steps are in; nil: none.
	deal *deal
}

// deal is how many objects are dealt to all ranks, and how many of them a rank has at most.
type deal struct{ all, most uint64 }

// groupFunc does steps, which only some ranks do.
type groupFunc func(where Where, steps func() error) error

// part does the steps of a part.
func (w *walker) part(p *Part) error {
	dumps, err := w.count(&p.Dumps, "the number of dumps", 1)
	if err != nil {
		return err
	}
	if _, err := w.handled(p); err != nil {
		return err
	}
	if err := w.steps(p.Begin, 1); err != nil {
		return err
	}
	if err := w.loop("dump", dumps, p.Dump, 1); err != nil {
		return err
	}
	return w.steps(p.End, 1)
}

// mostHandled is the largest number of units that a dump handles.
const mostHandled = 1 << 40

// handled returns how many units each dump of a part handles, in the order of their names.
func (w *walker) handled(p *Part) ([]workload.Units, error) {
	var all []workload.Units
	for _, unit := range slices.Sorted(maps.Keys(p.Handles)) {
		n := p.Handles[unit]
		number, err := w.count(&n, "the number of "+unit, 0)
		if err != nil {
			return nil, err
		}
		if number > mostHandled {
			return nil, n.pos.Errorf("the number of %s is %d, but must be at most %d", unit, number, int64(mostHandled))
		}
		all = append(all, workload.Units{Name: unit, Number: number})
	}
	return all, nil
}

// loop does steps for each value of a variable.
func (w *walker) loop(variable string, n uint64, steps Steps, times uint64) error {
	_, outer := w.env[variable]
	if !outer {
		defer delete(w.env, variable)
	}
	from, to, end, err := w.span(variable, n, w.place(steps))
	defer end()
	if err != nil {
		return err
	}
	if n = to - from; n > MostSteps {
		return w.tooMany(steps)
	}
	if !w.unroll && !w.depends(steps, variable) {
		w.env[variable] = 0
		if n == 0 {
			return nil
		}
		w.alikes[variable] = n
		defer delete(w.alikes, variable)
		return w.steps(steps, times*n)
	}
	for i := from; i < to; i++ {
		w.env[variable] = int64(i)
		if variable == "dump" && w.begin != nil {
			if err := w.begin(); err != nil {
				return err
			}
		}
		if err := w.steps(steps, times); err != nil {
			return err
		}
	}
	return nil
}

// span returns the values that a variable has on a rank: all, or those of the objects that were dealt to it. It calls
// end after steps with these values.
func (w *walker) span(variable string, n uint64, p Pos) (from, to uint64, end func(), err error) {
	if !w.isDealt(variable) {
		return 0, n, func() {}, nil
	}
	ranks := uint64(w.job.Ranks)
	if n < ranks {
		return 0, 0, func() {}, p.Errorf("%d objects are dealt to %d ranks: there must be one for each", n, ranks)
	}
	w.deal = &deal{n, (n + ranks - 1) / ranks}
	from, to = w.own(n)
	return from, to, func() { w.deal = nil }, nil
}

// isDealt reports whether the objects of a variable are dealt to ranks.
func (w *Workload) isDealt(variable string) bool {
	for _, o := range w.Objects {
		if _, is := o.For[variable]; is && o.Dealt {
			return true
		}
	}
	return false
}

func (w *walker) steps(steps Steps, times uint64) error {
	for i := range steps {
		s := &steps[i]
		w.line = s.pos.Line
		w.visits++
		w.done += times
		if w.done > MostSteps || w.visits > MostSteps {
			return w.tooMany(steps[i:])
		}
		var err error
		switch s.verb {
		case "repeat":
			var n uint64
			if n, err = w.count(s.Repeat, "the number of repeats", 0); err == nil {
				err = w.repeat(s.Do, n, times)
			}
		case "for":
			for name, number := range s.For {
				var n uint64
				if n, err = w.count(&number, "the number of values", 0); err == nil {
					err = w.loop(name, n, s.Do, times)
				}
			}
		case "on":
			outer := w.on
			if w.on = s.On; w.on == OnTurns {
				if w.bands, err = w.bandsOf(s.Do); err != nil {
					break
				}
			}
			steps := func() error { return w.steps(s.Do, times) }
			if w.group != nil {
				err = w.group(s.On, steps)
			} else {
				err = steps()
			}
			w.on = outer
		default:
			err = w.step(s, times)
		}
		if err != nil {
			return located(s.at, err)
		}
	}
	return nil
}

// bandsOf returns the number of bands whose ranks do steps in turns: that of the files for each band. Without such
// files, all ranks are one band.
func (w *walker) bandsOf(steps Steps) (bands int64, err error) {
	steps.walk(func(s *Step) {
		for _, name := range s.about() {
			file := name.text
			if o, is := w.Objects[file]; is {
				file = w.root(&o)
			}
			each := uint64(1)
			switch f := w.Files[file]; {
			case f.Per.has(PerRank) || err != nil:
				continue
			case f.Per.has(PerBand):
				if each, err = w.count(f.Bands, "the number of bands", 1); err != nil {
					continue
				}
			}
			if bands != 0 && int64(each) != bands {
				err = name.pos.Errorf("the file %q has %d bands of ranks, but another one of these turns has %d: give "+
					"each its own turns", file, each, bands)
			}
			bands = int64(each)
		}
	})
	return max(bands, 1), err
}

// place returns the place of the first one of steps.
func (w *walker) place(steps Steps) Pos {
	if len(steps) > 0 {
		return steps[0].pos
	}
	return w.Name.pos
}

func (w *walker) tooMany(steps Steps) error {
	return w.place(steps).Errorf("a rank would do more than %d steps, the limit: lower the numbers of dumps, repeats "+
		"or values of variables", MostSteps)
}

func (w *walker) repeat(steps Steps, n, times uint64) error {
	if n > MostSteps {
		return w.tooMany(steps)
	}
	if !w.unroll {
		if n == 0 {
			return nil
		}
		return w.steps(steps, times*n)
	}
	for range n {
		if err := w.steps(steps, times); err != nil {
			return err
		}
	}
	return nil
}

// named returns the value of a name in an expression, and whether it has one.
func (w *walker) named(name string) (int64, bool, error) {
	switch name {
	case "ranks":
		return w.job.Ranks, true, nil
	case "nodes":
		return w.job.Nodes, true, nil
	}
	if size, is := w.Sizes[name]; is {
		v, err := w.value(&size)
		return v, err == nil, err
	}
	v, is := w.env[name]
	return v, is, nil
}

// value returns the value of a number.
func (w *walker) value(n *Number) (int64, error) {
	bound, err := n.expr.Bind(w.named)
	if err != nil {
		return 0, located(n.at, err)
	}
	v, is := bound.Value()
	if !is {
		return 0, n.pos.Errorf("%s: %q has no value here", n.expr.Source(), bound.Names()[0])
	}
	return v, nil
}

// count returns the value of a number that counts what.
func (w *walker) count(n *Number, what string, least int64) (uint64, error) {
	if n == nil {
		return 0, nil
	}
	v, err := w.value(n)
	if err != nil {
		return 0, err
	}
	if v < least {
		return 0, n.pos.Errorf("%s is %d, but must be at least %d", what, v, least)
	}
	return uint64(v), nil
}

// counts returns the values of numbers.
func (w *walker) counts(all []Number, what string) ([]uint64, error) {
	values := make([]uint64, len(all))
	for i := range all {
		v, err := w.count(&all[i], what, 0)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// depends reports whether what steps do depends on the value of a variable, beyond names.
func (w *walker) depends(steps Steps, variable string) bool {
	found := false
	uses := func(v any) {
		found = found || used(reflect.ValueOf(v), variable)
	}
	steps.walk(func(s *Step) {
		bare := *s
		bare.Do = nil
		uses(bare)
		for _, name := range s.about() {
			if f, is := w.Files[name.text]; is {
				uses(f)
			}
			for o, is := w.Objects[name.text]; is; o, is = w.Objects[o.In.text] {
				uses(o)
			}
		}
	})
	return found
}

// used reports whether a name is in a number within a value. Names of files and objects do not count.
func used(v reflect.Value, name string) bool {
	switch x := v.Interface().(type) {
	case Number:
		return x.expr.Uses(name)
	case Text, Word, Value:
		return false
	}
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && used(v.Elem(), name)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && used(v.Field(i), name) {
				return true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if used(v.Index(i), name) {
				return true
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if used(v.MapIndex(key), name) {
				return true
			}
		}
	}
	return false
}

// free returns the variables of an object, and of the groups that hold it, that have no value, with their numbers of
// values, outermost first.
func (w *walker) free(o *Object) (names []string, counts []Number) {
	for {
		for _, name := range slices.Sorted(maps.Keys(o.For)) {
			if _, bound := w.env[name]; !bound {
				names, counts = append(names, name), append(counts, o.For[name])
			}
		}
		parent, is := w.Objects[o.In.text]
		if !is {
			break
		}
		o = &parent
	}
	slices.Reverse(names)
	slices.Reverse(counts)
	return names, counts
}

// members calls do for each object that a name stands for: those of all values of variables that have none yet. If
// values make no difference, it calls do once for all of them.
func (w *walker) members(o *Object, do func(times uint64) error) error {
	names, counts := w.free(o)
	return w.member(o, names, counts, 1, do)
}

func (w *walker) member(o *Object, names []string, counts []Number, times uint64, do func(uint64) error) error {
	if len(names) == 0 {
		return do(times)
	}
	n, err := w.count(&counts[0], "the number of objects", 0)
	if err != nil || n == 0 {
		return err
	}
	from, to, end, err := w.span(names[0], n, o.pos)
	defer end()
	if err != nil {
		return err
	}
	defer delete(w.env, names[0])
	same := !w.unroll || len(names) == 1 && w.alike != nil && w.alike(o, names[0])
	inner := slices.ContainsFunc(counts[1:], func(c Number) bool { return c.expr.Uses(names[0]) })
	if same && !inner && !used(reflect.ValueOf(*o), names[0]) {
		w.env[names[0]] = int64(from)
		return w.member(o, names[1:], counts[1:], times*(to-from), do)
	}
	for i := from; i < to; i++ {
		if w.visits++; w.visits > MostSteps {
			return o.pos.Errorf("more than %d objects differ in more than a number in their names, the limit: lower "+
				"their numbers", MostSteps)
		}
		w.env[names[0]] = int64(i)
		if err := w.member(o, names[1:], counts[1:], times, do); err != nil {
			return err
		}
	}
	return nil
}

// root returns the name of the file of an object in the notation.
func (w *Workload) root(o *Object) string {
	for {
		parent, is := w.Objects[o.In.text]
		if !is {
			return o.In.text
		}
		o = &parent
	}
}

// name returns a name with the values of its expressions.
func (w *walker) name(t Text, more map[string]int64) (string, error) {
	bound, err := t.text.Bind(func(name string) (int64, bool, error) {
		if v, is := more[name]; is {
			return v, true, nil
		}
		return w.named(name)
	})
	if err != nil {
		return "", located(t.at, err)
	}
	text, is := bound.Text()
	if !is {
		return "", t.pos.Errorf("%s: %q has no value here", t.text, bound.Names()[0])
	}
	return text, nil
}
