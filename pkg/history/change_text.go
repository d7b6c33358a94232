package history

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// shortSettingNames holds short names for conditions in texts where the field name is too long.
var shortSettingNames = map[string]string{
	"h5perf_version": "h5perf", "mpi_library": "MPI", "mpi_io_component": "MPI-IO", "hdf5_version": "HDF5",
	"operating_system": "system", "file_system_type": "file system", "cpu_model": "CPU", "cpus": "processors",
}

// ConditionChangesText lists changed conditions. If before is true, it shows old and new values, otherwise only new
// values. Of environment variables for MPI it shows only the number, because there are many.
func ConditionChangesText(all []ConditionChange, before bool) string {
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

// TooFewRunsText says how many runs are missing if none of the series has enough runs to be searched for changes.
// Otherwise, it returns "". nightly is TrendOptions.Nightly.
func TooFewRunsText(series []Series, nightly bool) string {
	longest, needed := 0, stats.MinSeries
	for _, s := range series {
		longest = max(longest, len(s.Runs))
	}
	if nightly {
		needed = stats.MinNightlySeries
	}
	if longest >= needed {
		return ""
	}
	return fmt.Sprintf("too few runs to look for a change; the longest has %s, and needs %d more",
		units.Count(longest, "run", "runs"), needed-longest)
}

// FoundChangeText describes a lasting change or an incident for people, with its interval and dates.
func FoundChangeText(d Distinct[FoundChange]) string {
	c := d.Found
	text := differenceText(c.Ratio)
	if c.Low != nil && c.High != nil {
		text += " (" + differenceText(*c.Low) + " to " + differenceText(*c.High) + ")"
	}
	since := dateText(c.Since)
	switch {
	case c.Incident == nil:
		text += " since " + since
	case dateText(c.Incident.Until) == since:
		text = "incident: " + text + " on " + since
	default:
		text = "incident: " + text + " from " + since + " to " + dateText(c.Incident.Until)
	}
	if operation, _ := d.Direction(); operation != "" {
		text += ", " + d.ScopeText()
	}
	return text
}

// differenceText formats a ratio as a difference in per cent.
func differenceText(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }

func dateText(t time.Time) string { return t.UTC().Format(time.DateOnly) }
