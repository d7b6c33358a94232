package command

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// RankingIterations returns how many iterations of each arm Ranking needs to show a difference between arms, and how
// many points (writes, reads) it compares.
func RankingIterations(plans []plan.Plan) (iterations, points int) {
	return history.RankingPairs(len(plans), plans[0].Parameters)
}

// Ranking compares variants, which were measured alternately, and returns the result as text. leftOut lists the
// variants that were not measured, with the reasons.
func Ranking(arms []history.Record, leftOut []plan.LeftOut) (string, error) {
	r, err := history.Rank(arms)
	if err != nil {
		return "", err
	}
	return rankingText(r, arms[0], leftOut), nil
}

func rankingText(r history.Ranking, first history.Record, leftOut []plan.LeftOut) string {
	var text plain.LineBuilder
	p := first.Parameters
	text.Add("Variants of the %s: %s on %s, %s of %s in turns through %s", measuredSubject(first),
		units.Count(first.Job.Processes, "process", "processes"), units.Count(first.Job.Nodes, "node", "nodes"),
		units.Count(r.Pairs, "iteration", "iterations"), units.Count(len(r.Arms), "variant", "variants"),
		result.APIOf(p.APIs[0]).Label)
	text.Add("")
	text.Table(rankingTable(r), 3)
	text.Add("")
	for _, one := range r.Arms {
		if one.Missing == "" {
			continue
		}
		text.Add("%s, %s: no figures: %s", one.Arm, variantName(one), plain.VisibleLine(one.Missing))
	}
	for _, line := range rankingLines(r, first) {
		text.Add("%s", line)
	}
	for _, l := range plan.GroupByReason(leftOut) {
		text.Add("left out: %s: %s", l.Variant, plain.VisibleLine(l.Reason))
	}
	return text.String()
}

// measuredSubject says what a run measured: its workload or, for a sweep, the kind of the tool.
func measuredSubject(r history.Record) string {
	if w := r.Parameters.Workload; w != nil {
		return "workload " + w.Name
	}
	return string(r.Kind) + " sweep"
}

