package plan

import (
	"slices"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// APIs lists the APIs of the parallel tool in the order in which they are measured.
func APIs() []string { return result.APINames(func(a result.API) bool { return a.Parallel }) }

// SerialAPIs lists the APIs of the serial tool in the order in which they are measured.
func SerialAPIs() []string { return result.APINames(func(a result.API) bool { return a.Serial }) }

// chosenAPIs returns the APIs that the user gave, or all APIs of the tool if the user gave none, in the order in which
// they are measured. It returns an error for an API that the tool does not have.
func chosenAPIs(given, all []string) ([]string, error) {
	for _, api := range given {
		if !slices.Contains(all, strings.ToLower(api)) {
			return nil, usage.Errorf("-A %q: not an API of this tool, which measures %s%s", api, usage.JoinWords(all),
				usage.DidYouMean(api, all))
		}
	}
	var apis []string
	for _, api := range all {
		if len(given) == 0 || slices.ContainsFunc(given, func(g string) bool { return strings.EqualFold(g, api) }) {
			apis = append(apis, api)
		}
	}
	return apis, nil
}

// usesHDF5 reports whether any of the APIs uses HDF5.
func usesHDF5(apis []string) bool { return result.Parameters{APIs: apis}.UsesHDF5() }
