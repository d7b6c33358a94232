package history

import (
	"cmp"
	"math"
	"slices"

	"h5perf/pkg/units"
)

// TimelineSummary says how the values of a timeline (throughput, and objects per second) are now, compared with before,
// and since when.
type TimelineSummary struct {
	Ratio     float64 // value now, divided by that of Compared; NaN if it is not known
	Low, High float64 // bounds of its interval; both are Ratio without one
	Compared  string  // what Ratio is relative to: "the reference of 2026-03-01", "the level before"
	Fell      bool    // Ratio is that of the worst fall
	Since     string  // when the fall began and by how much or, if no change was found for it, what fell
	Changed   string  // what else changed when the fall began
}

// Summarize returns the summary of a timeline. Its changes and falls are those of the trend that belong to it; newest
// is the position of its newest run, or nil.
func Summarize(changes []Distinct[FoundChange], falls []Distinct[Fall], newest *RunPosition) TimelineSummary {
	s := TimelineSummary{Ratio: math.NaN(), Since: "no lasting change found", Fell: len(falls) > 0}
	var low, high *float64
	switch {
	case s.Fell:
		worst := WorstFall(falls)
		f := worst.Found
		s.Ratio = f.Ratio
		switch {
		case f.Reference != nil:
			s.Compared = "the reference of " + dateText(f.Reference.ReferenceTime)
			low, high = f.Reference.Low, f.Reference.High
		case f.Best != nil:
			s.Compared = "its best level, until " + dateText(f.Best.Until)
			low, high = f.Best.Low, f.Best.High
		case f.Newest != nil:
			s.Compared = f.Newest.otherRunsText()
		default:
			s.Compared = "the level before"
			low, high = f.Change.Low, f.Change.High
		}
		s.Since = worst.ScopeText() + ": less than before"
		if f.Newest != nil {
			s.Since = onlyNewestFell
		} else if begun := beginOfFall(changes, worst); begun != nil {
			s.Since, s.Changed = FoundChangeText(*begun), ConditionChangesText(begun.Found.Differs, true)
		}
	case newest != nil && newest.whole() != nil:
		s.Ratio, s.Compared = newest.whole().Ratio, newest.otherRunsText()
		if newest.whole().Verdict == Worse {
			s.Since = onlyNewestFell
		}
	}
	s.Low, s.High = s.Ratio, s.Ratio
	if low != nil && high != nil {
		s.Low, s.High = *low, *high
	}
	return s
}

const onlyNewestFell = "only the newest run fell; the next run shows whether that lasts"

// otherRunsText says with which runs the run is compared.
func (r RunPosition) otherRunsText() string {
	if r.ReferenceTime != nil {
		return "the reference of " + dateText(*r.ReferenceTime)
	}
	return "the " + units.Count(r.Runs, "run", "runs") + " before"
}

// WorstFall returns the fall to the lowest ratio. There must be one.
func WorstFall(falls []Distinct[Fall]) Distinct[Fall] {
	return slices.MinFunc(falls, func(a, b Distinct[Fall]) int { return cmp.Compare(a.Found.Ratio, b.Found.Ratio) })
}

// beginOfFall returns the latest fall among the changes of what has fallen, or of a larger group. It returns nil if
// there is none.
func beginOfFall(changes []Distinct[FoundChange], fall Distinct[Fall]) (latest *Distinct[FoundChange]) {
	for i, c := range changes {
		if c.Found.Ratio < 1 && c.Contains(fall.SeriesOrGroup) &&
			(latest == nil || c.Found.Since.After(latest.Found.Since)) {
			latest = &changes[i]
		}
	}
	return latest
}

// ChangesOf returns those of the distinct changes of a trend that belong to a timeline. It leaves out a change of all
// series that is the change of a part of them, which was also found and is larger: the other series need not have
// changed.
func (t Timeline) ChangesOf(all []Distinct[FoundChange]) (own []Distinct[FoundChange]) {
	for _, c := range all {
		if c.BelongsTo(t) {
			own = append(own, c)
		}
	}
	found := slices.Clone(own)
	return slices.DeleteFunc(own, func(whole Distinct[FoundChange]) bool {
		operation, _ := whole.Direction()
		return operation == "" && slices.ContainsFunc(found, func(c Distinct[FoundChange]) bool {
			of, _ := c.Direction()
			apart := c.Found.Index - whole.Found.Index
			return of != "" && max(apart, -apart) <= maxRunsApart && (c.Found.Ratio < 1) == (whole.Found.Ratio < 1) &&
				(c.Found.Incident == nil) == (whole.Found.Incident == nil)
		})
	})
}
