package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Compare is the command compare, which compares the points of two sets of runs.
type Compare struct {
	Documents   []string `arg:"" placeholder:"OLD NEW" missing:"no documents are given; give OLD and NEW, each a file, a directory or a quoted pattern" help:"The documents of two sets of runs. OLD and NEW are each a file, a directory or a quoted pattern. The verdicts say whether NEW is better or worse than OLD. With --reference, give only NEW. --cluster, --filesystem, --label and --until apply to OLD and NEW. --since and --latest apply only to NEW; with them, runs that are in NEW are left out of OLD, and a single run of NEW is compared with the last 30 runs of OLD that have its conditions."`
	Reference   string   `placeholder:"DIR" brief:"" help:"Compare with the reference that is set in this tree of results, instead of OLD; see 'h5perf reference'."`
	Allow       []string `placeholder:"CONDITION" brief:"" help:"Compare results even if they differ in this condition, such as filesystem. The verdicts name the conditions that prevent a comparison."`
	JSON        bool     `name:"json" brief:"" help:"Print the comparison as JSON."`
	FailOnWorse *float64 `placeholder:"PERCENT" brief:"" help:"Exit with status 1 if a result, or a group of results such as all reads, is significantly worse, and by at least this much, or if a result failed in NEW. If OLD and NEW have one run each, and 'h5perf ab' did not measure them, there is no verdict, and the status is 2."`
	floorOptions
	selectionOptions
}

// Run runs the command.
func (c Compare) Run(env Env) error {
	if err := checkFailOnWorse(c.FailOnWorse); err != nil {
		return err
	}
	floors, err := c.parseFloors()
	if err != nil {
		return err
	}
	old, now, err := c.readBothSides(env)
	if err != nil {
		return &InputError{err}
	}
	comparison, err := history.Compare(old, now, history.CompareOptions{
		Allowed: c.Allow, EarlierRuns: c.Reference == "" && c.isPartOfTree(),
	})
	if err != nil {
		return &InputError{err}
	}
	if c.JSON {
		err = plain.WriteJSON(env.Stdout, comparison)
	} else {
		err = env.printHighlighted(comparisonText(comparison, old, now))
	}
	if err != nil {
		return fmt.Errorf("comparison: %w", err)
	}
	runs := make([]figures.Run, len(now))
	for i, r := range now {
		runs[i] = figures.Run{Name: r.Path, Document: r.Document}
	}
	return errors.Join(c.exitError(comparison), c.checkFloors(env, floors, runs))
}

func (c Compare) readBothSides(env Env) (old, now []history.Record, err error) {
	wanted := 2
	if c.Reference != "" {
		wanted = 1
	}
	if len(c.Documents) != wanted {
		text := "wrong number of names: give OLD and NEW, or --reference DIR and NEW"
		if n := len(c.Documents); n > wanted {
			text = fmt.Sprintf("%d names are given: give OLD and NEW, or --reference DIR and NEW, and put a pattern "+
				"in quotes, such as 'results/*.json'", n)
		}
		return nil, nil, errors.New(text)
	}
	selected, err := c.parseSelection(env.Now())
	if err != nil {
		return nil, nil, err
	}
	both := history.Selection{Identity: selected.Identity, Until: selected.Until}
	now, skipped, err := history.LoadSelected(selected, c.Documents[wanted-1])
	if err != nil {
		return nil, nil, fmt.Errorf("NEW: %w", err)
	}
	var more []history.SkippedFile
	if c.Reference != "" {
		old, more, err = c.readReference(now)
	} else if old, more, err = history.LoadSelected(both, c.Documents[0]); err != nil {
		err = fmt.Errorf("OLD: %w", err)
	}
	if err != nil {
		return nil, nil, err
	}
	printSkipped(env, slices.Concat(more, skipped))
	if c.isPartOfTree() {
		old = slices.DeleteFunc(old, func(r history.Record) bool {
			return slices.ContainsFunc(now, func(n history.Record) bool { return n.RunID == r.RunID })
		})
	}
	if len(old) == 0 {
		return nil, nil, errors.New("OLD: all of its runs are also in NEW, as --since or --latest select them, so " +
			"none is left to compare with")
	}
	return old, now, nil
}

// isPartOfTree reports whether NEW is a selection of the latest runs of a tree.
func (c Compare) isPartOfTree() bool { return c.Since != "" || c.Latest > 0 }

