package command

import (
	"fmt"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/page"
)

// comparePairedRuns compares the two runs of each h5perf ab, which were measured alternately, for pages and pictures.
// It ignores runs that measured more than two configurations alternately.
func comparePairedRuns(runs []figures.Run) ([]page.Pair, error) {
	turns := map[string][]history.Record{}
	var order []string
	for _, r := range runs {
		of := r.FirstArmRunID()
		if of == "" {
			continue
		}
		if turns[of] == nil {
			order = append(order, of)
		}
		turns[of] = append(turns[of], history.Record{Path: r.Name, Document: r.Document})
	}
	var pairs []page.Pair
	for _, of := range order {
		both := turns[of]
		if len(both) != len(armNames) {
			continue
		}
		for i, r := range both {
			if r.RunID == of { // the run of arm A
				both[0], both[i] = both[i], both[0]
			}
		}
		if both[0].RunID != of {
			continue
		}
		p, err := comparePair(both[:1], both[1:])
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

func comparePair(a, b []history.Record) (page.Pair, error) {
	c, err := history.Compare(a, b, history.CompareOptions{Names: armNames})
	if err != nil {
		return page.Pair{}, fmt.Errorf("%s and %s: %w", a[0].Path, b[0].Path, err)
	}
	p := page.Pair{Names: c.Names, Table: comparedTable(c), Conclusion: conclusionText(c)}
	for i, side := range [][]history.Record{a, b} {
		p.RunIDs[i], p.Configurations[i] = side[0].RunID, configurationText(side)+runsText(side)
	}
	p.CommonNotes, p.Details = remarksForAllPoints(c), append(remarksForSomePoints(c), intervalLines(c)...)
	for _, one := range c.Points {
		d := page.PointDifference{
			Operation: one.Operation, API: one.API, Processes: one.Processes, TransferBytes: one.TransferBytes,
			Name: comparedPointName(one), Verdict: verdictText(one, c),
			Significant: one.Verdict == history.Better || one.Verdict == history.Worse,
		}
		if one.Difference == nil {
			continue
		}
		d.Ratio = one.Difference.Ratio
		if low, high := one.Difference.Low, one.Difference.High; low != nil && high != nil {
			d.Low, d.High, d.Interval = *low, *high, true
		}
		p.Differences = append(p.Differences, d)
	}
	return p, nil
}
