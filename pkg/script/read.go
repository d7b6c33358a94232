package script

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/fill"
	"h5perf/pkg/plain"
	"h5perf/pkg/usage"
)

// ReadFile reads and checks a workload file. It must be a regular file of limited size.
func ReadFile(path string) (Workload, error) {
	text, err := FileText(path)
	if err != nil {
		return Workload{}, err
	}
	return Read(path, text)
}

// FileText returns the text of a workload file for Read.
func FileText(path string) ([]byte, error) { return plain.ReadText(path, MostJSONBytes) }

// Read reads and checks the text of a workload file: YAML or JSON. Errors name the file by the given name, and show
// their lines; there are as many of them as are found, joined.
func Read(name string, text []byte) (Workload, error) {
	v, err := ParseSource(name, text)
	if err != nil {
		return Workload{}, err
	}
	var w Workload
	r := &reader{}
	r.decode(v, reflect.ValueOf(&w).Elem())
	if len(r.errs) == 0 {
		w.check(r)
	}
	return w, errors.Join(r.errs...)
}

// reader collects errors.
type reader struct {
	errs  []error
	types int // that were checked
}

// mostErrors is the number of errors after which no others are collected.
const mostErrors = 10

func (r *reader) errorf(p Pos, format string, args ...any) {
	if len(r.errs) < mostErrors {
		r.errs = append(r.errs, p.Errorf(format, args...))
	}
}

// want reports an error and returns false if a value is of another kind.
func (r *reader) want(v SourceValue, kind SourceKind) bool {
	if v.Kind != kind {
		r.errorf(v.Pos, "is %s, but must be %s", v.Kind, kind)
	}
	return v.Kind == kind
}

// decoder is a type with a form of its own in files.
type decoder interface {
	decode(r *reader, v SourceValue)
}

// decode sets a variable to a value.
func (r *reader) decode(v SourceValue, into reflect.Value) {
	if p, is := reflect.TypeAssert[interface{ place(Pos) }](into.Addr()); is {
		p.place(v.Pos)
	}
	if d, is := reflect.TypeAssert[decoder](into.Addr()); is {
		d.decode(r, v)
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		r.decode(v, into.Elem())
	case reflect.Struct:
		r.structure(v, into)
	case reflect.Map:
		if r.want(v, Map) {
			into.Set(reflect.MakeMap(into.Type()))
			for _, e := range v.Entries {
				one := reflect.New(into.Type().Elem()).Elem()
				r.decode(e.SourceValue, one)
				into.SetMapIndex(reflect.ValueOf(e.Key), one)
			}
		}
	case reflect.Slice:
		if r.want(v, List) {
			into.Set(reflect.MakeSlice(into.Type(), len(v.Items), len(v.Items)))
			for i, item := range v.Items {
				r.decode(item, into.Index(i))
			}
		}
	case reflect.String:
		if r.want(v, SourceText) {
			into.SetString(v.Text)
			words, is := reflect.TypeAssert[interface{ Values() []string }](into)
			if is && !slices.Contains(words.Values(), v.Text) {
				r.errorf(v.Pos, "%q must be one of %s%s", v.Text, strings.Join(words.Values(), ", "),
					usage.DidYouMean(v.Text, words.Values()))
			}
		}
	case reflect.Bool:
		if r.want(v, Bool) {
			into.SetBool(v.Text == "true")
		}
	case reflect.Int64:
		var n Number
		n.place(v.Pos)
		n.decode(r, v)
		if value, is := n.expr.Value(); is {
			into.SetInt(value)
			return
		}
		r.errorf(v.Pos, "must be a number")
	}
}

// structure sets the fields of a structure, whose keys are the names of fields in JSON. A field that is never left out
// in JSON must be given.
func (r *reader) structure(v SourceValue, into reflect.Value) {
	if !r.want(v, Map) {
		return
	}
	fields, needed := map[string]int{}, []string{}
	for i := range into.NumField() {
		if f := into.Type().Field(i); f.IsExported() {
			name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
			if fields[name] = i; option == "" {
				needed = append(needed, name)
			}
		}
	}
	known := slices.Sorted(maps.Keys(fields))
	for _, e := range v.Entries {
		i, is := fields[e.Key]
		if !is {
			r.errorf(e.Pos, "unknown key %q%s; the keys are %s", e.Key, usage.DidYouMean(e.Key, known),
				strings.Join(known, ", "))
			continue
		}
		r.decode(e.SourceValue, into.Field(i))
	}
	for _, name := range needed {
		if _, given := v.At(name); !given {
			r.errorf(v.Pos, "the key %q is missing", name)
		}
	}
}

// unlimited is the word for an extent without a limit.
const unlimited = "unlimited"

