package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// variant is a configuration that differs from another one in one thing.
type variant struct {
	name  string   // what differs, such as align=1M
	words []string // options to add to those of the other configuration
}

// variedTool is the tool that measures variants, with its options.
type variedTool struct {
	kind    result.Kind
	options map[string]*kong.Flag
	given   map[string]bool // options and settings of the configuration
}

// newVariedTool returns the tool that measures a kind of run, and reads the options of a configuration. words has no
// name of a command.
func newVariedTool(kind result.Kind, words []string) (t variedTool, err error) {
	t.kind = kind
	if t.options, t.given, err = toolOptions(t.kind, words); err != nil {
		return t, err
	}
	for i, word := range words {
		text, is := strings.CutPrefix(word, "--with=")
		if word == "--with" && i+1 < len(words) {
			text, is = words[i+1], true
		}
		if name, _, _ := strings.Cut(text, "="); is {
			t.given[name] = true
		}
	}
	return t, nil
}

// hdf5API returns the API for HDF5 of the tool.
func (t variedTool) hdf5API() string {
	if t.kind == result.KindSerial {
		return result.HDF5
	}
	return result.PHDF5
}

// unvariedGroups holds the groups of options that do not change what is measured.
var unvariedGroups = []string{"output", "repeat", "other"}

// unvariedOptions holds options of other groups that must be the same in all variants.
var unvariedOptions = []string{"api", "io-component", "keep", "read-only", "preset", "timeout", "space-check", "sweep"}

// parseVariants returns the variants that an argument of vary names.
func (t variedTool) parseVariants(text string) (all []variant, err error) {
	name, values, assigned := strings.Cut(text, "=")
	switch {
	case text == allLayouts:
		return t.layoutVariants("")
	case text == allSettings:
		for _, s := range option.AllHDF5Settings() {
			if t.given[s.Name] {
				continue
			}
			for _, value := range s.VariedValues(t.kind == result.KindSerial) {
				one, err := t.newVariant(s.Name, value)
				if err != nil {
					return nil, err
				}
				all = append(all, one)
			}
		}
		return all, nil
	case text == allHints && t.kind != result.KindSerial:
		for _, hint := range option.VariedHints() {
			all = append(all, hintVariant(hint.Key, hint.Value))
		}
		return all, nil
	case text == allHints:
		return nil, fmt.Errorf("hints: the serial tool does not use MPI-IO; leave %q out", text)
	case !assigned || name == "" || values == "":
		return nil, fmt.Errorf("%q is neither layouts, settings nor hints, and has no value: write NAME=VALUE", text)
	}
	for value := range strings.SplitSeq(values, ",") {
		if name == layoutOption && t.kind == result.KindWorkload {
			some, err := t.layoutVariants(value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", text, err)
			}
			all = append(all, some...)
			continue
		}
		one, err := t.newVariant(name, value)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// layoutOption is the option for the layout of the data of a workload.
const layoutOption = "layout"

// layoutVariants returns the variants in all layouts that have the parts in a text.
func (t variedTool) layoutVariants(text string) (all []variant, err error) {
	if t.kind != result.KindWorkload {
		return nil, errors.New("layouts: only the data of a workload have several layouts; give a workload after --")
	}
	found, err := workload.FindLayouts(text)
	for _, l := range found {
		name := layoutOption + "=" + l.Word()
		all = append(all, variant{name, []string{"--" + name}})
	}
	return all, err
}

// newVariant returns the variant in which an option, a hint, or a size or choice of the workload has another value.
func (t variedTool) newVariant(name, value string) (variant, error) {
	one := variant{name: name + "=" + value}
	o := t.findOption(name)
	if o != nil {
		name = o.Name
	}
	switch {
	case o != nil && (slices.Contains(unvariedGroups, groupOf(o)) || slices.Contains(unvariedOptions, name)):
		return one,
			fmt.Errorf("%s: all variants must have the same --%[1]s; give it to the configuration, after --", name)
	case o != nil && o.Tag.Type == "flag" && value == "on":
		one.words = []string{"--" + name}
	case o != nil && o.Tag.Type == "flag" && value == "off":
	case o != nil && o.Tag.Type == "flag":
		return one, fmt.Errorf("%s: --%s is on or off; write %[2]s=on or %[2]s=off", one.name, name)
	case o != nil:
		one.words = []string{"--" + name + "=" + value}
	case isSetting(name):
		one.words = []string{"--with=" + one.name}
	case option.IsKnownHint(name) && t.kind != result.KindSerial:
		return hintVariant(name, value), nil
	case t.kind == result.KindWorkload:
		one.words = []string{"--set=" + name + "=" + value}
	default:
		return one, fmt.Errorf("%s: %q is neither an option nor an MPI-IO hint%s", one.name, name,
			usage.DidYouMean(name, slices.Sorted(maps.Keys(t.options))))
	}
	return one, nil
}

// findOption returns the option with a long name, or with a short one such as x. A workload has no short names, since
// its sizes may have them. findOption returns nil if there is none.
func (t variedTool) findOption(name string) *kong.Flag {
	if o := t.options[name]; o != nil || t.kind == result.KindWorkload || len(name) != 1 {
		return o
	}
	for _, o := range t.options {
		if o.Short == rune(name[0]) {
			return o
		}
	}
	return nil
}

// isSetting reports whether HDF5 has a setting with this name.
func isSetting(name string) bool {
	_, err := option.FindHDF5Setting("", name)
	return err == nil
}

func hintVariant(key, value string) variant {
	text := key + "=" + value
	return variant{text, []string{"--hint=" + text}}
}

// groupOf returns the key of the group of an option, or "".
func groupOf(o *kong.Flag) string {
	if o.Group == nil {
		return ""
	}
	return o.Group.Key
}
