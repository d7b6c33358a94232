package cli

import (
	"strings"

	"github.com/alecthomas/kong"

	"h5perf/pkg/plan"
)

// apiVariables returns the names of the APIs that each tool measures, as variables for kong, which inserts them into
// the help of options.
func apiVariables() kong.Vars {
	vars := kong.Vars{"iterations": "1"} // the default
	for name, apis := range map[string][]string{"parallel_apis": plan.APIs(), "serial_apis": plan.SerialAPIs()} {
		byDefault := "all"
		if len(apis) == 2 {
			byDefault = "both"
		}
		vars[name] = strings.Join(apis, ", ") + " (default: " + byDefault + ")"
	}
	return vars
}
