package plan

import (
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// or returns the given number, or the fallback, unless that is 0.
func or[N int | uint64](given *N, fallback N) *N {
	if given != nil || fallback == 0 {
		return given
	}
	return &fallback
}

// either returns yes where the condition holds, otherwise no.
func either[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

// count returns the given number of what, or fallback. A number below 1 is refused.
func count(option, what string, given *int, fallback int) (int, error) {
	if given == nil {
		given = &fallback
	}
	return *given, usage.Positive(option, what, *given)
}

// chosen returns the given value of an option, or the first of the valid values where none is given.
func chosen[T result.Vocabulary](option string, given T) (T, error) {
	used, err := usage.OneOf(option, string(given), given.Values()...)
	return T(used), err
}

// processes returns a number of processes in words.
func processes(n int) string { return units.Count(n, "process", "processes") }

// sizeList returns a list of sizes in bytes as it is written on the command line.
func sizeList(items []uint64) string { return list(items, units.FormatSize) }

// list returns a list as it is written on the command line.
func list[T any](items []T, format func(T) string) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = format(item)
	}
	return strings.Join(texts, ",")
}