// readReference returns the runs that were set as references for the same cluster, file system and label as a run in
// now.
func (c Compare) readReference(now []history.Record) (old []history.Record, skipped []history.SkippedFile, err error) {
	pinned, err := history.ReadReferences(c.Reference)
	if err != nil {
		return nil, nil, err
	}
	wanted := map[string]bool{}
	for _, p := range history.CurrentReferences(pinned) {
		if slices.ContainsFunc(now, func(r history.Record) bool { return r.Identity == p.Identity }) {
			for _, id := range p.Runs {
				wanted[id] = true
			}
		}
	}
	if len(wanted) == 0 {
		return nil, nil, fmt.Errorf("--reference %s: no reference is set there for the cluster, file system and "+
			"label of NEW; 'h5perf reference set' sets one", c.Reference)
	}
	all, skipped, err := history.Load(c.Reference)
	if err != nil {
		return nil, nil, fmt.Errorf("--reference: %w", err)
	}
	for _, r := range all {
		if wanted[r.RunID] {
			old = append(old, r)
			delete(wanted, r.RunID)
		}
	}
	if len(wanted) > 0 {
		return nil, nil, fmt.Errorf("--reference %s: these runs of the reference are missing: %s", c.Reference,
			strings.Join(slices.Sorted(maps.Keys(wanted)), ", "))
	}
	return old, skipped, nil
}

// checkFailOnWorse returns an error if the value of --fail-on-worse is not a percentage. If percent is nil, the option
// was not given.
func checkFailOnWorse(percent *float64) error {
	if percent != nil && !(*percent >= 0 && *percent <= 100) {
		return &InputError{fmt.Errorf("--fail-on-worse %v: give a percentage from 0 to 100", *percent)}
	}
	return nil
}

// exitError returns the error that makes compare end with a status other than 0, or nil.
func (c Compare) exitError(comparison history.Comparison) error {
	compared, judged, bad := 0, 0, []error{}
	for _, p := range comparison.Points {
		if p.Verdict != history.NotComparable {
			compared++
		}
		if p.Verdict != history.NotComparable && p.Verdict != history.NotJudged {
			judged++
		}
		if c.FailOnWorse == nil {
			continue
		}
		switch {
		case p.Failed:
			bad = append(bad, &ExitStatusError{result.ExitFailed, comparedPointName(p) + ": " + p.Reason})
		case p.Verdict == history.Worse && 100*(1-p.Difference.Ratio) >= *c.FailOnWorse:
			bad = append(bad, &ExitStatusError{
				result.ExitFailed,
				fmt.Sprintf("%s: worse by %.3g %%", comparedPointName(p), 100*(1-p.Difference.Ratio)),
			})
		}
	}
	for _, g := range comparison.Groups {
		if c.FailOnWorse != nil && g.Verdict == history.Worse && 100*(1-g.Difference.Ratio) >= *c.FailOnWorse {
			bad = append(bad, &ExitStatusError{
				result.ExitFailed,
				fmt.Sprintf("%s: worse by %.3g %%", comparedGroupName(g), 100*(1-g.Difference.Ratio)),
			})
		}
	}
	switch {
	case len(bad) > 0:
		return errors.Join(bad...)
	case compared == 0:
		return &ExitStatusError{result.ExitFailed, "no point of OLD could be compared with one of NEW"}
	case judged == 0 && c.FailOnWorse != nil:
		return &ExitStatusError{
			result.ExitUsage,
			"--fail-on-worse: with one run on each side, no difference is judged; give more runs as OLD or NEW, or " +
				"measure both with h5perf ab",
		}
	}
	return nil
}

// shortHashLength is the number of characters of a hash that are enough for people.
const shortHashLength = 12

// pointName returns the name of a point for people, with the settings that identify it. The name says if reads were
// warm (from the page cache). For other reads it does not mention the cache.
func pointName(p history.Place, settings []history.Condition) string {
	return formatPointName(p, cmp.Or(p.Workload, units.FormatBytes(float64(p.TransferBytes))), settings)
}

// comparedPointName returns the name of a compared point. If the two runs used different transfer sizes, the name shows
// both sizes.
func comparedPointName(p history.ComparedPoint) string {
	for _, d := range p.Differs {
		if d.Name == "transfer_bytes" {
			return formatPointName(p.Place, transferSizeText(d.Old)+" -> "+transferSizeText(d.New), p.Conditions)
		}
	}
	return pointName(p.Place, p.Conditions)
}

