package script

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// baseValue implements the methods that all values of this package share.
type baseValue struct{ typeName string }

func (v baseValue) String() string     { return "<" + v.typeName + ">" }
func (v baseValue) Type() string       { return v.typeName }
func (baseValue) Freeze()              {}
func (baseValue) Truth() starlark.Bool { return true }
func (v baseValue) Hash() (uint32, error) {
	return 0, fmt.Errorf("a value of type %s is no key", v.typeName)
}

// builtinCall is a call from a script to a builtin function or method.
type builtinCall struct {
	*execution
	name     string
	receiver starlark.Value // receiver of a method
	args     starlark.Tuple
	kwargs   []starlark.Tuple
}

// unpackArgs stores the arguments in variables: see starlark.UnpackArgs.
func (c builtinCall) unpackArgs(pairs ...any) error {
	return starlark.UnpackArgs(c.name, c.args, c.kwargs, pairs...)
}

// builtinFunc is a function that scripts call.
type builtinFunc = func(builtinCall) (starlark.Value, error)

func newBuiltin(name string, f builtinFunc) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple,
		kwargs []starlark.Tuple,
	) (starlark.Value, error) {
		t.Steps += stepsOfCall
		v, err := f(builtinCall{t.Local("run").(*execution), b.Name(), b.Receiver(), args, kwargs})
		if err == nil && v == nil {
			v = starlark.None
		}
		return v, err
	})
}

// methodSet holds the methods of one kind of value.
type methodSet map[string]*starlark.Builtin

func newMethodSet(all ...map[string]builtinFunc) methodSet {
	m := methodSet{}
	for _, some := range all {
		for name, f := range some {
			m[name] = newBuiltin(name, f)
		}
	}
	return m
}

// boundMethod returns the method with the given name, bound to a value, or nil if there is no such method.
func (m methodSet) boundMethod(value starlark.Value, name string) (starlark.Value, error) {
	if b, is := m[name]; is {
		return b.BindReceiver(value), nil
	}
	return nil, nil
}

// sortedNames returns the names of the methods and other names, sorted.
func (m methodSet) sortedNames(others ...string) []string {
	return slices.Sorted(slices.Values(slices.AppendSeq(others, maps.Keys(m))))
}

// predeclaredNames holds all predeclared names of scripts except job.
var predeclaredNames = starlark.StringDict{
	"size":           newBuiltin("size", declareSize),
	"choice":         newBuiltin("choice", declareChoice),
	"size_set":       newBuiltin("size_set", declareSizeSet),
	"about":          newBuiltin("about", declareAbout),
	"statement":      newBuiltin("statement", declareStatement),
	"settings":       newBuiltin("settings", declareSettings),
	"numbered":       newBuiltin("numbered", newNumberedNames),
	"dims_create":    newBuiltin("dims_create", dimsCreate),
	"shuffled":       newBuiltin("shuffled", shuffledNumber),
	"text":           newBuiltin("text", newTextType),
	"string":         newBuiltin("string", newStringType),
	"vlen":           newBuiltin("vlen", newSequenceType),
	"opaque":         newBuiltin("opaque", newOpaqueType),
	"enum":           newBuiltin("enum", newEnumType),
	"bits":           newBuiltin("bits", newBitFieldType),
	"array":          newBuiltin("array", newArrayType),
	"hard_link":      newBuiltin("hard_link", newLink),
	"soft_link":      newBuiltin("soft_link", newLink),
	"external_link":  newBuiltin("external_link", newLink),
	"compound":       newBuiltin("compound", newCompoundType),
	"ghost":          newBuiltin("ghost", ghostMemory),
	"strided_memory": newBuiltin("strided_memory", stridedMemory),
	"structures":     newBuiltin("structures", structureMemory),
	"members":        newBuiltin("members", memberMemory),
	"hyperslab":      newBuiltin("hyperslab", newHyperslab),
	"points":         newBuiltin("points", newPointList),
}

func init() {
	words := map[workload.RuleName]string{workload.AllRule: "everything", workload.NoneRule: "nothing"}
	for name := range ruleParameters {
		word := cmp.Or(words[name], string(name))
		predeclaredNames[word] = newBuiltin(word, ruleFunction(name))
	}
}

// parseCount returns a value as a number, or an error unless it is an integer from 0 to math.MaxInt64.
func parseCount(v starlark.Value) (uint64, error) {
	n, is := v.(starlark.Int)
	u, fits := n.Uint64()
	if !is || !fits || u > math.MaxInt64 {
		return 0, fmt.Errorf("%s is no number from 0 on", valueText(v))
	}
	return u, nil
}

