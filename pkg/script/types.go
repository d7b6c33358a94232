package script

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// typeValue is an element type as a value of scripts.
type typeValue struct {
	baseValue
	typ workload.Type
}

func (t typeValue) String() string { return t.typ.String() }

// newTypeValue returns a type as a value of scripts. It returns err, or an error if the type is not valid.
func newTypeValue(t workload.Type, err error) (starlark.Value, error) {
	if n := t.Bytes(); err == nil && (n == 0 || n > math.MaxInt32) {
		err = fmt.Errorf("the type has %d bytes: it must have from 1 to %d", n, math.MaxInt32)
	}
	if err == nil {
		err = checkTypeStorable(&t)
	}
	return typeValue{baseValue{"dtype"}, t}, err
}

// typeArgument is an argument that is a type: a NumPy type string, a typeValue, or a list of members of a compound.
type typeArgument struct{ workload.Type }

func (d *typeArgument) Unpack(v starlark.Value) (err error) {
	switch v := v.(type) {
	case typeValue:
		d.Type = v.typ
	case starlark.String:
		d.Type, err = parseTypeWord(string(v))
	case *starlark.List:
		d.Type, err = compoundTypeOf(v, nil, 0)
	default:
		err = fmt.Errorf("%s is no type: give a word such as \"f8\"", valueText(v))
	}
	return err
}

// numberTypes maps type strings of numbers, as NumPy has them, to types. HDF5 has integers of 3, 5, 6 and 7 bytes, too.
var numberTypes = func() map[string]workload.Type {
	all := map[string]workload.Type{"f16": {Class: workload.Float, Size: 16}}
	for size := uint64(1); size <= 8; size++ {
		all[fmt.Sprint("i", size)] = workload.Type{Class: workload.Signed, Size: size}
		all[fmt.Sprint("u", size)] = workload.Type{Class: workload.Unsigned, Size: size}
		if size == 2 || size == 4 || size == 8 {
			all[fmt.Sprint("f", size)] = workload.Type{Class: workload.Float, Size: size}
		}
	}
	return all
}()

// numpyWord matches the long NumPy names of types, such as float64.
var numpyWord = regexp.MustCompile(`^(float|int|uint)([0-9]{0,3})$`)

// parseTypeWord parses a NumPy type string such as ">f8".
func parseTypeWord(text string) (workload.Type, error) {
	rest := strings.TrimLeft(text, "<>|")
	t, is := numberTypes[rest]
	t.BigEndian = strings.HasPrefix(text, ">")
	n, err := strconv.ParseUint(rest[min(1, len(rest)):], 10, 31)
	switch {
	case len(text)-len(rest) > 1:
	case is:
		return t, nil
	case err == nil && n > 0 && len(rest) > 1 && (rest[0] == 'S' || rest[0] == 'V'):
		t.Class, t.Size = map[byte]workload.TypeClass{'S': workload.Text, 'V': workload.Opaque}[rest[0]], n
		return t, nil
	}
	if parts := numpyWord.FindStringSubmatch(rest); parts != nil {
		bits, _ := strconv.Atoi(parts[2])
		if word := fmt.Sprint(parts[1][:1], cmp.Or(bits, 64)/8); numberTypes[word].Size > 0 {
			return t, fmt.Errorf("the type %q: did you mean %q?", text, word)
		}
	}
	return t, usage.InvalidWordError("the type (> before it means big-endian; S16 are texts, V16 bytes)", text,
		slices.Sorted(maps.Keys(numberTypes)))
}

// newTextType implements text: it returns a string type.
func newTextType(c builtinCall) (starlark.Value, error) {
	t, padding := workload.Type{Class: workload.Text}, "zeros"
	err := c.unpackArgs("n", &t.Size, "padding?", &padding, "utf8?", &t.UTF8)
	return paddedType(t, padding, err)
}

// newStringType implements string: it returns a type of strings of variable length. As in h5py, they are terminated.
func newStringType(c builtinCall) (starlark.Value, error) {
	t, padding := workload.Type{Class: workload.Text, Variable: true}, "terminated"
	err := c.unpackArgs("mean", &t.Size, "padding?", &padding, "utf8?", &t.UTF8)
	return paddedType(t, padding, err)
}

