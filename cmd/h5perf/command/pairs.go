package command

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/page"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// compareTurns compares runs that were measured alternately, as in h5perf ab and h5perf vary, for pages and
// pictures. It leaves out runs whose first run is not among them.
func compareTurns(runs []figures.Run) (all []page.Comparison, err error) {
	turns := map[string][]history.Record{}
	var order []string
	for _, r := range runs {
		of := r.TurnsID()
		if of == "" {
			continue
		}
		if turns[of] == nil {
			order = append(order, of)
		}
		turns[of] = append(turns[of], history.Record{Path: r.Name, Document: r.Document})
	}
	for _, of := range order {
		arms := turns[of]
		slices.SortStableFunc(arms, func(a, b history.Record) int {
			return cmp.Or(cmp.Compare(len(a.Pair.Arm), len(b.Pair.Arm)), cmp.Compare(a.Pair.Arm, b.Pair.Arm),
				a.Started.Compare(b.Started))
		})
		if arms[0].RunID != of || arms[0].Pair.Arm == arms[len(arms)-1].Pair.Arm {
			continue
		}
		compare := compareVariants
		switch {
		case arms[0].Pair.Stage != "":
			compare = compareTuned
		case len(arms) == len(armNames) || arms[0].Pair.FirstTurnID != "":
			compare = comparePair
		}
		c, err := compare(arms)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arms[0].Path, err)
		}
		for _, arm := range arms {
			c.RunIDs = append(c.RunIDs, arm.RunID)
		}
		all = append(all, c)
	}
	return all, nil
}

// turnsText returns what pages show of a comparison, as text.
func turnsText(c page.Comparison) string {
	var text plain.LineBuilder
	text.Add("%s", c.Title)
	for _, one := range c.Configurations {
		inTable := slices.ContainsFunc(c.Table, func(row []string) bool { return slices.Contains(row, one.Name) })
		if len(c.Configurations) == len(armNames) || !inTable {
			text.Add("%s: %s", one.Name, one.Text)
		}
	}
	for _, line := range c.CommonNotes {
		text.Add("%s", line)
	}
	text.Add("")
	text.Table(c.Table, len(armNames))
	if c.Race != nil {
		return text.String()
	}
	text.Add("")
	for _, line := range append(slices.Clone(c.Details), c.Conclusion+".") {
		text.Add("%s", line)
	}
	return text.String()
}

// comparePair compares two runs, or the launches of two programs: first those of A.
func comparePair(arms []history.Record) (page.Comparison, error) {
	second := slices.IndexFunc(arms, func(r history.Record) bool { return r.Pair.Arm != arms[0].Pair.Arm })
	a, b := arms[:second], arms[second:]
	c, err := history.Compare(a, b, history.CompareOptions{Names: armNames})
	if err != nil {
		return page.Comparison{}, err
	}
	names := armNamesWithSettings([]history.Record{a[0], b[0]})
	out := page.Comparison{
		Title: names[1] + " compared with " + names[0], Table: comparedTable(c), Conclusion: conclusionText(c),
		CommonNotes: remarksForAllPoints(c), Details: append(remarksForSomePoints(c), intervalLines(c)...),
	}
	for i, side := range [][]history.Record{a, b} {
		out.Configurations = append(out.Configurations,
			page.Configuration{Name: armNames[i], Text: configurationText(side) + runsText(side)})
	}
	for _, one := range c.Points {
		if one.Difference == nil {
			continue
		}
		what := "throughput"
		if one.Class != "" {
			what = "objects per second"
		}
		d := page.Difference{
			Panel: string(one.Operation), Compared: what + " of " + names[1] + ", compared with " + names[0],
			API:        one.API,
			Name:       strings.TrimPrefix(comparedPointName(one), string(one.Operation)+", "),
			Conclusion: verdictText(one, c), Ratio: one.Difference.Ratio,
			Significant: one.Verdict == history.Better || one.Verdict == history.Worse,
		}
		if one.Difference.Test != history.Untested {
			d.Note = formatPercent(d.Ratio) + " (" + differenceIntervalText(one.Difference) + ")"
		}
		setInterval(&d, one.Difference)
		out.Differences = append(out.Differences, d)
	}
	// In each direction, differences that are shown come first, the largest fall at the top.
	slices.SortStableFunc(out.Differences, func(a, b page.Difference) int {
		direction := func(d page.Difference) int {
			return slices.Index(result.ValuesOf[result.Operation](), result.Operation(d.Panel))
		}
		shown := func(d page.Difference) float64 {
			if d.Significant {
				return d.Ratio
			}
			return math.Inf(1)
		}
		return cmp.Or(cmp.Compare(direction(a), direction(b)), cmp.Compare(shown(a), shown(b)))
	})
	return out, nil
}

