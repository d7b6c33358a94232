package figures

import (
	"slices"

	"h5perf/pkg/result"
)

// Pointers returns pointers to runs.
func Pointers(runs []Run) []*Run {
	all := make([]*Run, len(runs))
	for i := range runs {
		all[i] = &runs[i]
	}
	return all
}

// APIs returns the APIs that the cases of the runs measured, in the order of result.APIs. APIs that this release does
// not know come last, by name.
func APIs(runs ...*Run) []result.API {
	var names []string
	for _, r := range runs {
		for _, c := range r.Cases {
			if !slices.Contains(names, c.API) {
				names = append(names, c.API)
			}
		}
	}
	slices.SortFunc(names, result.CompareAPIs)
	apis := make([]result.API, len(names))
	for i, name := range names {
		apis[i] = result.APIOf(name)
	}
	return apis
}