// numberArgument is an argument that is a non-negative integer.
type numberArgument uint64

func (a *numberArgument) Unpack(v starlark.Value) error {
	n, err := parseCount(v)
	*a = numberArgument(n)
	return err
}

// decimalArgument is an argument that is a non-negative number, maybe with a fraction.
type decimalArgument float64

func (d *decimalArgument) Unpack(v starlark.Value) error {
	n, is := starlark.AsFloat(v)
	if !is || !(n >= 0 && n < 1<<62) {
		return fmt.Errorf("%s is no number from 0 on", valueText(v))
	}
	*d = decimalArgument(n)
	return nil
}

// extentArgument is an argument that is a list of non-negative integers, or one such integer. None in a list means
// workload.Unlimited.
type extentArgument []uint64

func (e *extentArgument) Unpack(v starlark.Value) error {
	*e = extentArgument{}
	list, is := v.(starlark.Indexable)
	if _, text := v.(starlark.String); !is || text {
		n, err := parseCount(v)
		*e = append(*e, n)
		return err
	}
	for i := range list.Len() {
		n, err := workload.Unlimited, error(nil)
		if list.Index(i) != starlark.None {
			n, err = parseCount(list.Index(i))
		}
		if err != nil {
			return err
		}
		*e = append(*e, n)
	}
	return nil
}

// checkBounded returns an error if an extent is unlimited in a dimension.
func (e extentArgument) checkBounded(what string) error {
	if slices.Contains(e, workload.Unlimited) {
		return fmt.Errorf("%s: None is for maxshape only", what)
	}
	return nil
}

// stringListArgument is an argument that is a list of strings.
type stringListArgument []string

func (t *stringListArgument) Unpack(v starlark.Value) error {
	list, is := v.(*starlark.List)
	if !is {
		return fmt.Errorf("%s is no list of texts", valueText(v))
	}
	for one := range list.Elements() {
		text, is := starlark.AsString(one)
		if !is {
			return fmt.Errorf("%s is no text", valueText(one))
		}
		*t = append(*t, text)
	}
	return nil
}

// namesValue holds one name of an object or attribute, or the numbered names of some members of a family.
type namesValue struct {
	baseValue
	format      string
	familyFirst uint64 // number in the first name of the family
	familyCount uint64 // names in the family
	firstNumber uint64 // number in the first of these names
	numNames    uint64 // how many names these are
	// job.deal divides the count names among all ranks; a family has the names of the ranks of its file
	isDealt  bool
	isSingle bool // this is one name, not a list with one name
	hasSteps bool // they were taken in steps, names[::2], and make no sense
}

// numberVerb matches the verb for a number in the format of a name.
var numberVerb = regexp.MustCompile(`%(0[0-9]{1,2})?d`)

// newNumberedNames implements numbered: it returns numbered names.
func newNumberedNames(c builtinCall) (starlark.Value, error) {
	n := namesValue{baseValue: baseValue{"numbered names"}}
	var count starlark.Value
	if err := c.unpackArgs("format", &n.format, "count", &count, "first?", &n.familyFirst); err != nil {
		return nil, err
	}
	if strings.ContainsRune(n.format, 0) || !utf8.ValidString(n.format) {
		return nil, fmt.Errorf("%.100q makes no names: it has a character NUL, or a part of a character", n.format)
	}
	bare := strings.ReplaceAll(n.format, "%%", "")
	if len(numberVerb.FindAllString(bare, 2)) != 1 || strings.Count(bare, "%") != 1 {
		return nil, fmt.Errorf("%q has no place for a number, or more than one: write %%d or %%05d once", n.format)
	}
	if d, is := count.(*dealValue); is {
		n.isDealt, n.familyFirst, n.familyCount, n.firstNumber, n.numNames = true, 0, d.total, d.from, d.to-d.from
		return n, nil
	}
	var err error
	n.familyCount, err = parseCount(count)
	n.firstNumber, n.numNames = n.familyFirst, n.familyCount
	if err == nil && n.familyCount > math.MaxInt32 {
		err = fmt.Errorf("%d names: the limit is %d", n.familyCount, math.MaxInt32)
	}
	return n, err
}

