package history

// Fall is a fall of throughput in a series or group that lasts until its newest run. It is told in one of three ways.
type Fall struct {
	Ratio     float64              // throughput now, divided by throughput before
	Reference *ReferenceComparison // the latest runs are below the reference, ...
	Best      *BestLevelComparison // or below the best earlier level,
	Change    *FoundChange         // or the last lasting change or an ongoing incident is a fall
}

// DistinctFalls returns the falls of groups and series to at most the given ratio; see Distinct. Series that have ended
// and changes before the last run of the reference are left out.
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
	return findDistinct(t, find, Fall.coversFall)
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
