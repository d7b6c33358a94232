package plan

import (
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// givenOrDefault returns the given number if there is one, else the fallback, or nil if the fallback is 0.
func givenOrDefault[N int | uint64](given *N, fallback N) *N {
	if given != nil || fallback == 0 {
		return given
	}
	return &fallback
}

// conditional returns yes if the condition is true, otherwise no.
func conditional[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

// positiveCount returns the given number, or fallback if none is given. It refuses a number below 1; what names the
// counted things in the error.
func positiveCount(option, what string, given *int, fallback int) (int, error) {
	if given == nil {
		given = &fallback
	}
	return *given, usage.CheckPositive(option, what, *given)
}

// chosenValue returns the given value of an option, or the first valid value if none is given.
func chosenValue[T result.EnumeratedString](option string, given T) (T, error) {
	used, err := usage.ValidOrDefault(option, string(given), given.Values()...)
	return T(used), err
}

// processesText formats a number of processes: "4 processes".
func processesText(n int) string { return units.Count(n, "process", "processes") }

// sizesText formats a list of sizes in bytes as on the command line.
func sizesText(items []uint64) string { return joinTexts(items, units.FormatSize) }

// joinTexts formats a list as on the command line.
func joinTexts[T any](items []T, format func(T) string) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = format(item)
	}
	return strings.Join(texts, ",")
}