// newSequenceType implements vlen: it returns a type of sequences of variable length.
func newSequenceType(c builtinCall) (starlark.Value, error) {
	var of typeArgument
	mean := uint64(0)
	if err := c.unpackArgs("dtype", &of, "mean", &mean); err != nil {
		return nil, err
	}
	if of.IsVariable() {
		return nil, fmt.Errorf("a sequence of %s: take values of a fixed size, such as \"f8\" or text(16)", of)
	}
	return newTypeValue(workload.Type{
		Class: workload.Sequence, Size: saturatingProduct(mean, of.Bytes()),
		Members: []workload.Member{{Type: of.Type}},
	}, nil)
}

// paddedType returns a string type with a padding. It returns err, or an error if the padding is not known.
func paddedType(t workload.Type, padding string, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	paddings := []string{"zeros", "terminated", "spaces"}
	for i, word := range paddings {
		if padding == word {
			t.Padding = workload.Padding(i)
			return newTypeValue(t, nil)
		}
	}
	return nil, usage.InvalidWordError("the padding", padding, paddings)
}

// newOpaqueType implements opaque: it returns an opaque type.
func newOpaqueType(c builtinCall) (starlark.Value, error) {
	t := workload.Type{Class: workload.Opaque}
	err := c.unpackArgs("n", &t.Size, "tag?", &t.Tag)
	return newTypeValue(t, err)
}

// newBitFieldType implements bits: it returns a type of bit fields.
func newBitFieldType(c builtinCall) (starlark.Value, error) {
	t, n := workload.Type{Class: workload.BitField}, uint64(0)
	err := c.unpackArgs("n", &n, "big_endian?", &t.BigEndian)
	if t.Size = n / 8; err == nil && n != 8 && n != 16 && n != 32 && n != 64 {
		err = fmt.Errorf("a field of %d bits: give 8, 16, 32 or 64", n)
	}
	return newTypeValue(t, err)
}

// newEnumType implements enum: it returns an enumeration, which names integers.
func newEnumType(c builtinCall) (starlark.Value, error) {
	var words *starlark.Dict
	of := typeArgument{}
	if err := c.unpackArgs("words", &words, "dtype", &of); err != nil {
		return nil, err
	}
	if of.Class > workload.Signed || of.Words != nil || of.Array != nil {
		return nil, fmt.Errorf("an enumeration of %s: take an integer type", of)
	}
	if words.Len() == 0 {
		return nil, errors.New("an enumeration of 0 words: give one or more")
	}
	if err := c.chargeMemory(64 * words.Len()); err != nil {
		return nil, err
	}
	values := map[int64]bool{}
	least, most := int64(0), int64(math.MaxInt64)
	if of.Class == workload.Signed {
		least = math.MinInt64 >> (64 - 8*of.Size)
		most = -(least + 1)
	} else if of.Size < 8 {
		most = 1<<(8*of.Size) - 1
	}
	for _, kv := range words.Items() {
		name, is := starlark.AsString(kv[0])
		n, whole := kv[1].(starlark.Int)
		v, fits := n.Int64()
		switch {
		case !is || !whole || !fits:
			return nil, fmt.Errorf("%s: %s is no word with a number", valueText(kv[0]), valueText(kv[1]))
		case v < least || v > most || values[v]:
			return nil, fmt.Errorf("%s: the value %d must be from %d to %d, and of no other word", valueText(kv[0]), v,
				least, most)
		}
		if err := checkMemberName(name); err != nil {
			return nil, err
		}
		values[v] = true
		of.Words = append(of.Words, workload.EnumValue{Name: name, Value: v})
	}
	return newTypeValue(of.Type, nil)
}

// newArrayType implements array: it returns an array type.
func newArrayType(c builtinCall) (starlark.Value, error) {
	var of typeArgument
	var shape extentArgument
	if err := c.unpackArgs("dtype", &of, "shape", &shape); err != nil {
		return nil, err
	}
	t, err := arrayTypeOf(of, shape)
	return newTypeValue(t, err)
}

func arrayTypeOf(of typeArgument, shape extentArgument) (workload.Type, error) {
	all := uint64(1)
	for _, n := range shape {
		if all = saturatingProduct(all, n); saturatingProduct(all, of.Bytes()) > math.MaxInt32 {
			return of.Type, fmt.Errorf("the array has more than %d bytes, the limit for a type", math.MaxInt32)
		}
	}
	of.Array = append(shape, of.Array...)
	return of.Type, nil
}

// newCompoundType implements compound: it returns a compound type.
func newCompoundType(c builtinCall) (starlark.Value, error) {
	var of *starlark.List
	var offsets extentArgument
	var size uint64
	if err := c.unpackArgs("members", &of, "offsets?", &offsets, "size?", &size); err != nil {
		return nil, err
	}
	t, err := compoundTypeOf(of, offsets, size)
	return newTypeValue(t, err)
}

