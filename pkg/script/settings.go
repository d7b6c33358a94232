package script

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/usage"
)

// settings checks settings, and turns sizes into numbers.
func (c checker) settings() {
	var names []string
	rows := option.HDF5Rows()
	for _, row := range rows {
		names = append(names, row.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		v := c.Settings[name]
		i := slices.Index(names, name)
		if i < 0 {
			c.errorf(v.pos, "unknown setting %q%s; the settings are %s", name, usage.DidYouMean(name, names),
				strings.Join(names, ", "))
			continue
		}
		text, err := rows[i].Canonical(v.text)
		if err != nil {
			c.errorf(v.pos, "the setting %s: %v", name, err)
			continue
		}
		_, number := strconv.ParseUint(text, 10, 64)
		v.text, v.number = text, number == nil
		c.Settings[name] = v
	}
}

// Setting returns the value of a setting of HDF5, and whether the workload has it. Sizes are numbers.
func (r Resolved) Setting(name string) (value string, is bool) {
	v, is := r.Settings[name]
	return v.text, is
}

// At returns an error at the place of a setting.
func (r Resolved) At(setting string, err error) error {
	return r.Settings[setting].pos.Errorf("%v", err)
}

// Without returns the workload without a setting.
func (r Resolved) Without(setting string) Resolved {
	r.Settings = maps.Clone(r.Settings)
	delete(r.Settings, setting)
	return r
}
