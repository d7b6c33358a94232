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
// it returns a sentence that says so instead. It leaves out values with which an API does the same as with an earlier
// one, and says where a value does other work than the first one. Last, it explains brackets, see SweptValue.
func ChoicesOfParts(parts []*Run) (all []string) {
	if len(parts) < 2 {
		return nil
	}
	var points []Point
	for _, part := range parts {
		points = append(points, part.Points()...)
	}
	filters := filterChoices(points)
	for _, series := range sweptSeries(points, choiceNumber) {
		first := series[0]
		var words []string
		for i, other := range series {
			isSame := func(s sweptPoint) bool { return s.value != other.value && other.doesSame(s, filters) }
			if i == 0 || other.Missing != "" || first.Missing != "" || slices.ContainsFunc(series[:i], isSame) {
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
		all = []string{fmt.Sprintf("%d comparisons with the other values equal are too many to show: give --sweep "+
			"fewer choices, or fewer values.", len(all))}
	}
	if text := bracketSentence(points, filters); text != "" {
		all = append(all, text)
	}
	return all
}

// bracketSentence explains brackets around values, see SweptValue. It returns "" if there are none.
func bracketSentence(points []Point, filters []string) string {
	var labels, names []string
	for _, s := range samePoints(points, filters) {
		if label := APILabel(s.Case.API); !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
		if !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	switch {
	case len(labels) == 0:
		return ""
	case len(filters) > 0:
		return fmt.Sprintf("Filters are those of HDF5, and do nothing with %s: tables have such values of %s in "+
			"brackets there.", strings.Join(labels, " and "), strings.Join(names, " and "))
	}
	return "Where values differ in HDF5 alone, they do the same with " + strings.Join(labels, " and ") +
		": tables have such values in brackets there."
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

// doesSame reports whether the API does the same with another value of --sweep: the document says so or, if it says so
// of no case, the values choose filters, the API has none, and it moves as much.
func (s sweptPoint) doesSame(other sweptPoint, filters []string) bool {
	return slices.Equal(sameValues(s.Case), sameValues(other.Case)) || slices.Contains(filters, s.name) &&
		result.APIOf(s.Case.API).PlainFiles && s.otherWork(other) == ""
}

// sameValues returns the values of the first cases with which the API does the same as in this case: its own, or those
// of others.
func sameValues(c result.Case) []result.KeyValue {
	if c.SameAs != nil {
		return c.SameAs
	}
	return c.Values
}

// samePoints returns the points with a value of --sweep for which the API does the same with another value.
func samePoints(points []Point, filters []string) (all []sweptPoint) {
	if len(filters) == 0 && !slices.ContainsFunc(points, hasSameAs) {
		return nil
	}
	for _, series := range sweptSeries(points, func(string) (float64, error) { return 0, nil }) {
		for _, s := range series {
			isSame := func(other sweptPoint) bool { return other.value != s.value && s.doesSame(other, filters) }
			if slices.ContainsFunc(series, isSame) {
				all = append(all, s)
			}
		}
	}
	return all
}

// hasSameAs reports whether the document says with which other values the API does the same.
func hasSameAs(p Point) bool { return p.Case.SameAs != nil }

// filterChoices returns the names of --sweep with whose values the filters of HDF5 differ, if no case has SameAs: older
// documents and those of many parts do not have it.
func filterChoices(points []Point) (names []string) {
	if slices.ContainsFunc(points, hasSameAs) {
		return nil
	}
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

// SweptValue returns the function that returns value i of --sweep of a point of the run, in brackets if the API does
// the same with another value.
func (r *Run) SweptValue(i int) func(Point) string {
	points, same := r.Points(), map[pointKey]bool{}
	for _, s := range samePoints(points, filterChoices(points)) {
		if s.name == r.Swept[0].Values[i].Key {
			same[s.pointKeyForAPI(s.Case.API)] = true
		}
	}
	return func(p Point) string {
		value := p.Case.Values[i].Value
		if same[p.pointKeyForAPI(p.Case.API)] {
			value = "(" + value + ")"
		}
		return value
	}
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
