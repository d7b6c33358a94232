package figures

import (
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/result"
)

// API returns the label of an API.
func API(api string) string { return result.APIOf(api).Label }

// Name returns the labels of the two layers, such as "MPI-IO : POSIX".
func (r Ratio) Name() string { return API(r.Upper.Case.API) + " : " + API(r.Lower.Case.API) }

// Range returns the interval in words, with ends as format prints them. Without an interval, it returns the range of
// the samples, and says so.
func (v Value) Range(format func(float64) string) string {
	switch {
	case v.N == 1:
		return "one sample"
	case v.Interval:
		return span(format(v.Low), format(v.High))
	}
	return "range " + span(format(v.Low), format(v.High))
}

// Spans returns the spans of values in words, which can stand in one column: their intervals or, if one of them has
// none, the ranges of their samples. intervals reports whether they are intervals.
func Spans(values []Value, format func(float64) string) (spans []string, intervals bool) {
	intervals = !slices.ContainsFunc(values, func(v Value) bool { return !v.Interval })
	for _, v := range values {
		switch {
		case v.N == 1:
			spans = append(spans, v.Range(format))
		case intervals:
			spans = append(spans, span(format(v.Low), format(v.High)))
		default:
			spans = append(spans, span(format(v.Min), format(v.Max)))
		}
	}
	return spans, intervals
}

// span returns "low to high". A unit that both ends have is named once.
func span(low, high string) string {
	number, unit, _ := strings.Cut(low, " ")
	if _, other, _ := strings.Cut(high, " "); other == unit {
		low = number
	}
	return low + " to " + high
}

// FormatRatio returns a ratio with 2 decimals, or none from 100 on.
func FormatRatio(r float64) string {
	if r >= 100 {
		return strconv.FormatFloat(r, 'f', 0, 64)
	}
	return strconv.FormatFloat(r, 'f', 2, 64)
}

// Pairs returns keys with their values: "a=b c=d".
func Pairs(all []result.KeyValue) string {
	words := make([]string, len(all))
	for i, kv := range all {
		words[i] = kv.Key + "=" + kv.Value
	}
	return strings.Join(words, " ")
}

// numbered returns a word with a number after it, or "" for 0.
func numbered(word string, n int) string {
	if n == 0 {
		return ""
	}
	return word + " " + strconv.Itoa(n)
}