func (n *Number) decode(r *reader, v SourceValue) {
	switch {
	case v.Kind == SourceText && v.Text == unlimited:
		n.unlimited = true
		return
	case v.Kind == Float:
		r.errorf(v.Pos, "%s is no integer", v.Text)
		return
	case v.Kind != SourceText && v.Kind != SourceInteger:
		r.errorf(v.Pos, "is %s, but must be an integer or an expression", v.Kind)
		return
	}
	var err error
	if n.expr, err = ParseExpr(v.Text); err != nil {
		hint := ""
		if strings.Count(v.Text, "(") != strings.Count(v.Text, ")") {
			hint = `; within [] and {}, an expression with a comma needs quotes: "max(a, b)"`
		}
		r.errorf(v.Pos, "%v%s", err, hint)
	}
}

func (t *Text) decode(r *reader, v SourceValue) {
	if v.Kind != SourceInteger && !r.want(v, SourceText) {
		return
	}
	var err error
	if t.text, err = ParseTemplate(v.Text); err != nil {
		r.errorf(v.Pos, "%v", err)
	}
}

func (w *Word) decode(r *reader, v SourceValue) {
	if v.Kind == Bool || r.want(v, SourceText) { // on and off are words, true and false may be
		if w.text = v.Text; w.text == "" {
			r.errorf(v.Pos, "is empty")
		}
	}
}

func (w *Words) decode(r *reader, v SourceValue) {
	items := []SourceValue{v}
	if v.Kind == List {
		if items = v.Items; len(items) == 0 {
			r.errorf(v.Pos, "is empty")
		}
	}
	for _, item := range items {
		one := Word{at: at{item.Pos}}
		one.decode(r, item)
		*w = append(*w, one)
	}
}

func (p *Per) decode(r *reader, v SourceValue) {
	items := []SourceValue{v}
	if v.Kind == List {
		items = v.Items
	}
	for _, item := range items {
		var one Each
		r.decode(item, reflect.ValueOf(&one).Elem())
		if *p = append(*p, one); p.has(PerRun) && len(*p) > 1 || p.has(PerRank) && p.has(PerBand) ||
			slices.Contains((*p)[:len(*p)-1], one) {
			r.errorf(item.Pos, "a file is per run, dump, rank or band, or for each dump of the latter two")
		}
	}
	if len(items) == 0 {
		r.errorf(v.Pos, "is empty")
	}
}

func (n *Numbers) decode(r *reader, v SourceValue) {
	items := []SourceValue{v}
	if v.Kind == List {
		if items = v.Items; len(items) == 0 {
			r.errorf(v.Pos, "is empty")
		}
	}
	for _, item := range items {
		one := Number{at: at{item.Pos}}
		one.decode(r, item)
		*n = append(*n, one)
	}
}

func (x *Value) decode(r *reader, v SourceValue) {
	switch v.Kind {
	case Null, List, Map:
		r.errorf(v.Pos, "is %s, but must be a number or a word", v.Kind)
	case Float:
		r.errorf(v.Pos, "%s is no integer", v.Text)
	case SourceInteger:
		if _, err := ParseExpr(v.Text); err != nil {
			r.errorf(v.Pos, "%v", err)
		}
	}
	x.text, x.number = v.Text, v.Kind == SourceInteger || v.Kind == Bool
}

func (a *Attributes) decode(r *reader, v SourceValue) {
	if v.Kind != List {
		var n Number
		n.place(v.Pos)
		n.decode(r, v)
		name, _ := ParseTemplate("attribute_{i}")
		*a = Attributes{{at: at{v.Pos}, Name: Text{at{v.Pos}, name}, Type: Type{at: at{v.Pos}, word: "f64"}, Count: &n}}
		return
	}
	*a = make(Attributes, len(v.Items))
	for i, item := range v.Items {
		r.decode(item, reflect.ValueOf(&(*a)[i]).Elem())
	}
}

func (t *Type) decode(r *reader, v SourceValue) {
	if v.Kind == SourceText {
		t.word = v.Text
		return
	}
	r.structure(v, reflect.ValueOf(t).Elem())
	given := 0
	for _, k := range []struct {
		key   bool
		extra []bool // what goes with no other key
	}{
		{t.Text != nil, []bool{t.Padding != "", t.Characters != "", t.Variable}},
		{t.Opaque != nil, []bool{t.Tag != ""}},
		{t.Compound != nil, []bool{t.Size != nil}},
		{t.Array != nil || t.Enum != nil, []bool{t.Of != nil}},
	} {
		if k.key {
			given++
		} else if slices.Contains(k.extra, true) {
			given = -1
			break
		}
	}
	if given != 1 || t.Array != nil && t.Enum != nil || (t.Array != nil || t.Enum != nil) && t.Of == nil {
		r.errorf(v.Pos, "a type is a word, or has exactly one of the keys text, opaque, enum, compound and array; "+
			"enum and array go with of, padding, characters and variable with text, tag with opaque, size with "+
			"compound")
	}
}

