package figures

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// ChoicesTitle is the title of ChoiceSentences.
const ChoicesTitle = "What choices cost: above 1, they take longer"

// ChoiceSentences compares the values of a choice: see ChoicesOfParts.
func (r *Run) ChoiceSentences() []string { return ChoicesOfParts(r.Parts()) }

// maxChoices is the largest number of sentences of ChoicesOfParts.
const maxChoices = 24

// ChoicesOfParts returns sentences that compare the time with each value of a choice with that of the value none
// or, without it, of the first value, where all other values of --sweep are equal. If there are more than maxChoices,
// it returns a sentence that says so. It leaves out choices of filters for APIs that have none. It says where a value
// does other work than the first one.
func ChoicesOfParts(parts []*Run) (all []string) {
	if len(parts) < 2 {
		return nil
	}
	var points []Point
	for _, part := range parts {
		points = append(points, part.Points()...)
	}
	filters, without := filterChoices(points), []string{}
	var same []string
	for _, series := range sweptSeries(points, choiceNumber) {
		first := series[0]
		var words []string
		if slices.Contains(filters, first.name) && result.APIOf(first.Case.API).PlainFiles {
			if label := APILabel(first.Case.API); !slices.Contains(without, label) {
				without = append(without, label)
			}
			continue
		}
		for _, other := range series[1:] {
			if other.Missing != "" || first.Missing != "" {
				continue
			}
			if i := slices.IndexFunc(series, func(s sweptPoint) bool {
				return slices.Equal(sameValues(other.Case), sameValues(s.Case))
			}); series[i].value != other.value {
				if label := APILabel(first.Case.API); !slices.Contains(same, label) {
					same = append(same, label)
				}
				continue
			}
			if ratio, _ := first.Run.ratioOfPoints(Rows[1], other.Point, first.Point); ratio.N > 0 &&
				other.Cache == first.Cache {
				text := fmt.Sprintf("%s %s (%s)", other.value, FormatRatio(ratio.Median), ratio.RangeText(FormatRatio))
				if work := other.otherWork(first); work != "" {
					text += ", but " + work
				} else if ratio.Interval && ratio.Low <= 1 && ratio.High >= 1 {
					text += ", no difference shown"
				}
				words = append(words, text)
			}
		}
		if words != nil {
			all = append(all, fmt.Sprintf("%s, %s: time divided by that of %s=%s: %s.",
				APILabel(first.Case.API), first.placeText(), first.name, first.value, strings.Join(words, "; ")))
		}
	}
	if len(all) > maxChoices {
		return []string{fmt.Sprintf("%d comparisons with the other values equal are too many to show: give --sweep "+
			"fewer choices, or fewer values.", len(all))}
	}
	if len(without) > 0 {
		all = append(all, fmt.Sprintf("Filters are those of HDF5, and do nothing with %s: tables have such values of "+
			"%s in brackets there.", strings.Join(without, " and "), strings.Join(filters, " and ")))
	}
	if len(same) > 0 {
		all = append(all, "Where values differ in HDF5 alone, they do the same with "+strings.Join(same, " and ")+
			": tables have such values in brackets there.")
	}
	return all
}

// otherWork says which other work than at another point is done at the point: see result.OtherWork.
func (s sweptPoint) otherWork(first sweptPoint) string {
	a, isKnown := first.Samples[0].Amounts()
	b, isOther := s.Samples[0].Amounts()
	if !isKnown || !isOther {
		return ""
	}
	return result.OtherWork(first.Run.Parameters, s.Run.Parameters, []result.Amounts{a}, []result.Amounts{b})
}

// sameValues returns the values of the first cases with which the API does the same as in this case: its own, or those
// of others.
func sameValues(c result.Case) []result.KeyValue {
	if c.SameAs != nil {
		return c.SameAs
	}
	return c.Values
}

// filterChoices returns the names of --sweep with whose values the filters of HDF5 differ.
func filterChoices(points []Point) (names []string) {
	for _, series := range sweptSeries(points, choiceNumber) {
		for _, other := range series[1:] {
			if filtersText(other.Case) != filtersText(series[0].Case) && !slices.Contains(names, other.name) {
				names = append(names, other.name)
			}
		}
	}
	return names
}

// filtersText returns the filters of the datasets of a case.
func filtersText(c result.Case) (text string) {
	for _, f := range c.FilterTimes {
		text += fmt.Sprint(f.Dataset, f.Filters)
	}
	return text
}

// SweptValue returns the function that returns value i of --sweep of a point of the run, in brackets if it chooses
// filters and the API has none, or if the API does the same with another value.
func (r *Run) SweptValue(i int) func(Point) string {
	filters := slices.Contains(filterChoices(r.Points()), r.Swept[0].Values[i].Key)
	same := slices.ContainsFunc(r.Cases, func(c result.Case) bool { return c.SameAs != nil })
	return func(p Point) string {
		value := p.Case.Values[i].Value
		if filters && result.APIOf(p.Case.API).PlainFiles || same && r.hasSameValue(p.Case, i) {
			value = "(" + value + ")"
		}
		return value
	}
}

// hasSameValue reports whether the API does the same as in a case with another value i of --sweep.
func (r *Run) hasSameValue(c result.Case, i int) bool {
	others := func(of result.Case) []result.KeyValue { return slices.Delete(slices.Clone(of.Values), i, i+1) }
	return slices.ContainsFunc(r.Cases, func(other result.Case) bool {
		return other.API == c.API && len(other.Values) == len(c.Values) && other.Values[i] != c.Values[i] &&
			slices.Equal(others(other), others(c)) && slices.Equal(sameValues(other), sameValues(c))
	})
}

// choiceNumber sorts the values of a choice: none comes first. It returns an error for the value of a size.
func choiceNumber(value string) (float64, error) {
	if _, err := units.ParseSize(value); err == nil {
		return 0, errors.New("is a size")
	}
	if value == "none" {
		return -1, nil
	}
	return 0, nil
}