// transferSizeText formats a number of bytes for people, such as 4 MiB. If the text bytes is not a number, it returns
// bytes unchanged, or "none" if bytes is empty.
func transferSizeText(bytes string) string {
	n, err := strconv.ParseUint(bytes, 10, 64)
	if err != nil {
		return cmp.Or(bytes, "none")
	}
	return units.FormatBytes(float64(n))
}

// formatPointName returns the name of a point for people: operation, API and number of processes from p, then what, the
// transfer size or the workload, then the settings.
func formatPointName(p history.Place, what string, settings []history.Condition) string {
	processes := units.Count(p.Processes, "process", "processes")
	words := []string{string(p.Operation), figures.APILabel(p.API), processes, what}
	if p.Class != "" {
		words = append(words, string(p.Class)+"/s")
	}
	for _, s := range settings {
		switch {
		case s.Name == "workload.sha256":
			words = append(words, s.Name+" "+s.Value[:min(len(s.Value), shortHashLength)])
		case s.Name != "page_cache":
			words = append(words, conditionText(s))
		case s.Value == history.WarmCache:
			words = append(words, s.Value)
		}
	}
	return strings.Join(words, ", ")
}

func comparisonText(c history.Comparison, old, now []history.Record) string {
	var text plain.LineBuilder
	for i, side := range [][]history.Record{old, now} {
		text.Add("%s: %s%s", c.Names[i], configurationText(side), runsText(side))
	}
	for _, line := range remarksForAllPoints(c) {
		text.Add("%s", line)
	}
	text.Add("")
	if len(c.Points) > 0 {
		text.Table(comparedTable(c), 2)
		text.Add("")
	}
	for _, line := range remarksForSomePoints(c) {
		text.Add("%s", line)
	}
	for _, line := range slices.Concat(intervalLines(c), comparedPositionLines(c), showMoreLines(c)) {
		text.Add("%s", line)
	}
	if line := callsLine(c, old, now); line != "" {
		text.Add("%s", line)
	}
	text.Add("%s", conclusionText(c))
	return text.String()
}

// callsLine returns a line with the calls that the last runs of both sides made in different numbers. It returns "" if
// calls were not counted on both sides.
func callsLine(c history.Comparison, old, now []history.Record) string {
	last := func(side []history.Record) *figures.Run {
		return &figures.Run{Document: side[len(side)-1].Document}
	}
	texts, both := figures.CallDifferences(last(old), last(now), c.Names)
	switch {
	case !both:
		return ""
	case texts == nil:
		return "calls of all processes in an iteration: as many of each kind on both sides"
	}
	return "calls of all processes in an iteration: " + strings.Join(texts, "; ")
}

// comparedTable returns the table of a comparison: a heading, a row for each group of all points and each other group
// with a difference, and a row for each point. Columns without values are removed.
func comparedTable(c history.Comparison) [][]string {
	rows := [][]string{{
		"verdict", "point", c.Names[0], c.Names[1], "difference", "interval", "p, corrected", "n", "would show",
	}}
	for _, g := range c.Groups {
		if g.Operation == "" || isShown(g.Verdict) { // a small group says little by itself
			rows = append(rows, comparedGroupRow(g))
		}
	}
	for _, p := range c.Points {
		rows = append(rows, comparedRow(p, c))
	}
	return dropEmptyColumns(rows, 2)
}

// dropEmptyColumns removes the columns that have no value in any row. The first row has the headings. The first
// columns, as many as labels says, contain labels and are never removed.
func dropEmptyColumns(rows [][]string, labels int) [][]string {
	out := make([][]string, len(rows))
	for i := range rows[0] {
		value := func(row []string) bool { return row[i] != "" && row[i] != "-" }
		if i >= labels && !slices.ContainsFunc(rows[1:], value) {
			continue
		}
		for k, row := range rows {
			out[k] = append(out[k], row[i])
		}
	}
	return out
}