func (f *Filter) decode(r *reader, v SourceValue) {
	if v.Kind == SourceText {
		if f.word = v.Text; !slices.Contains(plainFilters, v.Text) {
			r.errorf(v.Pos, "%q is no filter%s: write deflate: LEVEL, szip: PIXELS, shuffle or fletcher32", v.Text,
				usage.DidYouMean(v.Text, plainFilters))
		}
		return
	}
	for _, e := range v.Entries {
		if e.Key == "gzip" || e.Key == "zlib" {
			r.errorf(e.Pos, "HDF5's name of %s is deflate", e.Key)
			return
		}
	}
	r.structure(v, reflect.ValueOf(f).Elem())
	if (f.Deflate == nil) == (f.Szip == nil) {
		r.errorf(v.Pos, "a filter is deflate: LEVEL, szip: PIXELS, shuffle or fletcher32")
	}
}

func (x *Ratio) decode(r *reader, v SourceValue) {
	var err error
	if v.Kind != SourceInteger && v.Kind != Float {
		r.errorf(v.Pos, "is %s, but must be a number, such as 4.7", v.Kind)
	} else if x.value, err = strconv.ParseFloat(v.Text, 64); err != nil {
		r.errorf(v.Pos, "%s is no decimal number", v.Text)
	} else if _, err = fill.Compress(x.value); err != nil {
		r.errorf(v.Pos, "%v", err)
	}
}

// dense is the word for memory without gaps.
const dense = "dense"

func (m *Memory) decode(r *reader, v SourceValue) {
	if v.Kind == SourceText && v.Text == dense {
		return
	}
	if v.Kind != Map {
		r.errorf(v.Pos, "memory is dense, or has one of the keys ghost, stride, within and members")
		return
	}
	r.structure(v, reflect.ValueOf(m).Elem())
	given := 0
	for _, is := range []bool{m.Ghost != nil, m.Stride != nil, m.Within != nil, m.Members != nil} {
		if is {
			given++
		}
	}
	if given != 1 || m.Last != nil && m.Ghost == nil {
		r.errorf(v.Pos, "memory is dense, or has exactly one of the keys ghost, stride, within and members; last goes "+
			"with ghost")
	}
}

func (m *Mode) decode(r *reader, v SourceValue) {
	switch {
	case v.Kind == Map:
		r.structure(v, reflect.ValueOf(m).Elem())
	case v.Kind == SourceText && slices.Contains(modes, v.Text):
		m.word = v.Text
	default:
		r.errorf(v.Pos, "a mode is one of %s, or {choice: NAME}%s", strings.Join(modes, ", "),
			usage.DidYouMean(v.Text, modes))
	}
}

func (s *Step) decode(r *reader, v SourceValue) {
	if !r.want(v, Map) {
		return
	}
	var given []string
	for _, e := range v.Entries {
		if _, is := verbs[e.Key]; is && e.Key != "do" {
			given = append(given, e.Key)
		}
	}
	if _, is := v.At("do"); is && len(given) == 0 {
		given = []string{"do"}
	}
	if len(given) != 1 {
		names := slices.Sorted(maps.Keys(verbs))
		what := "has no verb"
		if len(given) > 1 {
			what = fmt.Sprintf("has %d verbs: %s", len(given), strings.Join(given, ", "))
		}
		hint := ""
		for _, e := range v.Entries {
			if hint == "" && len(given) == 0 {
				hint = usage.DidYouMean(e.Key, names)
			}
		}
		r.errorf(v.Pos, "the step %s%s; a step has exactly one of %s", what, hint, strings.Join(names, ", "))
		return
	}
	s.verb = given[0]
	allowed := []string{"when", s.verb}
	for _, key := range verbs[s.verb] {
		key, needed := strings.CutSuffix(key, "!")
		allowed = append(allowed, key)
		if _, is := v.At(key); needed && !is {
			r.errorf(v.Pos, "the step %s needs the key %q", s.verb, key)
		}
	}
	kept := v
	kept.Entries = nil
	for _, e := range v.Entries {
		if slices.Contains(allowed, e.Key) {
			kept.Entries = append(kept.Entries, e)
			continue
		}
		r.errorf(e.Pos, "the step %s has no key %q%s; its keys are %s", s.verb, e.Key,
			usage.DidYouMean(e.Key, allowed), strings.Join(allowed, ", "))
	}
	r.structure(kept, reflect.ValueOf(s).Elem())
}
