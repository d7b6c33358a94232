package history

import "slices"

// Fall is a fall of throughput in a series or group that lasts until its newest run. It is told in one of four ways.
type Fall struct {
	Ratio     float64              // throughput now, divided by throughput before
	Reference *ReferenceComparison // the latest runs are below the reference, ...
	Best      *BestLevelComparison // or below the best earlier level,
	Change    *FoundChange         // or the last lasting change or an ongoing incident is a fall,
	Newest    *RunPosition         // or only the newest run is lower, all points together
}

// DistinctFalls returns the falls of groups and series to at most the given ratio; see Distinct. Series that have ended
// and changes before the last run of the reference are left out. A newest run counts from maxNewestRatio on if all its
// points together are lower, unless another fall of the whole run says the same.
func (t Trend) DistinctFalls(ratio float64) []Distinct[Fall] {
	find := func(of SeriesOrGroup) (all []Fall) {
		found, present := of.findings()
		if present.Ended != nil {
			return nil
		}
		addChange := func(c FoundChange) {
			if c.Since.After(present.AcceptedUntil) && c.Ratio <= ratio {
				all = append(all, Fall{Ratio: c.Ratio, Change: &c})
			}
		}
		if i := found.OngoingIncident(); i != nil {
			addChange(FoundChange{i.Change, i})
		}
		n := len(found.ChangePoints)
		switch reference, best := present.Reference, present.Best; {
		case reference != nil && reference.Verdict == Worse && reference.Ratio <= ratio:
			all = append(all, Fall{Ratio: reference.Ratio, Reference: reference})
		case BestLevelTellsMore(found, present):
			if best.Verdict == Worse && best.Ratio <= ratio {
				all = append(all, Fall{Ratio: best.Ratio, Best: best})
			}
		case n > 0:
			addChange(FoundChange{found.ChangePoints[n-1].Change, nil})
		}
		return all
	}
	all := findDistinct(t, find, Fall.coversFall)
	for i := range t.Newest {
		r := &t.Newest[i]
		whole := r.whole()
		if whole == nil || whole.Verdict != Worse || whole.Ratio > min(ratio, maxNewestRatio) ||
			r.accepted || r.SmallReference {
			continue
		}
		of := t.wholeRun(r)
		if !slices.ContainsFunc(all, func(d Distinct[Fall]) bool {
			return d.Contains(of) && coversRatio(d.Found.Ratio, whole.Ratio)
		}) {
			all = append(all, Distinct[Fall]{SeriesOrGroup: of, Found: Fall{Ratio: whole.Ratio, Newest: r}})
		}
	}
	return all
}

// maxNewestRatio is the largest ratio of a newest run alone that is a fall. A single point, or a whole run by less, is
// often low for one night: such a fall is told with the next run, as an incident.
const maxNewestRatio = 0.6

// wholeRun returns the group of all series of a newest run or, without one, its only series. In a trend with too few
// runs for groups, it returns a group that is not part of the trend.
func (t Trend) wholeRun(r *RunPosition) SeriesOrGroup {
	for _, of := range t.seriesAndGroups() {
		s := of.Series
		if s == nil && of.id == r.group ||
			r.All == nil && s != nil && s.Newest != nil && s.Group == r.group && s.Place == r.Worst.Place {
			return of
		}
	}
	g := &SeriesGroup{ID: r.group, Identity: r.Identity, NumSeries: r.All.NumPoints, Runs: 1 + r.Runs}
	return SeriesOrGroup{Identity: g.Identity, Group: g, id: g.ID}
}

// coversFall reports whether the fall of a group explains part, a fall of a series or smaller group in it. It does not
// matter when a fall to a level below the reference or below the best level began. Such a fall is not an incident.
func (f Fall) coversFall(part Fall) bool {
	if f.Change != nil && part.Change != nil {
		return f.Change.coversChange(*part.Change)
	}
	isIncident := func(f Fall) bool { return f.Change != nil && f.Change.Incident != nil }
	return !isIncident(f) && !isIncident(part) && coversRatio(f.Ratio, part.Ratio)
}