// armNamesWithSettings returns the names of the arms, each with the settings in which they differ.
func armNamesWithSettings(arms []history.Record) []string {
	runs := make([]figures.Run, len(arms))
	for i, r := range arms {
		runs[i] = figures.Run{Name: r.Path, Document: r.Document}
	}
	differing := figures.DifferingSettings(figures.Pointers(runs))
	names := make([]string, len(arms))
	for i, r := range figures.Pointers(runs) {
		names[i] = string(r.Pair.Arm)
		if differing[r] != "" {
			names[i] += " (" + differing[r] + ")"
		}
	}
	return names
}

// compareVariants compares variants with the first one.
func compareVariants(arms []history.Record) (page.Comparison, error) {
	r, err := history.Rank(arms)
	if err != nil {
		return page.Comparison{}, err
	}
	c := page.Comparison{
		Title:   "Variants of the " + measuredSubject(arms[0]) + ", the fastest first",
		Details: rankingLines(r, arms[0]),
		Conclusion: fmt.Sprintf("The time of each variant, compared with %s (%s), from %s", r.First,
			workload.UnchangedLayout, units.Count(r.Pairs, "iteration", "iterations")),
		Table: rankingTable(r),
	}
	total := r.Measures[0]
	for _, one := range r.Arms {
		measured := variantName(one)
		if one.Missing != "" {
			measured += ": no figures: " + one.Missing
		}
		c.Configurations = append(c.Configurations, page.Configuration{Name: string(one.Arm), Text: measured})
		d := page.Difference{
			Panel: "time, " + string(total), Compared: "compared with " + r.First, API: arms[0].Parameters.APIs[0],
			Name: string(one.Arm) + ": " + variantName(one), Note: rankedNote(r, one), Ratio: 1, Conclusion: r.First,
		}
		tested := one.Differences[total]
		switch {
		case one.Missing != "":
			continue
		case tested != nil:
			d.Ratio, d.Conclusion = tested.Ratio, differenceCell(r, tested)
			d.Significant = r.Verdict(tested) != history.NoDifference
			setInterval(&d, tested)
		}
		c.Differences = append(c.Differences, d)
	}
	return c, nil
}

// compareTuned shows the runs of a stage of h5perf tune. A race has no conclusion: its winner is compared in the
// hold-out.
func compareTuned(runs []history.Record) (page.Comparison, error) {
	stage := runs[0].Pair.Stage
	tuned := Tuned{Stages: []TunedStage{{TuneStage: TuneStage{Name: stage}, Records: runs}}}
	c := page.Comparison{Title: fmt.Sprintf("Tuning (%s) of the %s", stage, measuredSubject(runs[0]))}
	c.Table, _, _ = tuned.trials()
	add := func(measure history.Measure, variant string, d *history.TestedDifference, v history.Verdict) {
		one := page.Difference{
			Panel: "time, " + string(measure), Compared: "compared with " + runs[0].Pair.Variant,
			API: runs[0].Parameters.APIs[0], Name: variant, Conclusion: timeText(d), Ratio: d.Ratio,
			Significant: v != history.NoDifference,
		}
		setInterval(&one, d)
		c.Differences = append(c.Differences, one)
	}
	switch stage {
	case result.TuneSearch, result.TuneCombine:
		c.Conclusion = "A line is the mean of a variant in all rounds so far, up to the round in which it was " +
			"dropped. The fastest of many looks faster than it is: only the hold-out proves a gain"
		arms, ratios, err := history.RaceRatios(runs)
		for i, one := range arms {
			c.Race = append(c.Race, page.RaceLine{Name: variantName(one), Ratios: ratios[i]})
		}
		return c, err
	case result.TuneHoldOut:
		conclusion, h := tuned.conclusion()
		if c.Conclusion = strings.TrimSuffix(conclusion, "."); h.Difference != nil {
			add(h.Measure, h.Chosen.Pair.Variant, h.Difference, h.Verdict)
		}
		return c, nil
	}
	r, err := history.Rank(runs)
	for _, one := range r.Arms {
		if d := one.Differences[r.Measures[0]]; d != nil {
			add(r.Measures[0], variantName(one), d, r.Verdict(d))
		}
	}
	c.Conclusion = "The time of each configuration, compared with " + runs[0].Pair.Variant
	return c, err
}

// rankedNote returns the time and the file size of a variant.
func rankedNote(r history.Ranking, one history.RankedArm) string {
	note := units.FormatSeconds(one.Seconds[r.Measures[0]])
	if one.FileBytes > 0 {
		note += ", file of " + units.FormatBytes(float64(one.FileBytes))
	}
	return note
}

// setInterval sets the interval of a difference, if there is one.
func setInterval(d *page.Difference, of *history.TestedDifference) {
	if of.Low != nil && of.High != nil {
		d.Low, d.High, d.Interval = *of.Low, *of.High, true
	}
}
