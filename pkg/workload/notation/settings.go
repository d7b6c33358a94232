package notation

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// setting is a setting of HDF5: its name on the command line, and its type.
type setting struct {
	name string
	typ  reflect.Type
}

// knownSettings are the settings of HDF5 that workloads can have, from the rows of package hdf5conf.
var knownSettings = settingsOf(reflect.TypeFor[hdf5conf.Settings]())

func settingsOf(t reflect.Type) (all []setting) {
	for f := range t.Fields() {
		if typ := f.Tag.Get("type"); typ != "" {
			of := f.Type
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			name := f.Tag.Get("name")
			if name == "" {
				name = kebab(f.Name)
			}
			all = append(all, setting{name, of})
		}
	}
	return all
}

// kebab returns the name that an option has without the tag name.
func kebab(field string) string {
	var b strings.Builder
	for i, r := range field {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// settings checks settings, and turns sizes into numbers.
func (c checker) settings() {
	var names []string
	for _, s := range knownSettings {
		names = append(names, s.name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		v := c.Settings[name]
		i := slices.Index(names, name)
		if i < 0 {
			c.errorf(v.pos, "unknown setting %q%s; the settings are %s", name, usage.DidYouMean(name, names),
				strings.Join(names, ", "))
			continue
		}
		typ := knownSettings[i].typ
		if words, is := reflect.TypeAssert[interface{ Values() []string }](reflect.Zero(typ)); is {
			if valid := words.Values(); v.number || !slices.Contains(valid, v.text) {
				c.errorf(v.pos, "the setting %s: %q must be one of %s%s", name, v.text, strings.Join(valid, ", "),
					usage.DidYouMean(v.text, valid))
			}
			continue
		}
		size, err := units.ParseSize(v.text)
		if err != nil {
			c.errorf(v.pos, "the setting %s: %v", name, err)
			continue
		}
		v.text, v.number = strconv.FormatUint(size, 10), true
		c.Settings[name] = v
	}
}