// Unpack converts a string or numbered names.
func (n *namesValue) Unpack(v starlark.Value) error {
	switch v := v.(type) {
	case namesValue:
		if *n = v; v.hasSteps {
			return errors.New("names in steps, such as names[::2]: take consecutive ones, such as names[0:10]")
		}
		return nil
	case starlark.String:
		*n = namesValue{format: workload.LiteralFormat(string(v)), familyCount: 1, numNames: 1, isSingle: true}
		parts := strings.Split(strings.Trim(string(v), "/"), "/")
		switch {
		case len(parts) > 1 && parts[0] != "":
			return fmt.Errorf("%.100q is a path: open or create groups one by one, such as g = f[%.100q], and then "+
				"what is in them", string(v), parts[0])
		case strings.ContainsRune(string(v), 0):
			return fmt.Errorf("%.100q is no name: HDF5 ends it at its character NUL: leave that out", string(v))
		case !utf8.ValidString(string(v)):
			return fmt.Errorf("%.100q is no name: it has a part of a character, but names are in UTF-8", string(v))
		case v == "" || v == "." || strings.Contains(string(v), "/"):
			return fmt.Errorf("%.100q is no name: it is empty or a dot, or has a slash", string(v))
		case len(v) > maxNameBytes:
			return fmt.Errorf("a name of %d bytes: the limit is %d", len(v), maxNameBytes)
		}
		return nil
	}
	return fmt.Errorf("a value of type %s is no name: give a text, or numbered(..)", v.Type())
}

// attributeNames holds names of attributes. They may have slashes.
type attributeNames struct{ namesValue }

// Unpack converts a string or numbered names.
func (n *attributeNames) Unpack(v starlark.Value) error {
	text, is := v.(starlark.String)
	if !is {
		return n.namesValue.Unpack(v)
	}
	err := n.namesValue.Unpack(starlark.String(strings.ReplaceAll(string(text), "/", "_")))
	n.format = workload.LiteralFormat(string(text))
	return err
}

// firstName returns the first name.
func (n namesValue) firstName() string {
	o := workload.Object{Name: n.format, PerGroup: 1, First: n.firstNumber}
	return o.NameOf(0)
}

// Index returns name i.
func (n namesValue) Index(i int) starlark.Value {
	n.firstNumber, n.numNames, n.isSingle = n.firstNumber+uint64(i), 1, true
	return n
}

// Slice returns the names from start on, before end: names[0:10].
func (n namesValue) Slice(start, end, step int) starlark.Value {
	n.firstNumber, n.numNames, n.isSingle = n.firstNumber+uint64(start), uint64(max(0, end-start)), false
	n.hasSteps = n.hasSteps || step != 1
	return n
}

// Len returns the number of names.
func (n namesValue) Len() int { return int(n.numNames) }

// Iterate returns an iterator over the names.
func (n namesValue) Iterate() starlark.Iterator { return &iterator{values: n} }

// iterator iterates over the elements of an indexable value.
type iterator struct {
	values starlark.Indexable
	next   int
}

// Next sets p to the next value, and reports whether there is one.
func (i *iterator) Next(p *starlark.Value) bool {
	if i.next == i.values.Len() {
		return false
	}
	*p = i.values.Index(i.next)
	i.next++
	return true
}

// Done ends the iteration.
func (*iterator) Done() {}

// dealValue is the result of job.deal: all numbered objects are divided among the ranks as evenly as possible. This
// rank has the objects with the numbers in [from, to).
type dealValue struct {
	baseValue
	total, from, to uint64
}

// dimsCreate implements dims_create: it returns the number of blocks in each dimension, as MPI_Dims_create does.
func dimsCreate(c builtinCall) (starlark.Value, error) {
	var ranks, dims uint64
	if err := c.unpackArgs("ranks", &ranks, "dims", &dims); err != nil {
		return nil, err
	}
	if ranks == 0 || ranks > 1<<24 || dims == 0 || dims > pattern.MaxDims {
		return nil, fmt.Errorf("dims_create: give a number of ranks from 1 to 2^24, and of dimensions from 1 to %d",
			pattern.MaxDims)
	}
	if err := c.chargeMemory(1 << 12); err != nil { // a bound for its divisions
		return nil, err
	}
	var grid starlark.Tuple
	for _, n := range workload.BlockGrid(ranks, int(dims)) {
		grid = append(grid, starlark.MakeUint64(n))
	}
	return grid, nil
}

// shuffledNumber implements shuffled: it returns number i of a seeded permutation of the numbers below n.
func shuffledNumber(c builtinCall) (starlark.Value, error) {
	c.thread.Steps += stepsOfSearch
	var i, n, seed uint64
	if err := c.unpackArgs("i", &i, "n", &n, "seed", &seed); err != nil {
		return nil, err
	}
	if i >= n {
		return nil, fmt.Errorf("shuffled: there is no place %d among %d numbers: they count from 0", i, n)
	}
	return starlark.MakeUint64(workload.NewPermutation(n, seed).At(i)), nil
}
