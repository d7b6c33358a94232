package figures

import (
	"errors"
	"fmt"
	"strings"

	"h5perf/pkg/units"
)

// ChoicesTitle is the title of ChoiceSentences.
const ChoicesTitle = "What choices cost: below 1, throughput is lower"

// ChoiceSentences compares the values of a choice: see ChoicesOfParts.
func (r *Run) ChoiceSentences() []string { return ChoicesOfParts(r.Parts()) }

// maxChoices is the largest number of sentences of ChoicesOfParts.
const maxChoices = 24

// ChoicesOfParts returns sentences that compare the throughput with each value of a choice with that of the value none
// or, without it, of the first value, where all other values of --sweep are equal. If there are more than maxChoices,
// it returns a sentence that says so.
func ChoicesOfParts(parts []*Run) (all []string) {
	if len(parts) < 2 {
		return nil
	}
	var points []Point
	for _, part := range parts {
		points = append(points, part.Points()...)
	}
	for _, series := range sweptSeries(points, choiceNumber) {
		first := series[0]
		var words []string
		for _, other := range series[1:] {
			if other.Missing != "" || first.Missing != "" {
				continue
			}
			if ratio, _ := first.Run.ratioOfPoints(Rows[0], other.Point, first.Point); ratio.N > 0 &&
				other.Cache == first.Cache {
				words = append(words, fmt.Sprintf("%s %s (%s)", other.value, FormatRatio(ratio.Median),
					ratio.RangeText(FormatRatio)))
			}
		}
		if words != nil {
			all = append(all, fmt.Sprintf("%s, %s: throughput divided by that of %s=%s: %s.",
				APILabel(first.Case.API), first.placeText(), first.name, first.value, strings.Join(words, "; ")))
		}
	}
	if len(all) > maxChoices {
		return []string{fmt.Sprintf("%d comparisons with the other values equal are too many to show: give --sweep "+
			"fewer choices, or fewer values.", len(all))}
	}
	return all
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