// remarksForSomePoints returns the remarks below the table about single points, without the remarks that hold for all
// points.
func remarksForSomePoints(c history.Comparison) (all []string) {
	shared, reasons := sharedRemarks(c), map[string]int{}
	for _, p := range c.Points {
		reasons[p.Reason]++
	}
	for _, p := range c.Points {
		name := comparedPointName(p)
		switch n := reasons[p.Reason]; {
		case p.Reason == "" || n == 0: // there is none, or it is already in the lines
		case n > 1:
			all = append(all, fmt.Sprintf("not comparable, %d points: %s", n, p.Reason))
			reasons[p.Reason] = 0
		default:
			all = append(all, name+": not comparable: "+p.Reason)
		}
		named := pointRemarks(p, c, name)
		for i, line := range pointRemarks(p, c, "") {
			if !slices.Contains(shared, line) {
				all = append(all, named[i])
			}
		}
	}
	return all
}

// remarksForAllPoints returns the remarks below the table that hold for all points: cautions, and conditions that
// differ.
func remarksForAllPoints(c history.Comparison) (all []string) {
	for _, one := range c.Cautions {
		all = append(all, one.Line(""))
	}
	return append(all, sharedRemarks(c)...)
}

// conclusionText returns a line that says how many points are better, worse, without a difference, and not comparable.
func conclusionText(c history.Comparison) string {
	counts := map[history.Verdict]int{}
	for _, p := range c.Points {
		counts[p.Verdict]++
	}
	better, worse := verdictLabels(c)
	text := fmt.Sprintf("%s: %d %s, %d %s, %d no difference shown, %d not comparable",
		units.Count(len(c.Points), "point", "points"), counts[history.Better], better,
		counts[history.Worse], worse, counts[history.NoDifference], counts[history.NotComparable])
	if n := counts[history.NotJudged]; n > 0 {
		text += fmt.Sprintf(", %d not judged", n)
	}
	groups := map[history.Verdict]int{}
	for _, g := range c.Groups {
		groups[g.Verdict]++
	}
	if len(c.Groups) > groups[history.NotJudged] {
		text += fmt.Sprintf("; %s of points: %d %s, %d %s", units.Count(len(c.Groups), "group", "groups"),
			groups[history.Better], better, groups[history.Worse], worse)
	}
	return text
}

// runsText describes the runs on one side of a comparison: their number and their times.
func runsText(records []history.Record) string {
	first, last := records[0], records[len(records)-1]
	text := fmt.Sprintf("%d runs, %s to %s", len(records), formatMinute(first.Started), formatMinute(last.Started))
	if len(records) == 1 {
		text = fmt.Sprintf("1 run, %s, %s", formatMinute(first.Started), first.Path)
	}
	incomplete := 0
	for _, r := range records {
		if r.State != result.Complete {
			incomplete++
		}
	}
	if incomplete > 0 {
		text += fmt.Sprintf("; %d not complete: only their complete cases count", incomplete)
	}
	return text
}

// pointRemarks returns the remarks below the table about a point, each a line that begins with name, unless name is "".
func pointRemarks(p history.ComparedPoint, c history.Comparison, name string) (lines []string) {
	for _, d := range p.Differs {
		lines = append(lines, strings.TrimPrefix(name+": differs: "+changeText(d, c), ": "))
	}
	for _, one := range p.Cautions {
		lines = append(lines, one.Line(name))
	}
	return lines
}

// sharedRemarks returns the remarks that hold for all points that could be compared.
func sharedRemarks(c history.Comparison) (shared []string) {
	first := true
	for _, p := range c.Points {
		if p.Verdict == history.NotComparable {
			continue
		}
		lines := pointRemarks(p, c, "")
		if first {
			shared, first = lines, false
		}
		shared = slices.DeleteFunc(shared, func(line string) bool { return !slices.Contains(lines, line) })
	}
	return shared
}

func comparedRow(p history.ComparedPoint, c history.Comparison) []string {
	row := []string{
		verdictText(p, c), comparedPointName(p), medianText(p.Old, p), medianText(p.New, p), "", "", "", "",
		"",
	}
	if p.Difference != nil {
		copy(row[4:], differenceCells(p.Difference, p.Verdict, p.Old.Count, p.New.Count))
	}
	return row
}

func comparedGroupRow(g history.ComparedGroup) []string {
	return append([]string{string(g.Verdict), comparedGroupName(g), "", ""},
		differenceCells(g.Difference, g.Verdict, g.OldRuns, g.NewRuns)...)
}

// comparedGroupName returns the name of a group of points for people.
func comparedGroupName(g history.ComparedGroup) string {
	words := []string{g.ScopeText()}
	for _, s := range g.Conditions {
		words = append(words, conditionText(s))
	}
	return strings.Join(words, ", ")
}

