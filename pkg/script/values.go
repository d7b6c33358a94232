package script

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// value has what all values of this package have in common.
type value struct{ kind string }

func (v value) String() string        { return "<" + v.kind + ">" }
func (v value) Type() string          { return v.kind }
func (value) Freeze()                 {}
func (value) Truth() starlark.Bool    { return true }
func (v value) Hash() (uint32, error) { return 0, fmt.Errorf("a value of type %s is no key", v.kind) }

// call is a call of a function by a script.
type call struct {
	*run
	name   string
	of     starlark.Value // of a method
	args   starlark.Tuple
	kwargs []starlark.Tuple
}

// unpack stores arguments: see starlark.UnpackArgs.
func (c call) unpack(pairs ...any) error {
	return starlark.UnpackArgs(c.name, c.args, c.kwargs, pairs...)
}

// builtin is a function that scripts call.
type builtin = func(call) (starlark.Value, error)

func newBuiltin(name string, f builtin) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple,
	) (starlark.Value, error) {
		t.Steps += stepsOfCall
		v, err := f(call{t.Local("run").(*run), b.Name(), b.Receiver(), args, kwargs})
		if err == nil && v == nil {
			v = starlark.None
		}
		return v, err
	})
}

// methods are the methods of a kind of value.
type methods map[string]*starlark.Builtin

func methodsOf(all ...map[string]builtin) methods {
	m := methods{}
	for _, some := range all {
		for name, f := range some {
			m[name] = newBuiltin(name, f)
		}
	}
	return m
}

// attr returns a method of a value, or nil.
func (m methods) attr(of starlark.Value, name string) (starlark.Value, error) {
	if b, is := m[name]; is {
		return b.BindReceiver(of), nil
	}
	return nil, nil
}

// names returns the names of methods, and others, in their order.
func (m methods) names(others ...string) []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(others, maps.Keys(m))))
}

// universe has what all scripts can call, but job.
var universe = starlark.StringDict{
	"size":           newBuiltin("size", size),
	"choice":         newBuiltin("choice", choice),
	"size_set":       newBuiltin("size_set", sizeSet),
	"about":          newBuiltin("about", about),
	"settings":       newBuiltin("settings", settings),
	"numbered":       newBuiltin("numbered", numbered),
	"dims_create":    newBuiltin("dims_create", dimsCreate),
	"shuffled":       newBuiltin("shuffled", shuffled),
	"text":           newBuiltin("text", text),
	"opaque":         newBuiltin("opaque", opaque),
	"enum":           newBuiltin("enum", enum),
	"bits":           newBuiltin("bits", bitField),
	"array":          newBuiltin("array", array),
	"compound":       newBuiltin("compound", compound),
	"ghost":          newBuiltin("ghost", ghost),
	"strided_memory": newBuiltin("strided_memory", stridedMemory),
	"structures":     newBuiltin("structures", structures),
	"members":        newBuiltin("members", members),
	"hyperslab":      newBuiltin("hyperslab", hyperslab),
	"points":         newBuiltin("points", points),
}

func init() {
	words := map[workload.RuleName]string{workload.AllRule: "everything", workload.NoneRule: "nothing"}
	for name := range ruleParameters {
		word := cmp.Or(words[name], string(name))
		universe[word] = newBuiltin(word, ruleFunction(name))
	}
}

// whole returns a number that is not negative.
func whole(v starlark.Value) (uint64, error) {
	n, is := v.(starlark.Int)
	u, fits := n.Uint64()
	if !is || !fits || u > math.MaxInt64 {
		return 0, fmt.Errorf("%s is no number from 0 on", shown(v))
	}
	return u, nil
}

// amount is an argument with a number that is not negative.
type amount uint64

func (a *amount) Unpack(v starlark.Value) error {
	n, err := whole(v)
	*a = amount(n)
	return err
}

// decimal is an argument with a number, maybe with a fraction, that is not negative.
type decimal float64

func (d *decimal) Unpack(v starlark.Value) error {
	n, is := starlark.AsFloat(v)
	if !is || !(n >= 0 && n < 1<<62) {
		return fmt.Errorf("%s is no number from 0 on", shown(v))
	}
	*d = decimal(n)
	return nil
}

// extent is an argument with numbers: a list, or one number.
type extent []uint64

func (e *extent) Unpack(v starlark.Value) error {
	*e = extent{}
	list, is := v.(starlark.Indexable)
	if _, text := v.(starlark.String); !is || text {
		n, err := whole(v)
		*e = append(*e, n)
		return err
	}
	for i := range list.Len() {
		n, err := workload.Unlimited, error(nil)
		if list.Index(i) != starlark.None {
			n, err = whole(list.Index(i))
		}
		if err != nil {
			return err
		}
		*e = append(*e, n)
	}
	return nil
}

// bounded returns an error if an extent has no limit.
func (e extent) bounded(what string) error {
	if slices.Contains(e, workload.Unlimited) {
		return fmt.Errorf("%s: None is for maxshape only", what)
	}
	return nil
}

// texts is an argument with a list of texts.
type texts []string

func (t *texts) Unpack(v starlark.Value) error {
	list, is := v.(*starlark.List)
	if !is {
		return fmt.Errorf("%s is no list of texts", shown(v))
	}
	for one := range list.Elements() {
		text, is := starlark.AsString(one)
		if !is {
			return fmt.Errorf("%s is no text", shown(one))
		}
		*t = append(*t, text)
	}
	return nil
}

