package figures

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/result"
)

// APILabel returns the label of an API for people.
func APILabel(api string) string { return result.APIOf(api).Label }

// Name returns the labels of the two layers of the ratio, such as "MPI-IO : POSIX".
func (r Ratio) Name() string { return APILabel(r.Upper.Case.API) + " : " + APILabel(r.Lower.Case.API) }

// RangeText formats both ends of the interval with the function format. Without an interval, it returns "range" and the
// smallest and the largest sample.
func (v MedianEstimate) RangeText(format func(float64) string) string {
	switch {
	case v.N == 1:
		return "one sample"
	case v.Interval:
		return rangeText(format(v.Low), format(v.High))
	}
	return "range " + rangeText(format(v.Low), format(v.High))
}

// textWithRange formats the median and, in brackets, its interval or range.
func (v MedianEstimate) textWithRange(format func(float64) string) string {
	return format(v.Median) + " (" + v.RangeText(format) + ")"
}

// RangeTexts formats the ranges of values for one column of a table: their confidence intervals or, if any value has
// none, the ranges of their samples. intervals reports which of the two the ranges are: true for confidence intervals.
func RangeTexts(values []MedianEstimate, format func(float64) string) (spans []string, intervals bool) {
	intervals = !slices.ContainsFunc(values, func(v MedianEstimate) bool { return !v.Interval })
	for _, v := range values {
		switch {
		case v.N == 1:
			spans = append(spans, v.RangeText(format))
		case intervals:
			spans = append(spans, rangeText(format(v.Low), format(v.High)))
		default:
			spans = append(spans, rangeText(format(v.Min), format(v.Max)))
		}
	}
	return spans, intervals
}

// rangeText returns "low to high". If both ends have the same unit, the unit appears only once.
func rangeText(low, high string) string {
	number, unit, _ := strings.Cut(low, " ")
	if _, other, _ := strings.Cut(high, " "); other == unit {
		low = number
	}
	return low + " to " + high
}

// FormatRatio formats a ratio with 2 decimals, or with none if it is at least 100. A ratio below 0.1 has three
// significant digits.
func FormatRatio(r float64) string {
	switch {
	case r >= 100:
		return strconv.FormatFloat(r, 'f', 0, 64)
	case r > 0 && r < 0.1:
		return fmt.Sprintf("%#.3g", r)
	}
	return strconv.FormatFloat(r, 'f', 2, 64)
}

// KeyValuesText formats keys with their values: "a=b c=d".
func KeyValuesText(all []result.KeyValue) string {
	words := make([]string, len(all))
	for i, kv := range all {
		words[i] = kv.Key + "=" + kv.Value
	}
	return strings.Join(words, " ")
}

// wordAndNumber returns word and n, such as "file 3", or "" if n is 0.
func wordAndNumber(word string, n int) string {
	if n == 0 {
		return ""
	}
	return word + " " + strconv.Itoa(n)
}
