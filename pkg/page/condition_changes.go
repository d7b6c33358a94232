package page

import (
	"cmp"
	"strings"

	"h5perf/pkg/history"
	"h5perf/pkg/units"
)

// shortSettingNames holds short names for settings in pictures, where the field name is too long.
var shortSettingNames = map[string]string{
	"h5perf_version": "h5perf", "mpi_library": "MPI", "mpi_io_component": "MPI-IO", "hdf5_version": "HDF5",
	"operating_system": "system", "file_system_type": "file system", "cpu_model": "CPU", "cpus": "processors",
}

// changesText lists changed settings. If before is true, it shows old and new values, otherwise only new values. MPI
// variables are only counted, because there are many.
func changesText(all []history.ConditionChange, before bool) string {
	var parts []string
	variables := 0
	for _, c := range all {
		if strings.HasPrefix(c.Name, "mpi_variables.") {
			variables++
			continue
		}
		name := cmp.Or(shortSettingNames[c.Name], strings.ReplaceAll(c.Name, "_", " "))
		was, is := cutAtCommas(c.Old, c.New)
		text := name + " " + cmp.Or(is, "none")
		if before {
			text = name + " was " + cmp.Or(was, "none") + ", now " + cmp.Or(is, "none")
		}
		parts = append(parts, text)
	}
	if variables > 0 {
		parts = append(parts, units.Count(variables, "MPI variable", "MPI variables"))
	}
	if before {
		return strings.Join(parts, "; ")
	}
	return strings.Join(parts, ", ")
}

// cutAtCommas returns two values up to their first comma, or whole if they are equal up to there. After the comma,
// names of libraries say when and where they were built.
func cutAtCommas(was, is string) (string, string) {
	a, _, _ := strings.Cut(was, ",")
	b, _, _ := strings.Cut(is, ",")
	if a == b {
		return was, is
	}
	return a, b
}
