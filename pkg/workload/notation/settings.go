package notation

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/usage"
)

// settings checks settings, and turns sizes into numbers.
func (c checker) settings() {
	var names []string
	rows := hdf5conf.Rows()
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