// rankingTable returns the table of the variants that have results, with a heading.
func rankingTable(r history.Ranking) [][]string {
	counted := countedAPIs(r)
	header := []string{"", "", "variant", "time"}
	for _, m := range comparedMeasures(r) {
		header = append(header, string(m))
	}
	header = append(header, "file")
	for _, api := range counted {
		header = append(header, figures.APILabel(api)+" calls")
	}
	rows := [][]string{header}
	for _, one := range r.Arms {
		if one.Missing == "" {
			row := rankedRow(r, one)
			for _, api := range counted {
				row = append(row, (&figures.Run{Document: one.Record.Document}).CallsText(api))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// countedAPIs returns the APIs for whose calls the table has columns.
func countedAPIs(r history.Ranking) []string {
	for _, one := range r.Arms {
		if one.Record.Parameters.Conditions.CountCalls {
			return figures.CountedAPIs
		}
	}
	return nil
}

// comparedMeasures returns the measured times for which the table has a column of differences. With too few iterations
// to show any difference, it returns no measure.
func comparedMeasures(r history.Ranking) (all []history.Measure) {
	if r.Pairs < r.PairsNeeded {
		return nil
	}
	for i, m := range r.Measures {
		if i == 0 || slices.ContainsFunc(r.Arms, func(a history.RankedArm) bool { return a.Differences[m] != nil }) {
			all = append(all, m)
		}
	}
	return all
}

// numSlower returns how many variants are significantly slower than another variant.
func numSlower(r history.Ranking) (n int) {
	for _, one := range r.Arms {
		if !one.Best && one.Missing == "" {
			n++
		}
	}
	return n
}

func variantName(one history.RankedArm) string { return one.Record.Pair.Variant }

func rankedRow(r history.Ranking, one history.RankedArm) []string {
	best := ""
	if one.Best && numSlower(r) > 0 {
		best = "*"
	}
	row := []string{best, string(one.Arm), variantName(one), units.FormatSeconds(one.Seconds[r.Measures[0]])}
	for i, m := range comparedMeasures(r) {
		d := one.Differences[m]
		switch {
		case d == nil:
			row = append(row, "")
		case i == 0:
			row = append(row, differenceCell(r, d))
		case r.Verdict(d) == history.NoDifference:
			row = append(row, "none shown")
		default:
			row = append(row, formatPercent(d.Ratio))
		}
	}
	size := ""
	if one.FileBytes > 0 {
		size = units.FormatBytes(float64(one.FileBytes))
	}
	return append(row, size)
}

func differenceCell(r history.Ranking, d *history.TestedDifference) string {
	interval := differenceIntervalText(d)
	if r.Verdict(d) == history.NoDifference {
		return fmt.Sprintf("none shown (%s)", interval)
	}
	return fmt.Sprintf("%s (%s)", formatPercent(d.Ratio), interval)
}

// rankingLines returns the lines below the table of variants, which explain its columns and the result.
func rankingLines(r history.Ranking, first history.Record) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	of, file := timedText(first.Parameters), "file: the size of the last data file, which includes parts never written."
	if countedAPIs(r) != nil {
		file += " calls: those of all processes in an iteration."
	}
	if r.Pairs < r.PairsNeeded {
		add("time: the median %s. %s", of, file)
		few := plain.Caution{
			Keyword: "too few iterations",
			Text: fmt.Sprintf("With %s, no difference can be shown.",
				units.Count(r.Pairs, "iteration", "iterations")),
			Help: fmt.Sprintf("-i %d", r.PairsNeeded),
		}
		if first.Parameters.Iterations >= r.PairsNeeded {
			few.Help = ""
			few.Text += " More were requested, but the run ended before it had them."
		}
		return append(append(lines, few.Line("")), rankingCautions(r, first)...)
	}
	add("time: the median %s. The columns after it: how much longer or shorter than %s (%s) that is, and its parts; "+
		"structure is files, objects and attributes. %s", of, r.First, workload.UnchangedLayout, file)
	best := []string{}
	for _, one := range r.Arms {
		if one.Best {
			best = append(best, string(one.Arm))
		}
	}
	stars := ", and *"
	switch {
	case numSlower(r) == 0:
		stars = ""
		add("No variant was shown to be slower than another one.")
	case len(best) == 1:
		add("*: the fastest variant is %s: each other one was shown to be slower than another.", best[0])
	default:
		add("*: the fastest variant is one of these %d: no other one was shown to be faster.", len(best))
	}
	most, unseen := 1.0, 0
	for _, one := range r.Arms {
		if d := one.Differences[r.Measures[0]]; d != nil && r.Verdict(d) == history.NoDifference {
			unseen++
			if d.DetectableRatio != nil {
				most = min(most, *d.DetectableRatio)
			}
		}
	}
	if unseen > 0 && most < 1 {
		add("none shown: no difference was shown. Each of these places would show a time that is shorter by %.3g %%, "+
			"with a probability of 0.9.", 100*(1-most))
	}
	add("All of this holds together with a probability of %g %%: intervals and differences in %d places%s.",
		100*r.Level, r.Tests, stars)
	return append(lines, rankingCautions(r, first)...)
}

// timedText says what the time of an iteration contains.
func timedText(p result.Parameters) string {
	what := map[history.Measure]string{
		history.TotalTime: "of writing and reading", history.WriteTime: "of writing", history.ReadTime: "of reading",
	}[history.Measures(p)[0]]
	if p.Workload == nil {
		return what + " in all cases of an iteration"
	}
	return what + " all dumps, without computing"
}

// rankingCautions returns a line for each different caution, with the variants to which it applies. first is the run of
// the unchanged configuration.
func rankingCautions(r history.Ranking, first history.Record) (lines []string) {
	arms, order := map[plain.Caution][]string{}, []plain.Caution{} // arms has the arms of each caution
	for _, one := range r.Arms {
		all := slices.Clone(one.Cautions)
		work := result.OtherWork(first.Parameters, one.Record.Parameters, first.Amounts(), one.Record.Amounts())
		if work != "" {
			all = append(all, plain.Caution{
				Keyword: "other work",
				Text: fmt.Sprintf("It %s: a difference from %s does not say which is faster for the same work.", work,
					r.First),
			})
		}
		for _, c := range all {
			if arms[c] == nil {
				order = append(order, c)
			}
			arms[c] = append(arms[c], string(one.Arm))
		}
	}
	for _, c := range order {
		lines = append(lines, c.Line(strings.Join(arms[c], ", ")))
	}
	return lines
}
