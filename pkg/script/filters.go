package script

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"go.starlark.net/starlark"

	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// filtersArgument is the argument filters: the filters of a dataset in their order. Each is a word, or a tuple of a
// word or number and parameters: "shuffle", ("gzip", 4), (32015, 3).
type filtersArgument []workload.Filter

// filterParameters holds the filters with names of their own, and how many parameters they have.
var filterParameters = map[string]int{
	"shuffle": 0, "fletcher32": 0, "gzip": 1, "szip": 1, "zstd": 1, "lz4": 0, "nbit": 0, "scaleoffset": 0,
}

// Limits for filters.
const (
	maxFilters          = 32 // of a dataset, as in HDF5
	maxFilterParameters = 1024
	maxFilterNumber     = 65_535
)

func (a *filtersArgument) Unpack(v starlark.Value) error {
	list, is := v.(*starlark.List)
	if !is {
		return fmt.Errorf("%s is no list of filters, such as [\"shuffle\", (\"gzip\", 4)]", valueText(v))
	}
	if n := list.Len(); n > maxFilters {
		return fmt.Errorf("%d filters: HDF5 has at most %d for a dataset", n, maxFilters)
	}
	for i := range list.Len() {
		f, err := parseFilter(list.Index(i))
		if err != nil {
			return err
		}
		*a = append(*a, f)
	}
	return nil
}

// parseFilter parses an element of the argument filters.
func parseFilter(v starlark.Value) (f workload.Filter, err error) {
	parts, is := v.(starlark.Tuple)
	if !is {
		parts = starlark.Tuple{v}
	}
	if len(parts) == 0 || len(parts) > maxFilterParameters+1 {
		return f, fmt.Errorf("a filter is a word, or a tuple of a word or number and up to %d parameters",
			maxFilterParameters)
	}
	for _, one := range parts[1:] {
		n, err := parseCount(one)
		if err != nil || n > math.MaxUint32 {
			return f, fmt.Errorf("the parameter %s of a filter is no number below 2^32", valueText(one))
		}
		f.Values = append(f.Values, uint32(n))
	}
	if number, is := parts[0].(starlark.Int); is {
		if n, err := parseCount(number); err == nil && n > 0 && n <= maxFilterNumber {
			f.Number = int(n)
			return f, nil
		}
		return f, fmt.Errorf("%s is no number of a filter", number)
	}
	name, _ := starlark.AsString(parts[0])
	count, known := filterParameters[name]
	if !known {
		return f, usage.InvalidWordError("the filter (others have numbers)", cmp.Or(name, valueText(parts[0])),
			slices.Sorted(maps.Keys(filterParameters)))
	}
	if len(f.Values) != count {
		example := map[string]string{
			"gzip": "(\"gzip\", 4)", "szip": "(\"szip\", 8)", "zstd": "(\"zstd\", 3)",
		}[name]
		return f, fmt.Errorf("the filter %s has %d parameters here: write %s", name, len(f.Values),
			cmp.Or(example, strconv.Quote(name)))
	}
	f.Name = map[string]string{"gzip": "deflate"}[name]
	if f.Name == "" {
		f.Name = name
	}
	if count == 1 {
		f.Level, f.Values = int(f.Values[0]), nil
	}
	return f, nil
}