// conditionText formats a condition for people. Values of --sweep already have names.
func conditionText(s history.Condition) string {
	if s.Name == history.SweptCondition {
		return s.Value
	}
	return s.Name + " " + s.Value
}

// differenceIntervalText returns the interval of a difference, or why there is none.
func differenceIntervalText(d *history.TestedDifference) string {
	switch {
	case d.Low != nil && d.High != nil:
		return formatPercent(*d.Low) + " to " + formatPercent(*d.High)
	case d.Test == history.TestByPairs:
		return "too few iterations"
	}
	return "too few values"
}

// differenceCells returns the table cells of a difference: difference, interval, p-value, numbers of values, and the
// smallest fall that would show.
func differenceCells(d *history.TestedDifference, v history.Verdict, old, now int) []string {
	cells := []string{formatPercent(d.Ratio), "", "", fmt.Sprintf("%d + %d", old, now), ""}
	if d.Test == history.Untested {
		return cells
	}
	cells[1] = differenceIntervalText(d)
	cells[2] = strconv.FormatFloat(d.CorrectedP, 'g', 2, 64)
	if d.Test == history.TestByPairs {
		cells[3] = fmt.Sprintf("%d pairs", old)
	}
	if v == history.NoDifference {
		cells[4] = "none"
		if d.DetectableRatio != nil {
			cells[4] = formatPercent(*d.DetectableRatio)
		}
	}
	return cells
}

// intervalLines returns lines that explain the intervals and the column "would show" of the table. If the table has
// neither, it returns no lines.
func intervalLines(c history.Comparison) (lines []string) {
	low, high, unseen := 1.0, 0.0, false
	for _, d := range testedDifferences(c) {
		unseen = unseen || d.CorrectedP > 1-stats.Level
		if d.Low != nil && d.High != nil {
			low, high = min(low, d.Level), max(high, d.Level)
		}
	}
	if unseen {
		lines = append(lines, "Would show: the smallest fall that a comparison with the same numbers of values and "+
			"the same noise would detect with a probability of 0.9.")
	}
	if high == 0 {
		return lines
	}
	each := fmt.Sprintf("%.4g %%", 100*high)
	if low < high {
		each = fmt.Sprintf("%.4g to %.4g %%", 100*low, 100*high)
	}
	line := fmt.Sprintf("Each interval of a difference has a confidence of %s, so that all of them together have "+
		"%g %%. Each interval of %s and %s has %g %%.",
		each, 100*stats.Level, c.Names[0], c.Names[1], 100*stats.Level)
	if low == high && low == stats.Level {
		line = fmt.Sprintf("The intervals have a confidence of %g %%.", 100*stats.Level)
	}
	return append([]string{line}, lines...)
}

// testedDifferences returns the differences of points and groups that were tested.
func testedDifferences(c history.Comparison) (all []*history.TestedDifference) {
	for _, g := range c.Groups {
		all = append(all, g.Difference)
	}
	for _, p := range c.Points {
		if p.Difference != nil {
			all = append(all, p.Difference)
		}
	}
	return slices.DeleteFunc(all, func(d *history.TestedDifference) bool { return d.Test == history.Untested })
}

// isShown reports whether a verdict says that there is a difference.
func isShown(v history.Verdict) bool { return v == history.Better || v == history.Worse }

// medianText formats the median of a point on one side of a comparison. It adds the ends of the confidence
// interval as differences from the median, in percent. If there are too few values for an interval, it adds the lowest
// and the highest value instead.
func medianText(f *history.PointSummary, p history.ComparedPoint) string {
	switch {
	case f == nil:
		return "-"
	case f.Count == 1 && p.Difference != nil && p.Difference.Test == history.TestByPrediction:
		return p.FormatValue(f.Median) + " (one run)"
	case f.Count == 1:
		return p.FormatValue(f.Median) + " (one sample)"
	}
	low, high, of := f.Min, f.Max, "range "
	if f.Low != nil && f.High != nil {
		low, high, of = *f.Low, *f.High, ""
	}
	return fmt.Sprintf("%s (%s%+.1f %+.1f %%)", p.FormatValue(f.Median), of, 100*(low/f.Median-1),
		100*(high/f.Median-1))
}

func formatPercent(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }
