package plan

import (
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// givenOrDefault returns the given number, or the fallback, unless that is 0.
func givenOrDefault[N int | uint64](given *N, fallback N) *N {
	if given != nil || fallback == 0 {
		return given
	}
	return &fallback
}

// conditional returns yes where the condition holds, otherwise no.
func conditional[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

// positiveCount returns the given number of what, or fallback. A number below 1 is refused.
func positiveCount(option, what string, given *int, fallback int) (int, error) {
	if given == nil {
		given = &fallback
	}
	return *given, usage.CheckPositive(option, what, *given)
}

// chosenValue returns the given value of an option, or the first of the valid values where none is given.
func chosenValue[T result.Vocabulary](option string, given T) (T, error) {
	used, err := usage.OneOf(option, string(given), given.Values()...)
	return T(used), err
}

// processesText returns a number of processes in words.
func processesText(n int) string { return units.Count(n, "process", "processes") }

// sizesText returns a list of sizes in bytes as it is written on the command line.
func sizesText(items []uint64) string { return joinTexts(items, units.FormatSize) }

// joinTexts returns a list as it is written on the command line.
func joinTexts[T any](items []T, format func(T) string) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = format(item)
	}
	return strings.Join(texts, ",")
}
