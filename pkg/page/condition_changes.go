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

// changesText lists changed conditions. If before is true, it shows old and new values, otherwise only new values. Of
// environment variables for MPI it shows only the number, because there are many.
func changesText(all []history.ConditionChange, before bool) string {
	var parts []string
	variables := 0
	for _, c := range all {
		if strings.HasPrefix(c.Name, "mpi_variables.") {
			variables++
			continue
		}
		name := cmp.Or(shortSettingNames[c.Name], strings.ReplaceAll(c.Name, "_", " "))
		was, is := cutAtFirstCommas(c.Old, c.New)
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

// cutAtFirstCommas shortens two values to the text before their first comma, unless these texts are equal. In names of
// libraries, the date and host of the build follow the comma.
func cutAtFirstCommas(was, is string) (string, string) {
	a, _, _ := strings.Cut(was, ",")
	b, _, _ := strings.Cut(is, ",")
	if a == b {
		return was, is
	}
	return a, b
}
