package option

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// HDF5Setting describes one HDF5 setting with an option on the command line. AllHDF5Settings does not return the
// settings of file drivers.
type HDF5Setting struct {
	Name  string // name of the option
	field reflect.StructField
	check func(bytes uint64) error // checks a size; may be nil
}

// AllHDF5Settings returns a description of each setting, in the order of the fields of type HDF5.
func AllHDF5Settings() (all []HDF5Setting) {
	checks := map[string]func(uint64) error{"align": checkAlignment, "paged-allocation": checkPage}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[HDF5]()) {
		if f.Tag.Get("type") == "" {
			continue
		}
		name := NameOfField(f)
		all = append(all, HDF5Setting{name, f, checks[name]})
	}
	return all
}

// NameOfField returns the name of the option for a field.
func NameOfField(f reflect.StructField) string { return cmp.Or(f.Tag.Get("name"), kebabCase(f.Name)) }

// kebabCase returns the name of the option for a field without the tag name: MinSeconds becomes min-seconds.
func kebabCase(field string) string {
	var b strings.Builder
	for i, r := range field {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// VariedValues returns the values with which to measure whether the setting makes a difference. Each is written as on
// the command line. serial says that the serial tool measures.
func (r HDF5Setting) VariedValues(serial bool) []string {
	text := r.field.Tag.Get("vary")
	if serial {
		text = cmp.Or(r.field.Tag.Get("varyserial"), text)
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// The values of a switch.
const on, off = "on", "off"

// ValidWords returns the valid words for the setting, or nil if its values are sizes.
func (r HDF5Setting) ValidWords() []string {
	if words, is := reflect.TypeAssert[interface{ Values() []string }](reflect.Zero(r.field.Type)); is {
		return words.Values()
	}
	if r.field.Type == reflect.TypeFor[*bool]() {
		return []string{on, off}
	}
	return nil
}

// ParseValue checks a value from the command line. It returns the value as a word, or as a number of bytes without a
// unit.
func (r HDF5Setting) ParseValue(text string) (string, error) {
	if words := r.ValidWords(); words != nil {
		if !slices.Contains(words, text) {
			return "",
				usage.Errorf("%q must be one of %s%s", text, usage.JoinWords(words), usage.DidYouMean(text, words))
		}
		return text, nil
	}
	bytes, err := units.ParseSize(text)
	if err == nil && r.check != nil {
		err = r.check(bytes)
	}
	if err != nil {
		return "", err
	}
	return strconv.FormatUint(bytes, 10), nil
}

// SetValue changes the setting in s to a value that is written as on the command line.
func (r HDF5Setting) SetValue(s *HDF5, text string) error {
	text, err := r.ParseValue(text)
	if err != nil {
		return err
	}
	field := reflect.ValueOf(s).Elem().FieldByIndex(r.field.Index)
	switch {
	case field.Kind() == reflect.String:
		field.SetString(text)
	case r.ValidWords() != nil:
		field.Set(reflect.ValueOf(new(text == on)))
	default:
		bytes, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return err
		}
		field.Set(reflect.ValueOf(&bytes))
	}
	return nil
}

// ValueText returns the value of the setting in s: a word or a number of bytes, or "" if it is not given.
func (r HDF5Setting) ValueText(s HDF5) string {
	switch v := reflect.ValueOf(s).FieldByIndex(r.field.Index).Interface().(type) {
	case *uint64:
		if v != nil {
			return strconv.FormatUint(*v, 10)
		}
		return ""
	case *bool:
		switch {
		case v == nil:
			return ""
		case *v:
			return on
		}
		return off
	default:
		return reflect.ValueOf(v).String()
	}
}

// FormatValue formats a value, which is a word or a number of bytes, for people: 4096 becomes 4K.
func (r HDF5Setting) FormatValue(text string) string {
	if bytes, err := strconv.ParseUint(text, 10, 64); err == nil {
		return units.FormatSize(bytes)
	}
	return text
}