// checkMemberName returns an error if a name is not valid for a member of a compound or a word of an enumeration.
func checkMemberName(name string) error {
	switch {
	case name == "":
		return errors.New("a member or word without a name: give it one")
	case strings.ContainsRune(name, 0):
		return fmt.Errorf("the name %.100q has a character NUL, at which HDF5 ends it: leave it out", name)
	case !utf8.ValidString(name):
		return fmt.Errorf("the name %.100q has a part of a character: names are in UTF-8", name)
	case len(name) > maxNameBytes:
		return fmt.Errorf("a name of %d bytes: the limit is %d", len(name), maxNameBytes)
	}
	return nil
}

// compoundTypeOf returns a compound type. list holds its members: tuples of a name, a type and, for an array, a shape.
func compoundTypeOf(list *starlark.List, offsets extentArgument, size uint64) (workload.Type, error) {
	t := workload.Type{Class: workload.Compound, Size: size}
	if list.Len() == 0 || offsets != nil && len(offsets) != list.Len() {
		return t, fmt.Errorf("a compound of %d members with %d offsets: give a member at least, and an offset for "+
			"each or none", list.Len(), len(offsets))
	}
	end, header, known := uint64(0), uint64(0), map[string]bool{}
	for i := range list.Len() {
		tuple, is := list.Index(i).(starlark.Tuple)
		if !is {
			return t, fmt.Errorf("%s is no member: give its name and its type, such as (\"x\", \"f4\")",
				valueText(list.Index(i)))
		}
		var m workload.Member
		var of typeArgument
		var shape extentArgument
		err := starlark.UnpackPositionalArgs("member", tuple, nil, 2, &m.Name, &of, &shape)
		if m.Type = of.Type; err == nil && shape != nil {
			m.Type, err = arrayTypeOf(of, shape)
		}
		if err == nil {
			err = checkMemberName(m.Name)
		}
		if err == nil && known[m.Name] {
			err = fmt.Errorf("a compound with two members %q: give each its name", m.Name)
		}
		if err != nil {
			return t, err
		}
		known[m.Name] = true
		if offsets != nil {
			if offsets[i] < end {
				return t, fmt.Errorf("the member %s is at %d, but those before it end at %d", m.Name, offsets[i], end)
			}
			m.Gap = offsets[i] - end
		}
		if end += m.Gap + m.Type.Bytes(); end > math.MaxInt32 {
			return t, fmt.Errorf("the compound has more than %d bytes, the limit for a type", math.MaxInt32)
		}
		one := workload.Type{Class: workload.Compound, Members: []workload.Member{m}}
		if header += typeMessageBytes(&one) - 8; header > maxMessageBytes {
			one.Members = append(t.Members, m)
			return t, checkTypeStorable(&one)
		}
		if err := checkTypeStorable(&one); err != nil { // early, since a check of a large type takes long
			return t, err
		}
		t.Members = append(t.Members, m)
	}
	if size > 0 && size < end {
		return t, fmt.Errorf("the size is %d, but the members end at %d", size, end)
	}
	return t, nil
}

// typeOfValue returns the type and extent of the value of an attribute. Numbers have 8 bytes, and strings have their
// length. All elements of a list get the size of the longest one.
func typeOfValue(v starlark.Value) (t workload.Type, dims []uint64, err error) {
	switch v := v.(type) {
	case starlark.Int:
		return workload.Type{Class: workload.Signed, Size: 8}, nil, nil
	case starlark.Float:
		return workload.Type{Class: workload.Float, Size: 8}, nil, nil
	case starlark.String:
		return workload.Type{Class: workload.Text, Size: uint64(max(1, len(v)))}, nil, nil
	case starlark.Tuple, *starlark.List:
		list := v.(starlark.Indexable)
		if hasNestedLists(v) {
			return t, nil, errors.New("the values of an attribute are all numbers, or all texts, but no lists")
		}
		for i := range list.Len() {
			one, _, err := typeOfValue(list.Index(i))
			if err != nil {
				return t, nil, err
			}
			if i > 0 && one.Class != t.Class {
				return t, nil, errors.New("the values of an attribute are all numbers, or all texts")
			}
			t, dims = one, []uint64{uint64(list.Len())}
			t.Size = max(t.Size, one.Size)
		}
		if list.Len() > 0 {
			return t, dims, nil
		}
	}
	return t, nil, fmt.Errorf("%s is no value of an attribute: give a number, a text or a list of them, or "+
		"attrs.create(name, dtype = ..)", valueText(v))
}
