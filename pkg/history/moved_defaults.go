package history

import (
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// movedDefaults lists the settings whose defaults HDF5 changed, and the first version with the new default (release
// notes of HDF5 2.0).
var movedDefaults = []struct {
	setting       string
	major         int // version
	before, after string
	isSet         func(result.Parameters) bool // or the run does not need it
}{
	{"libver", 2, "earliest", "v18", func(p result.Parameters) bool { return p.Libver != "" }},
	{"chunk-cache", 2, "1M", "8M", func(p result.Parameters) bool {
		return p.ChunkCacheBytes != nil || p.Workload == nil && p.Layout != result.LayoutChunked
	}},
}

// addMovedDefaults adds a caution about each setting of HDF5 that runs leave at the default, if some of them have the
// older default and some the newer one.
func (c *comparer) addMovedDefaults(out *Comparison) {
	for _, d := range movedDefaults {
		older, newer := false, false
		for _, r := range slices.Concat(c.old.records, c.now.records) {
			if major := majorVersion(r.Software.HDF5); major > 0 && r.Parameters.UsesHDF5() && !d.isSet(r.Parameters) {
				older, newer = older || major < d.major, newer || major >= d.major
			}
		}
		if !older || !newer {
			continue
		}
		help := ""
		if setting, err := option.FindHDF5Setting("", d.setting); err == nil {
			help = setting.OptionText(d.after) + " in all runs"
		}
		addCaution(&out.Cautions, "defaults moved", help, "HDF5 %d.0 changed the default of %s from %s to %s: some of "+
			"the runs have the old one, and some the new one.", d.major, d.setting, d.before, d.after)
	}
}

// majorVersion returns the first number of a version such as 1.10.8, or 0.
func majorVersion(version string) int {
	text, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
