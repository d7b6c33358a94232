package figures

import (
	"slices"

	"h5perf/pkg/result"
)

// APIs returns the APIs of all cases of the runs, in the order of result.APIs. APIs that this release does not know
// come last, in the order of the documents.
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