// names are names of files or objects: one, or those of a family, which have a number in them.
type names struct {
	value
	format string
	first  uint64 // number of the first one of the family
	count  uint64 // of the family
	from   uint64 // number of the first one of these
	number uint64 // of these
	deal   bool   // the family has those that are dealt to the ranks of a file
	one    bool   // one name is meant, not a list of one
}

// numbers finds the place of a number in a name.
var numbers = regexp.MustCompile(`%(0[0-9]{1,2})?d`)

// numbered returns names with numbers.
func numbered(c call) (starlark.Value, error) {
	n := names{value: value{"numbered names"}}
	var count starlark.Value
	if err := c.unpack("format", &n.format, "count", &count, "first?", &n.first); err != nil {
		return nil, err
	}
	bare := strings.ReplaceAll(n.format, "%%", "")
	if len(numbers.FindAllString(bare, 2)) != 1 || strings.Count(bare, "%") != 1 {
		return nil, fmt.Errorf("%q has no place for a number, or more than one: write %%d or %%05d once", n.format)
	}
	if d, is := count.(*deal); is {
		n.deal, n.first, n.count, n.from, n.number = true, 0, d.all, d.from, d.to-d.from
		return n, nil
	}
	var err error
	n.count, err = whole(count)
	n.from, n.number = n.first, n.count
	if err == nil && n.count > math.MaxInt32 {
		err = fmt.Errorf("%d names: the limit is %d", n.count, math.MaxInt32)
	}
	return n, err
}

// Unpack makes names of a text or of numbered names.
func (n *names) Unpack(v starlark.Value) error {
	switch v := v.(type) {
	case names:
		*n = v
		return nil
	case starlark.String:
		*n = names{format: workload.Literal(string(v)), count: 1, number: 1, one: true}
		parts := strings.Split(strings.Trim(string(v), "/"), "/")
		switch {
		case len(parts) > 1 && parts[0] != "":
			return fmt.Errorf("%.100q is a path: open or create groups one by one, such as g = f[%.100q], and then "+
				"what is in them", string(v), parts[0])
		case v == "" || v == "." || strings.ContainsAny(string(v), "/\x00"):
			return fmt.Errorf("%.100q is no name: it is empty or a dot, or has a slash", string(v))
		case len(v) > mostName:
			return fmt.Errorf("a name of %d bytes: the limit is %d", len(v), mostName)
		}
		return nil
	}
	return fmt.Errorf("a value of type %s is no name: give a text, or numbered(..)", v.Type())
}

// attributeNames are names of attributes, which may have slashes.
type attributeNames struct{ names }

// Unpack makes names of a text or of numbered names.
func (n *attributeNames) Unpack(v starlark.Value) error {
	text, is := v.(starlark.String)
	if !is {
		return n.names.Unpack(v)
	}
	err := n.names.Unpack(starlark.String(strings.ReplaceAll(string(text), "/", "_")))
	n.format = workload.Literal(string(text))
	return err
}

// path returns the name of the first one.
func (n names) path() string {
	o := workload.Object{Name: n.format, Each: 1, First: n.from}
	return o.NameOf(0)
}

// Index returns one of the names.
func (n names) Index(i int) starlark.Value {
	n.from, n.number, n.one = n.from+uint64(i), 1, true
	return n
}

// Len returns the number of names.
func (n names) Len() int { return int(n.number) }

// Iterate returns an iterator over the names.
func (n names) Iterate() starlark.Iterator { return &iterator{of: n} }

// iterator goes over values that have numbers.
type iterator struct {
	of   starlark.Indexable
	next int
}

// Next sets p to the next value, and reports whether there is one.
func (i *iterator) Next(p *starlark.Value) bool {
	if i.next == i.of.Len() {
		return false
	}
	*p = i.of.Index(i.next)
	i.next++
	return true
}

// Done ends the iteration.
func (*iterator) Done() {}

// deal is a number of things that are dealt to ranks, as evenly as possible. A rank has those from one number to
// before another.
type deal struct {
	value
	all, from, to uint64
}

// dimsCreate returns the number of blocks in each dimension, as MPI_Dims_create does.
func dimsCreate(c call) (starlark.Value, error) {
	var ranks, dims uint64
	if err := c.unpack("ranks", &ranks, "dims", &dims); err != nil {
		return nil, err
	}
	if ranks == 0 || ranks > 1<<24 || dims == 0 || dims > pattern.MaxDims {
		return nil, fmt.Errorf("dims_create: give a number of ranks from 1 to 2^24, and of dimensions from 1 to %d",
			pattern.MaxDims)
	}
	if err := c.alloc(1 << 12); err != nil { // it takes up to as many divisions
		return nil, err
	}
	var grid starlark.Tuple
	for _, n := range workload.GridOf(ranks, int(dims)) {
		grid = append(grid, starlark.MakeUint64(n))
	}
	return grid, nil
}

// shuffled returns the number at a place of the shuffled numbers below n.
func shuffled(c call) (starlark.Value, error) {
	c.thread.Steps += stepsOfSearch
	var i, n, seed uint64
	if err := c.unpack("i", &i, "n", &n, "seed", &seed); err != nil {
		return nil, err
	}
	if i >= n {
		return nil, fmt.Errorf("shuffled: there is no place %d among %d numbers: they count from 0", i, n)
	}
	return starlark.MakeUint64(workload.NewPermutation(n, seed).At(i)), nil
}
