package option

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// HDF5Setting describes an HDF5 setting: a field of HDF5 with the tag type. Its value is a size or a word. Scripts and
// --with can set every setting by its name; some settings also have an option with this name. The settings of file
// drivers are not among them.
type HDF5Setting struct {
	Name  string
	field reflect.StructField
}

// AllHDF5Settings returns a description of each setting, in the order of the fields of type HDF5.
func AllHDF5Settings() (all []HDF5Setting) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[HDF5]()) {
		if f.Tag.Get("type") != "" {
			all = append(all, HDF5Setting{NameOfField(f), f})
		}
	}
	return all
}

// FindHDF5Setting returns the setting with a name. Its error about an unknown name begins with what.
func FindHDF5Setting(what, name string) (HDF5Setting, error) {
	all := AllHDF5Settings()
	names := make([]string, len(all))
	for i, r := range all {
		if names[i] = r.Name; r.Name == name {
			return r, nil
		}
	}
	return HDF5Setting{}, usage.InvalidWordError(what, name, names)
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

// HasOption reports whether the setting has an option of its own.
func (r HDF5Setting) HasOption() bool { return r.field.Tag.Get("kong") != "-" }

// OptionText returns the option that sets the setting to a value: --align 64K or --with small-data-block=64K.
func (r HDF5Setting) OptionText(value string) string {
	if r.HasOption() {
		return "--" + r.Name + " " + r.FormatValue(value)
	}
	return "--with " + r.Name + "=" + r.FormatValue(value)
}

// Meaning says what the setting does.
func (r HDF5Setting) Meaning() string {
	return strings.ReplaceAll(r.field.Tag.Get("help"), "${sieve_default}", "; not used with MPI-IO")
}

// Since returns the first versions of HDF5 that have the setting, or "" if all versions that h5perf supports have it.
func (r HDF5Setting) Since() string { return r.field.Tag.Get("since") }

// Default returns the name of the default, if all libraries have the same default, or "".
func (r HDF5Setting) Default() string { return r.field.Tag.Get("without") }

// DefaultIn returns the default in a library by name, or "" if it is not known or if there are several.
func (r HDF5Setting) DefaultIn(l HDF5Library) string {
	return r.FormatValue(cmp.Or(r.Default(), l.DefaultValues[r.Name]))
}

// Needs returns what a run must have so that the setting has an effect: the words of SettingNeed.
func (r HDF5Setting) Needs() []SettingNeed {
	var all []SettingNeed
	for word := range strings.FieldsSeq(r.field.Tag.Get("needs")) {
		all = append(all, SettingNeed(word))
	}
	return all
}

// sizeRange returns the smallest and the largest size. bounded reports whether HDF5 has a largest size.
func (r HDF5Setting) sizeRange() (least, most uint64, bounded bool) {
	first, last, bounded := strings.Cut(r.field.Tag.Get("range"), " ")
	least, _ = units.ParseSize(cmp.Or(first, "0"))
	if most = math.MaxUint64; bounded {
		most, _ = units.ParseSize(last)
	}
	return least, most, bounded
}

// checkSize returns an error if a size is outside of the range of the setting and not its default.
func (r HDF5Setting) checkSize(bytes uint64) error {
	least, most, _ := r.sizeRange()
	if bytes >= least && bytes <= most || strconv.FormatUint(bytes, 10) == r.Default() {
		return nil
	}
	return fmt.Errorf("must be %s", r.ValuesText())
}

// ValuesText describes the valid values: the words, or the range of sizes.
func (r HDF5Setting) ValuesText() string {
	if words := r.ValidWords(); words != nil {
		return strings.Join(words, ", ")
	}
	least, most, bounded := r.sizeRange()
	text := fmt.Sprintf("%s to %s", units.FormatSize(least), units.FormatSize(most))
	switch {
	case !bounded && least == 0:
		return "SIZE"
	case !bounded:
		return "at least " + units.FormatSize(least)
	case r.Default() == "0":
		return text + ", or 0 for none"
	}
	return text
}

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
	if err == nil {
		err = r.checkSize(bytes)
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

// removeValue makes the setting in s one that is not given.
func (r HDF5Setting) removeValue(s *HDF5) {
	reflect.ValueOf(s).Elem().FieldByIndex(r.field.Index).SetZero()
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

// AddSetting returns s with one more setting, NAME=VALUE. It returns an error if s already has another value for it.
func (s HDF5) AddSetting(text string) (HDF5, error) {
	name, value, is := strings.Cut(text, "=")
	if !is || name == "" || value == "" {
		return s, fmt.Errorf("%q is not a name and a value, such as meta-block-size=1M", text)
	}
	row, err := FindHDF5Setting("the setting", name)
	if err != nil {
		return s, err
	}
	if value, err = row.ParseValue(value); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	if before := row.ValueText(s); before != "" && before != value {
		return s, fmt.Errorf("%s is given twice, as %s and as %s: give it once", name, row.FormatValue(before),
			row.FormatValue(value))
	}
	return s, row.SetValue(&s, value)
}
