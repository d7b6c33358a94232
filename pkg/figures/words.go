package figures

import (
	"fmt"
	"strconv"
	"strings"

	"h5perf/pkg/result"
)

// API is the name of an API for people.
func API(api string) string { return result.APIOf(api).Label }

// Name is what the ratio relates: MPI-IO : POSIX.
func (r Ratio) Name() string { return API(r.Upper.Case.API) + " : " + API(r.Lower.Case.API) }

// Range prints the interval of a throughput, or the range of its samples where they are too few for an interval.
func (v Value) Range(format func(float64) string) string {
	switch {
	case v.N == 1:
		return "one sample"
	case v.Interval:
		return span(format(v.Low), format(v.High))
	}
	return "range " + span(format(v.Low), format(v.High))
}

// span names a unit that both ends have once.
func span(low, high string) string {
	number, unit, _ := strings.Cut(low, " ")
	if _, other, _ := strings.Cut(high, " "); other == unit {
		low = number
	}
	return low + " to " + high
}

// FormatRatio prints a ratio.
func FormatRatio(r float64) string {
	if r >= 100 {
		return strconv.FormatFloat(r, 'f', 0, 64)
	}
	return strconv.FormatFloat(r, 'f', 2, 64)
}

// Pairs lists named strings.
func Pairs(all []result.KeyValue) string {
	words := make([]string, len(all))
	for i, kv := range all {
		words[i] = kv.Key + "=" + kv.Value
	}
	return strings.Join(words, " ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func numbered(word string, n int) string {
	if n == 0 {
		return ""
	}
	return word + " " + strconv.Itoa(n)
}
