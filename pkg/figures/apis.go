package figures

import (
	"slices"

	"h5perf/pkg/result"
)

// APIs are those that cases of runs were measured through, the lowest layer first. Those that this release does not
// know come last, in the order in which the documents have them.
func APIs(runs []Run) []result.API {
	var names []string
	for _, r := range runs {
		for _, c := range r.Cases {
			if !slices.Contains(names, c.API) {
				names = append(names, c.API)
			}
		}
	}
	all := result.APINames(func(a result.API) bool { return slices.Contains(names, a.Name) })
	for _, name := range names {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	apis := make([]result.API, len(all))
	for i, name := range all {
		apis[i] = result.APIOf(name)
	}
	return apis
}
