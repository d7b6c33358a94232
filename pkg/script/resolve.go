package script

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"h5perf/pkg/usage"
)

// Resolved is a workload with numbers in the place of sizes, whose steps do not depend on choices. It keeps no more
// than what is done: no sets, choices and types, no files and objects that no step is about, and only those sizes that
// depend on a number of ranks or nodes which is not known yet. Resolving it again does not change it.
type Resolved struct {
	Workload
	Sizes   map[string]int64  // values of the sizes
	Choices map[string]string // words of the choices
	// The words that set has for choices are those that make a step transfer several datasets in one call.
	TogetherChosen bool
}

// Resolve gives sizes and choices their values: those of the file, of a set (if its name is not ""), and of set, where
// later ones win. If job is not zero, ranks and nodes have its values; else expressions keep them as names. Errors in
// set are *usage.Error, others name the place in the file.
func Resolve(w Workload, name string, set map[string]string, job Job) (Resolved, error) {
	if w.Job != nil && job != (Job{}) && job != *w.Job {
		return Resolved{}, w.Name.pos.Errorf("the workload was resolved for %d ranks on %d nodes, not for %d on %d",
			w.Job.Ranks, w.Job.Nodes, job.Ranks, job.Nodes)
	}
	if w.Job != nil {
		job = *w.Job
	}
	if job != (Job{}) && (job.Nodes < 1 || job.Ranks < job.Nodes) {
		return Resolved{}, usage.Errorf("a job of %d ranks on %d nodes: there must be a node, and a rank on "+
			"each", job.Ranks,
			job.Nodes)
	}
	r := resolver{
		Workload: w, job: job, sizes: maps.Clone(w.Sizes), known: map[string]int64{},
		words: map[string]string{}, set: set,
	}
	if err := r.choose(name, set); err != nil {
		return Resolved{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(r.sizes)) {
		if _, _, err := r.value(name); err != nil {
			return Resolved{}, err
		}
	}
	if err := r.rewrite(); err != nil {
		return Resolved{}, err
	}
	return Resolved{r.Workload, r.known, r.words, r.together}, nil
}

type resolver struct {
	Workload
	job   Job
	sizes map[string]Number
	known map[string]int64 // values of sizes
	words map[string]string
	path  []string // sizes that are being computed

	set      map[string]string // see Resolve
	together bool              // see Resolved.TogetherChosen
}

// choose sets the expressions of sizes and the words of choices.
func (r *resolver) choose(name string, set map[string]string) error {
	for choice, words := range r.Choices {
		r.words[choice] = words[0].text
	}
	if name != "" {
		values, is := r.Sets[name]
		if !is {
			known := slices.Sorted(maps.Keys(r.Sets))
			if len(known) == 0 {
				return usage.Errorf("the workload %s has no sets of sizes, and so none is %q", r.Name.text, name)
			}
			return usage.Errorf("the workload %s has no set of sizes %q%s; its sets are %s", r.Name.text, name,
				usage.DidYouMean(name, known), strings.Join(known, ", "))
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if err := r.give(name, values[name].text, values[name].at); err != nil {
				return values[name].pos.Errorf("%v", err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if err := r.give(name, set[name], at{}); err != nil {
			return usage.Errorf("--set %s=%s: %v", name, set[name], err)
		}
	}
	return nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// give gives a size or a choice a value.
func (r *resolver) give(name, text string, place at) error {
	if words, is := r.Choices[name]; is {
		var valid []string
		for _, w := range words {
			valid = append(valid, w.text)
		}
		if !slices.Contains(valid, text) {
			return fmt.Errorf("%q must be one of %s%s", text, strings.Join(valid, ", "), usage.DidYouMean(text, valid))
		}
		r.words[name] = text
		return nil
	}
	known := slices.Concat(slices.Sorted(maps.Keys(r.Sizes)), slices.Sorted(maps.Keys(r.Choices)))
	if _, is := r.sizes[name]; !is {
		return fmt.Errorf("the workload has no size %q%s; its sizes and choices are %s", name,
			usage.DidYouMean(name, known), orNone(known))
	}
	e, err := ParseExpr(text)
	if err != nil {
		return err
	}
	for _, used := range e.Names() {
		if _, is := r.sizes[used]; !is && used != "ranks" && used != "nodes" {
			return fmt.Errorf("unknown name %q%s; the names are ranks, nodes, %s", used,
				usage.DidYouMean(used, known), strings.Join(slices.Sorted(maps.Keys(r.sizes)), ", "))
		}
	}
	r.sizes[name] = Number{at: place, expr: e}
	return nil
}

// value returns the value of a name in an expression, and whether it has one before steps are done.
func (r *resolver) value(name string) (int64, bool, error) {
	switch name {
	case "ranks":
		return r.job.Ranks, r.job.Ranks != 0, nil
	case "nodes":
		return r.job.Nodes, r.job.Nodes != 0, nil
	}
	if v, is := r.known[name]; is {
		return v, true, nil
	}
	n, is := r.sizes[name]
	if !is {
		return 0, false, nil
	}
	if at := slices.Index(r.path, name); at >= 0 {
		return 0, false, n.pos.Errorf("the size %s depends on itself: %s", name,
			strings.Join(append(slices.Clone(r.path[at:]), name), " needs "))
	}
	r.path = append(r.path, name)
	bound, err := r.bind(n)
	r.path = r.path[:len(r.path)-1]
	if err != nil {
		return 0, false, err
	}
	v, is := bound.expr.Value()
	if is {
		r.known[name] = v
	} else {
		r.sizes[name] = bound
	}
	return v, is, nil
}

// bind computes an expression as far as possible.
func (r *resolver) bind(n Number) (Number, error) {
	e, err := n.expr.Bind(r.value)
	if err != nil {
		return n, located(n.at, err)
	}
	return Number{at: n.at, expr: e, unlimited: n.unlimited}, nil
}

// located returns an error at a place, if it has none.
func located(a at, err error) error {
	if e, is := errors.AsType[*SourceError](err); is && e.Located() {
		return err
	}
	return a.pos.Errorf("%v", err)
}

// rewrite replaces expressions, types and steps of the workload, and leaves out what is not needed any more.
func (r *resolver) rewrite() error {
	w := r.Workload
	w.About, w.TrueTo, w.LeavesOut, w.Sizes, w.Sets, w.Choices = "", nil, nil, nil, nil, nil
	if r.job != (Job{}) {
		w.Job = &r.job
	}
	for _, p := range []*Part{w.Write, w.Read} {
		if p != nil {
			kept := *p
			kept.Begin, kept.Dump, kept.End = r.chosen(p.Begin, false), r.chosen(p.Dump, false), r.chosen(p.End, false)
			if p == w.Write {
				w.Write = &kept
			} else {
				w.Read = &kept
			}
		}
	}
	w.Types = nil
	used := w.used()
	w.Files, w.Objects = only(w.Files, used), only(w.Objects, used)
	into := reflect.New(reflect.TypeFor[Workload]()).Elem()
	if err := r.copied(reflect.ValueOf(w), into); err != nil {
		return err
	}
	r.Workload = into.Interface().(Workload)
	for name, size := range r.sizes {
		if _, known := r.known[name]; !known {
			if r.Sizes == nil {
				r.Sizes = map[string]Number{}
			}
			r.Sizes[name] = size
		}
	}
	return r.limits()
}

func only[V any](all map[string]V, used map[string]bool) map[string]V {
	kept := map[string]V{}
	for name, v := range all {
		if used[name] {
			kept[name] = v
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// chosen returns the steps that are done with the words of choices. bySet says that a choice of the set led to them.
func (r *resolver) chosen(steps Steps, bySet bool) Steps {
	var kept Steps
	for _, s := range steps {
		done, bySet := true, bySet
		for choice, words := range s.When {
			if _, is := r.set[choice]; is {
				bySet = true
			}
			done = done && slices.ContainsFunc(words, func(w Word) bool { return w.text == r.words[choice] })
		}
		if s.When = nil; !done {
			continue
		}
		if s.Do != nil {
			if s.Do = r.chosen(s.Do, bySet); s.Do == nil {
				continue
			}
			if s.verb == "do" {
				kept = append(kept, s.Do...)
				continue
			}
		}
		if s.Mode != nil && s.Mode.Choice != nil {
			s.Mode = &Mode{at: s.Mode.at, word: r.words[s.Mode.Choice.text]}
		}
		r.together = r.together || s.Together && bySet
		kept = append(kept, s)
	}
	return kept
}

// used returns the names of the files and objects that steps are about, and of those that hold them.
func (w *Workload) used() map[string]bool {
	used := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if used[name] {
			return
		}
		used[name] = true
		if o, is := w.Objects[name]; is {
			add(o.In.text)
		}
	}
	for _, p := range []*Part{w.Write, w.Read} {
		if p == nil {
			continue
		}
		for _, steps := range []Steps{p.Begin, p.Dump, p.End} {
			steps.walk(func(s *Step) {
				for _, word := range s.about() {
					add(word.text)
				}
			})
		}
	}
	return used
}

// about returns the names of the files and objects of a step.
func (s *Step) about() Words {
	names := slices.Concat(s.Create, s.Open, s.Close, s.Flush, s.Unlink, s.Attributes, s.Write, s.Read)
	if s.Extend != nil {
		names = append(names, *s.Extend)
	}
	return names
}

// walk visits steps and those within them.
func (all Steps) walk(visit func(*Step)) {
	for i := range all {
		visit(&all[i])
		all[i].Do.walk(visit)
	}
}

// copied sets a variable to a copy of a value with expressions computed as far as possible, and types in the place of
// their names.
func (r *resolver) copied(v, into reflect.Value) error {
	into.Set(v)
	switch x := v.Interface().(type) {
	case Number:
		n, err := r.bind(x)
		into.Set(reflect.ValueOf(n))
		return err
	case Text:
		t, err := x.text.Bind(r.value)
		into.Set(reflect.ValueOf(Text{x.at, t}))
		if err != nil {
			return located(x.at, err)
		}
		return nil
	case Word, Value:
		return nil
	case Type:
		if named, is := r.Types[x.word]; is {
			return r.copied(reflect.ValueOf(named), into)
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			into.Set(reflect.New(v.Type().Elem()))
			return r.copied(v.Elem(), into.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if err := r.copied(v.Field(i), into.Field(i)); err != nil {
					return err
				}
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			into.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				if err := r.copied(v.Index(i), into.Index(i)); err != nil {
					return err
				}
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			into.Set(reflect.MakeMap(v.Type()))
			keys := v.MapKeys()
			slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			for _, key := range keys {
				one := reflect.New(v.Type().Elem()).Elem()
				if err := r.copied(v.MapIndex(key), one); err != nil {
					return err
				}
				into.SetMapIndex(key, one)
			}
		}
	}
	return nil
}
