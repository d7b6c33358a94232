package script

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// checker checks what a workload says, as far as that does not depend on values.
type checker struct {
	*reader
	*Workload
	shares map[string]bool // variables of objects that are dealt to ranks
	used   map[string]bool // sizes and choices on which something depends
}

// scope are the names that an expression may use.
type scope []string

// with returns the scope with more names.
func (s scope) with(names ...string) scope { return append(slices.Clone(s), names...) }

func (w *Workload) check(r *reader) {
	c := checker{r, w, map[string]bool{}, map[string]bool{}}
	for _, o := range w.Objects {
		for v := range o.For {
			c.shares[v] = c.shares[v] || o.Dealt
		}
	}
	if w.Write == nil && w.Read == nil {
		r.errorf(w.Name.pos, "there is nothing to do: give one of the keys write and read, or both")
	}
	c.sizes()
	for _, name := range slices.Sorted(maps.Keys(w.Types)) {
		t := w.Types[name]
		c.typ(&t, name)
	}
	c.settings()
	for _, name := range slices.Sorted(maps.Keys(w.Files)) {
		f := w.Files[name]
		c.file(name, &f)
	}
	for _, name := range slices.Sorted(maps.Keys(w.Objects)) {
		o := w.Objects[name]
		c.object(name, &o)
	}
	for _, p := range []struct {
		part  *Part
		other []string // verbs of the other part
	}{{w.Write, []string{"read"}}, {w.Read, []string{"write", "create", "extend", "unlink", "flush"}}} {
		if p.part == nil {
			continue
		}
		c.number(&p.part.Dumps, c.global())
		for _, unit := range slices.Sorted(maps.Keys(p.part.Handles)) {
			n := p.part.Handles[unit]
			c.named(n.pos, "unit", unit)
			c.number(&n, c.global())
		}
		for _, steps := range []Steps{p.part.Begin, p.part.End} {
			c.steps(steps, c.global(), p.other, "")
		}
		c.steps(p.part.Dump, c.global().with("dump"), p.other, "")
	}
	if len(r.errs) == 0 {
		c.unused()
	}
}

