package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/history"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// armNames holds the names of two configurations that are measured alternately.
var armNames = [2]string{string(result.ArmA), string(result.ArmB)}

// Comparison compares two configurations that were measured alternately, and returns the result as text. The text calls
// the configurations A and B.
func Comparison(both []history.Record, _ []plan.LeftOut) (string, error) {
	a, b := both[:1], both[1:]
	comparison, err := history.Compare(a, b, history.CompareOptions{Names: armNames})
	if err != nil {
		return "", err
	}
	return comparisonText(comparison, a, b), nil
}

// ComparisonIterations returns how many iterations Comparison needs to show a difference, and how many points it
// compares.
func ComparisonIterations(plans []plan.Plan) (iterations, points int) {
	return plans[0].PairsNeeded(plans[1:]...), plans[0].NumPoints(plans[1:]...)
}

// configurationText returns the options of one side of a comparison, followed by "; ", if this side is a single run of
// h5perf ab. If the side is a single variant, it returns the name of the variant. Otherwise it returns "".
func configurationText(side []history.Record) string {
	if len(side) != 1 || side[0].Pair == nil || side[0].Pair.FirstTurnID != "" {
		return ""
	}
	if v := side[0].Pair.Variant; v != "" {
		return v + "; "
	}
	arm, words := slices.Index(armNames[:], string(side[0].Pair.Arm)), side[0].Command
	for ; arm >= 0; arm-- {
		_, words = cutAtSeparator(words)
	}
	words, _ = cutAtSeparator(words)
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = plain.ShellWord(word)
	}
	if len(quoted) == 0 {
		return "without options; "
	}
	return strings.Join(quoted, " ") + "; "
}

// cutAtSeparator returns the arguments before and after the first separator --.
func cutAtSeparator(words []string) (before, after []string) {
	i := slices.Index(words, "--")
	if i < 0 {
		return words, nil
	}
	return words[:i], words[i+1:]
}

// verdictText formats the verdict about a point for people. For two configurations that were measured alternately, it
// says which configuration is faster, and by how much.
func verdictText(p history.ComparedPoint, c history.Comparison) string {
	if c.Names == armNames {
		switch p.Verdict {
		case history.Better:
			return fmt.Sprintf("%s is %.3g %% faster", c.Names[1], 100*(p.Difference.Ratio-1))
		case history.Worse:
			return fmt.Sprintf("%s is %.3g %% slower", c.Names[1], 100*(1-p.Difference.Ratio))
		}
	}
	return string(p.Verdict)
}

// verdictLabels returns the words that follow a number of points in the conclusion, such as "better" and "worse", or
// "with a faster B" and "with a slower B".
func verdictLabels(c history.Comparison) (better, worse string) {
	if c.Names == armNames {
		return "with a faster " + c.Names[1], "with a slower " + c.Names[1]
	}
	return string(history.Better), string(history.Worse)
}

// changeText describes, for people, a condition that differs between the two sides of a comparison.
func changeText(d history.ConditionChange, c history.Comparison) string {
	if c.Names != armNames {
		return d.String()
	}
	return fmt.Sprintf("%s: %s in %s, %s in %s",
		d.Name, cmp.Or(firstBytes(d.Old), "none"), c.Names[0], cmp.Or(firstBytes(d.New), "none"), c.Names[1])
}