// unused refuses sizes and choices that change nothing.
func (c checker) unused() {
	for _, name := range slices.Sorted(maps.Keys(c.Sizes)) {
		if !c.used[name] {
			c.errorf(c.Sizes[name].pos, "the size %q is used nowhere: leave it out", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Choices)) {
		if !c.used[name] {
			c.errorf(c.Choices[name][0].pos, "the choice %q is used nowhere: leave it out", name)
		}
	}
}

// global returns the names that each expression may use.
func (c checker) global() scope {
	return append(scope{"ranks", "nodes"}, slices.Sorted(maps.Keys(c.Sizes))...)
}

func (c checker) sizes() {
	for _, name := range slices.Sorted(maps.Keys(c.Sizes)) {
		n := c.Sizes[name]
		c.named(n.pos, "size", name)
		c.number(&n, c.global())
	}
	known := slices.Sorted(maps.Keys(c.Sizes))
	for _, name := range slices.Sorted(maps.Keys(c.Choices)) {
		words := c.Choices[name]
		if len(words) == 0 {
			c.errorf(c.Name.pos, "the choice %q has no words", name)
			continue
		}
		c.named(words[0].pos, "choice", name)
		if _, twice := c.Sizes[name]; twice {
			c.errorf(words[0].pos, "%q is both a size and a choice", name)
		}
		known = append(known, name)
	}
	for _, set := range slices.Sorted(maps.Keys(c.Sets)) {
		for _, name := range slices.Sorted(maps.Keys(c.Sets[set])) {
			v := c.Sets[set][name]
			if words, is := c.Choices[name]; is {
				c.word(v.pos, v.text, words)
				continue
			}
			if _, is := c.Sizes[name]; !is {
				c.errorf(v.pos, "the set %q gives %q a value%s; the sizes and choices are %s", set, name,
					usage.DidYouMean(name, known), strings.Join(known, ", "))
				continue
			}
			c.source(v.pos, v.text)
		}
	}
}

// source checks the text of an expression that uses sizes.
func (c checker) source(p Pos, text string) (Expr, bool) {
	e, err := ParseExpr(text)
	if err != nil {
		c.errorf(p, "%v", err)
		return e, false
	}
	c.names(p, e.Names(), c.global())
	return e, true
}

// named checks a name that expressions may use.
func (c checker) named(p Pos, what, name string) {
	switch {
	case !IsName(name):
		c.errorf(p, "the %s %q: names have small letters, digits and _, first a letter, and are no functions",
			what, name)
	case slices.Contains(reserved, name):
		c.errorf(p, "the %s %q: the name has a meaning of its own", what, name)
	}
}

// word checks a word of a choice.
func (c checker) word(p Pos, given string, words []Word) {
	var valid []string
	for _, w := range words {
		valid = append(valid, w.text)
	}
	if !slices.Contains(valid, given) {
		c.errorf(p, "%q must be one of %s%s", given, strings.Join(valid, ", "), usage.DidYouMean(given, valid))
	}
}

// names checks the names of an expression.
func (c checker) names(p Pos, used []string, s scope) {
	for _, name := range used {
		c.used[name] = true
		switch {
		case slices.Contains(s, name):
		case name == "rank" || name == "band":
			c.errorf(p, "%s cannot be used here, but in the names of files for each %s and of what is in them: rules "+
				"divide datasets among ranks", name, name)
		case name == "dump":
			c.errorf(p, "dump cannot be used here: it is the number of a dump")
		default:
			c.errorf(p, "unknown name %q%s; the names are %s", name, usage.DidYouMean(name, s), strings.Join(s, ", "))
		}
	}
}

func (c checker) number(n *Number, s scope) {
	if n == nil {
		return
	}
	if n.unlimited {
		c.errorf(n.pos, "unlimited is a value of max-extent only")
		return
	}
	c.names(n.pos, n.expr.Names(), s)
}

func (c checker) numbers(all []Number, s scope) {
	for i := range all {
		c.number(&all[i], s)
	}
}

// mostTypes is the largest number of types in a file, where those with names count wherever they are used.
const mostTypes = 500_000

func (c checker) typ(t *Type, within ...string) {
	if t == nil {
		return
	}
	if c.types++; c.types > mostTypes {
		if c.types == mostTypes+1 {
			c.errorf(t.pos, "there are more than %d types and members, the limit: those of a type count wherever "+
				"it is "+
				"used", mostTypes)
		}
		return
	}
	switch {
	case t.word != "":
		if _, is := numbers[t.word]; is {
			return
		}
		if slices.Contains(within, t.word) {
			c.errorf(t.pos, "the type %q has itself as a part", t.word)
			return
		}
		next, is := c.Types[t.word]
		if !is {
			known := slices.Concat(numberWords, slices.Sorted(maps.Keys(c.Types)))
			c.errorf(t.pos, "unknown type %q%s; the types are %s", t.word, likelyType(t.word, known),
				strings.Join(known, ", "))
			return
		}
		if len(within) > 10 {
			c.errorf(t.pos, "more than 10 types within one another")
			return
		}
		c.typ(&next, append(slices.Clone(within), t.word)...)
		return
	case t.Compound != nil && len(t.Compound) == 0:
		c.errorf(t.pos, "a compound type needs a member")
	case t.Enum != nil:
		c.enum(t)
	}
	for _, n := range []*Number{t.Text, t.Opaque, t.Size} {
		c.number(n, c.global())
	}
	c.numbers(t.Array, c.global())
	c.typ(t.Of, within...)
	for i := range t.Compound {
		m := &t.Compound[i]
		if slices.ContainsFunc(t.Compound[:i], func(o Member) bool { return o.Name.text == m.Name.text }) {
			c.errorf(m.pos, "two members have the name %q", m.Name.text)
		}
		c.number(m.Offset, c.global())
		c.typ(&m.Type, within...)
	}
}

// enum checks an enumeration.
func (c checker) enum(t *Type) {
	of, is := numbers[t.Of.word]
	if !is || of.Class != workload.Unsigned && of.Class != workload.Signed {
		c.errorf(t.Of.pos, "the words of an enumeration are integers: of is one of u8 to u64 and i8 to i64")
		return
	}
	if len(t.Enum) == 0 {
		c.errorf(t.pos, "an enumeration needs a word")
	}
	words, values := map[string]bool{}, map[int64]bool{}
	for i := range t.Enum {
		w := &t.Enum[i]
		value, known := w.Value.expr.Value()
		bits := 8*of.Size - 1
		low, high := -int64(1)<<bits, int64(1)<<bits-1
		if of.Class == workload.Unsigned {
			low, high = 0, int64(min(uint64(1)<<bits*2-1, math.MaxInt64))
		}
		switch {
		case !known:
			c.errorf(w.Value.pos, "the value of a word is a number, not an expression")
		case value < low || value > high:
			c.errorf(w.Value.pos, "%d is not a number of type %s", value, t.Of.word)
		case words[w.Name.text] || values[value]:
			c.errorf(w.pos, "the word %q or its number stands twice", w.Name.text)
		}
		words[w.Name.text], values[value] = true, true
	}
}

func (c checker) file(name string, f *File) {
	allowed := c.global()
	for _, e := range f.Per {
		if e == PerRun {
			continue
		}
		v := string(e)
		allowed = allowed.with(v)
		if !slices.Contains(f.Name.text.Names(), v) {
			c.errorf(f.Name.pos, "the files need different names: there is one for each %s, write {%s} in the "+
				"name", v, v)
		}
	}
	for v := range f.For {
		allowed = allowed.with(v)
		if !slices.Contains(f.Name.text.Names(), v) {
			c.errorf(f.Name.pos, "the files need different names: there is one for each %s, write {%s} in the "+
				"name", v, v)
		}
	}
	c.names(f.Name.pos, f.Name.text.Names(), allowed)
	c.loop(f.pos, f.For, c.global())
	if f.Per.has(PerBand) != (f.Bands != nil) {
		c.errorf(f.pos, "the file %q: bands goes with per: band", name)
	}
	c.number(f.Bands, c.global())
	if _, twice := c.Objects[name]; twice {
		c.errorf(f.pos, "%q is both a file and an object", name)
	}
	c.attributes(f.Attributes, allowed)
}

// holder returns the file of an object, the variables of the groups that it is in and its own, and whether there is
// such a file.
func (w *Workload) holder(o *Object) (f *File, variables []string, is bool) {
	variables = slices.Sorted(maps.Keys(o.For))
	for range len(w.Objects) + 1 {
		if found, is := w.Files[o.In.text]; is {
			return &found, append(variables, slices.Sorted(maps.Keys(found.For))...), true
		}
		parent, is := w.Objects[o.In.text]
		if !is {
			break
		}
		variables = append(variables, slices.Sorted(maps.Keys(parent.For))...)
		o = &parent
	}
	return nil, nil, false
}

func (c checker) object(name string, o *Object) {
	c.forms(name, o)
	if parent, is := c.Objects[o.In.text]; is && parent.Dataset != nil {
		c.errorf(o.In.pos, "%q is a dataset: an object is in a file or a group", o.In.text)
	}
	f, variables, is := c.holder(o)
	if !is {
		known := slices.Concat(slices.Sorted(maps.Keys(c.Files)), slices.Sorted(maps.Keys(c.Objects)))
		c.errorf(o.In.pos, "%q is in no file: %q is no file, and no group in one%s", name, o.In.text,
			usage.DidYouMean(o.In.text, known))
		return
	}
	c.loop(o.pos, o.For, c.global().with("dump"))
	s := c.global().with("dump").with(variables...)
	for i, v := range variables {
		if slices.Contains(variables[:i], v) {
			c.errorf(o.pos, "the variable %q stands twice: here, and in a group that %q is in", v, name)
		}
	}
	named := s
	for _, e := range f.Per {
		if e == PerRank || e == PerBand {
			named = named.with("rank", string(e))
		}
	}
	s = slices.DeleteFunc(s, func(v string) bool { return c.shares[v] })
	if o.Dealt {
		c.dealt(name, o, f)
	}
	text := o.Group
	if text == nil {
		text = o.Dataset
	}
	if text != nil {
		c.names(text.pos, text.text.Names(), named)
		for v := range o.For {
			if !slices.Contains(text.text.Names(), v) {
				c.errorf(text.pos, "the objects need different names: there is one for each %s, write {%s} in the "+
					"name", v, v)
			}
		}
	}
	c.typ(o.Type)
	if o.Extent != nil {
		c.numbers(*o.Extent, s)
	}
	for i := range o.MaxExtent {
		if !o.MaxExtent[i].unlimited {
			c.number(&o.MaxExtent[i], s)
		}
	}
	c.numbers(o.Chunk, s)
	for i := range o.Filters {
		c.number(o.Filters[i].Deflate, c.global())
		c.number(o.Filters[i].Szip, c.global())
	}
	c.attributes(o.Attributes, named)
}

// dealt checks objects that are dealt to ranks.
func (c checker) dealt(name string, o *Object, f *File) {
	switch {
	case o.For == nil:
		c.errorf(o.pos, "the object %q: dealt goes with for", name)
	case !f.Per.has(PerRank) && !f.Per.has(PerBand):
		c.errorf(o.pos, "the object %q: dealt objects are in files for each rank or band, since ranks do the same to "+
			"the objects of a file that all of them open", name)
	}
	for parent, is := c.Objects[o.In.text]; is; parent, is = c.Objects[parent.In.text] {
		if parent.Dealt {
			c.errorf(o.pos, "the object %q: it is in %q, which is dealt already", name, o.In.text)
		}
	}
}

// forms checks which keys of an object go together.
func (c checker) forms(name string, o *Object) {
	if (o.Group == nil) == (o.Dataset == nil) {
		c.errorf(o.pos, "the object %q: give exactly one of group and dataset, with its name in the file", name)
		return
	}
	if o.Group != nil {
		bare := *o
		bare.at, bare.Group, bare.In, bare.For, bare.Attributes, bare.Dealt = at{}, nil, Word{}, nil, nil, false
		if !reflect.ValueOf(bare).IsZero() {
			c.errorf(o.pos, "the group %q: a group has the keys in, for, dealt and attributes only", name)
		}
		return
	}
	dims := 0
	if o.Type == nil || o.Extent == nil {
		c.errorf(o.pos, "the dataset %q needs the keys type and extent", name)
	} else {
		dims = len(*o.Extent)
	}
	for _, k := range []struct {
		key   string
		given []Number
	}{{"max-extent", o.MaxExtent}, {"chunk", o.Chunk}} {
		if k.given != nil && len(k.given) != dims {
			c.errorf(o.pos, "the dataset %q: %s has %s, extent %d", name, k.key,
				units.Count(len(k.given), "number", "numbers"), dims)
		}
	}
	switch {
	case o.Empty && (dims > 0 || o.Chunk != nil):
		c.errorf(o.pos, "the dataset %q: empty goes with extent: [], and without chunk", name)
	case o.Compact && (o.Chunk != nil || o.MaxExtent != nil):
		c.errorf(o.pos, "the dataset %q: compact goes without chunk and max-extent", name)
	case o.Chunk == nil && (o.MaxExtent != nil || o.Filters != nil):
		c.errorf(o.pos, "the dataset %q: max-extent and filters need chunk", name)
	}
}

func (c checker) attributes(all Attributes, s scope) {
	for i := range all {
		a := &all[i]
		c.names(a.Name.pos, a.Name.text.Names(), s.with("i"))
		if a.Count != nil && !slices.Contains(a.Name.text.Names(), "i") {
			c.errorf(a.Name.pos, "the attributes need different names: write {i} in the name")
		}
		if a.Empty && len(a.Extent) > 0 {
			c.errorf(a.pos, "the attribute %s: empty goes without extent", a.Name.text)
		}
		c.typ(&a.Type)
		c.numbers(a.Extent, s)
		c.number(a.Count, s)
	}
}

// loop checks variables with the numbers of their values.
func (c checker) loop(p Pos, f For, s scope) {
	for name, n := range f {
		c.named(n.pos, "variable", name)
		_, size := c.Sizes[name]
		_, choice := c.Choices[name]
		if size || choice {
			c.errorf(n.pos, "the variable %q has the name of a size or choice", name)
		}
		c.number(&n, s)
	}
	if f != nil && len(f) != 1 {
		c.errorf(p, "for has one variable, not %d", len(f))
	}
}

// steps checks steps. on is the part of the ranks that does them, if not all.
func (c checker) steps(all Steps, s scope, other []string, on Where) {
	for i := range all {
		c.step(&all[i], s, other, on)
	}
}

func (c checker) step(st *Step, s scope, other []string, on Where) {
	if slices.Contains(other, st.verb) {
		c.errorf(st.pos, "the step %s does not belong here: the key write is for what writes, read for what "+
			"reads", st.verb)
	}
	for _, choice := range slices.Sorted(maps.Keys(st.When)) {
		c.used[choice] = true
		words, is := c.Choices[choice]
		if !is {
			known := slices.Sorted(maps.Keys(c.Choices))
			c.errorf(st.pos, "when: there is no choice %q%s", choice, usage.DidYouMean(choice, known))
			continue
		}
		for _, w := range st.When[choice] {
			c.word(w.pos, w.text, words)
		}
	}
	for _, names := range []Words{st.Create, st.Open, st.Close, st.Attributes} {
		c.objects(names, true, true, true)
	}
	for _, n := range st.about() {
		file, is := c.Files[n.text]
		if o, object := c.Objects[n.text]; object {
			if f, _, held := c.holder(&o); held {
				file, is = *f, true
			}
		}
		for v := range file.For {
			if is && !slices.Contains(s, v) {
				c.errorf(n.pos, "there is a file for each %s: give this step in a for of %s", v, v)
			}
		}
	}
	c.objects(st.Flush, true, false, false)
	c.objects(st.Unlink, false, true, true)
	for _, names := range []Words{st.Write, st.Read} {
		c.objects(names, false, false, true)
		for _, n := range names {
			if c.Objects[n.text].Empty {
				c.errorf(n.pos, "%q is empty: there is nothing to transfer", n.text)
			}
		}
	}
	if st.Extend != nil {
		c.objects(Words{*st.Extend}, false, false, true)
	}
	if !slices.Contains(s, "dump") {
		for _, n := range st.about() {
			if c.eachDump(n.text) {
				c.errorf(n.pos, "there is a %q in each dump: it cannot be used before or after all dumps", n.text)
			}
		}
	}
	c.numbers(st.To, s)
	if d := st.Compute; d != nil {
		given := 0
		for _, n := range []*Number{d.Seconds, d.Milliseconds, d.Microseconds} {
			if n != nil {
				c.number(n, s)
				given++
			}
		}
		if given != 1 {
			c.errorf(d.pos, "a time has exactly one of the keys seconds, milliseconds and microseconds")
		}
	}
	if on != "" && (st.Fence != "" || st.On != "" || st.Mode.maybe(collective, c.Choices)) {
		c.errorf(st.pos, "steps of some ranks (on: %s) must not wait for other ranks: no fence, on and collective "+
			"mode", on)
	}
	c.transfer(st, s)
	c.number(st.Repeat, s)
	c.loop(st.pos, st.For, s)
	for v := range st.For {
		if slices.Contains(s, v) {
			c.errorf(st.pos, "the variable %q has a value already", v)
		}
		if !c.shares[v] { // names only
			s = s.with(v)
		}
	}
	if st.On != "" {
		on = st.On
	}
	c.steps(st.Do, s, other, on)
}

// eachDump reports whether there is a file or object of this name for each dump.
func (c checker) eachDump(name string) bool {
	for range len(c.Objects) + 1 { // groups may be in one another by mistake
		o, is := c.Objects[name]
		if !is {
			break
		}
		text := o.Group
		if text == nil {
			text = o.Dataset
		}
		if text != nil && slices.Contains(text.text.Names(), "dump") {
			return true
		}
		name = o.In.text
	}
	return c.Files[name].Per.has(PerDump)
}

// maybe reports whether a mode can be the given one.
func (m *Mode) maybe(word string, choices map[string][]Word) bool {
	if m == nil || m.Choice == nil {
		return m != nil && m.word == word
	}
	return slices.ContainsFunc(choices[m.Choice.text], func(w Word) bool { return w.text == word })
}

// transfer checks the keys of a transfer.
func (c checker) transfer(st *Step, s scope) {
	if m := st.Mode; m != nil && m.Choice != nil {
		c.used[m.Choice.text] = true
		words, is := c.Choices[m.Choice.text]
		if !is {
			known := slices.Sorted(maps.Keys(c.Choices))
			c.errorf(m.pos, "there is no choice %q%s", m.Choice.text, usage.DidYouMean(m.Choice.text, known))
		}
		for _, w := range words {
			if !slices.Contains(modes, w.text) {
				c.errorf(w.pos, "the choice %q is used as a mode: its words are some of %s", m.Choice.text,
					strings.Join(modes, ", "))
			}
		}
	}
	if x := st.Select; x != nil {
		for _, n := range []*Number{
			x.Count, x.Base, x.Modulus, x.Mean, x.Deviation, x.Dim, x.Index, x.Length, x.Stride, x.Width, x.First,
			x.Seed, x.Unit, x.Piece, x.Idle, x.Ranks,
		} {
			c.number(n, s)
		}
		c.numbers(x.Grid, s)
		c.numbers(x.Each, s)
		c.numbers(x.Record, s)
		c.form(st)
	}
	if m := st.Memory; m != nil {
		c.number(m.Ghost, s)
		c.number(m.Last, s)
		c.number(m.Stride, s)
		c.typ(m.Within)
	}
}

// form checks the form of a part.
func (c checker) form(st *Step) {
	x := st.Select
	switch irregular := x.Rule == Rule(workload.MapRule) || x.Rule == Rule(workload.RandomRule); {
	case x.Form == "":
	case !irregular:
		c.errorf(x.pos, "form is for the irregular parts of rules map and random, not for %s", x.Rule)
	case x.Union != "":
		c.errorf(x.pos, "a part in the form %s is no union of runs: leave out union", x.Form)
	case x.Form == FormRuns && (st.Together || st.Mode.maybe(collective, c.Choices)):
		c.errorf(x.pos, "ranks have different numbers of runs: the form runs goes with mode independent, and not "+
			"with together")
	}
}

// likelyType returns a question for the type that was meant by a word of C or numpy, or by one that is close to a known
// one, and "" if there is none.
func likelyType(word string, known []string) string {
	meant := map[string]string{
		"double": "f64", "float": "f32", "int": "i32", "short": "i16", "long": "i64", "char": "i8", "byte": "u8",
		"float64": "f64", "float32": "f32", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8",
		"uint16": "u16", "uint32": "u32", "uint64": "u64", "f8": "f64", "f4": "f32", "string": "{text: LENGTH}",
	}[word]
	if meant == "" {
		return usage.DidYouMean(word, known)
	}
	return fmt.Sprintf("; did you mean %s?", meant)
}

// objects checks the names of what a step is about.
func (c checker) objects(names Words, files, groups, datasets bool) {
	seen := map[string]bool{}
	for _, n := range names {
		_, file := c.Files[n.text]
		o := c.Objects[n.text]
		_, object := c.Objects[n.text]
		fits := file && files || o.Group != nil && groups || o.Dataset != nil && datasets
		if !fits {
			wanted, said := c.wanted(files, groups, datasets), "the step cannot be done to %q%s; it can be to %s"
			if !file && !object {
				said = "there is no %q%s; the step can be done to %s"
			}
			c.errorf(n.pos, said, n.text, usage.DidYouMean(n.text, wanted), orNone(wanted))
		}
		if seen[n.text] {
			c.errorf(n.pos, "%q stands twice", n.text)
		}
		seen[n.text] = true
	}
}

// wanted returns the names of files, groups and datasets.
func (c checker) wanted(files, groups, datasets bool) (names []string) {
	if files {
		names = slices.Sorted(maps.Keys(c.Files))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Objects)) {
		if o := c.Objects[name]; groups && o.Group != nil || datasets && o.Dataset != nil {
			names = append(names, name)
		}
	}
	return names
}
