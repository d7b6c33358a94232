package history

import (
	"cmp"
	"math"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// SeriesOrGroup is a group of series or one series.
type SeriesOrGroup struct {
	Identity result.Identity
	Group    *SeriesGroup // nil for one series
	Series   *Series      // nil for a group

	id string // of the group, or of the smallest group around the series; begins with the ids of the groups around it
}

// seriesAndGroups returns all groups and series. A group comes before the groups and series in it.
func (t Trend) seriesAndGroups() (all []SeriesOrGroup) {
	for i := range t.Groups {
		g := &t.Groups[i]
		all = append(all, SeriesOrGroup{Identity: g.Identity, Group: g, id: g.ID})
	}
	for i := range t.Series {
		all = append(all, newSeriesOrGroup(&t.Series[i]))
	}
	return all
}

func newSeriesOrGroup(s *Series) SeriesOrGroup {
	id := strings.Join([]string{s.Group, directionName(s.Operation, s.PageCache), s.API}, "/")
	return SeriesOrGroup{Identity: s.Identity, Series: s, id: id}
}

// BelongsTo reports whether the series or group is of the runs of a timeline.
func (of SeriesOrGroup) BelongsTo(t Timeline) bool { return strings.HasPrefix(of.id+"/", t.Group+"/") }

// Contains reports whether part is the same series or group, or in this group.
func (of SeriesOrGroup) Contains(part SeriesOrGroup) bool {
	if of.Group == nil {
		return of.Series == part.Series
	}
	return strings.HasPrefix(part.id+"/", of.id+"/")
}

// Direction returns the operation of the series or group, and whether its reads are from memory. The operation is ""
// for a group of all series.
func (of SeriesOrGroup) Direction() (operation result.Operation, warm bool) {
	if of.Group != nil {
		return of.Group.Operation, of.Group.PageCache == WarmCache
	}
	return of.Series.Operation, of.Series.PageCache == WarmCache
}

// findings returns what was found in the series or group.
func (of SeriesOrGroup) findings() (Findings, Present) {
	if of.Group != nil {
		return of.Group.Findings, of.Group.Present
	}
	return of.Series.Findings, of.Series.Present
}

// ScopeText describes the series or group: "everything", "reads from memory", "writes, HDF5, 16 MiB, 4 processes",
// "writes, HDF5, metadata, create/s, 4 processes".
func (of SeriesOrGroup) ScopeText() string {
	s := of.Series
	if s == nil {
		return scopeText(of.Group.Operation, of.Group.PageCache, of.Group.API)
	}
	words := []string{
		scopeText(s.Operation, s.PageCache, s.API), cmp.Or(s.Workload, units.FormatBytes(float64(s.BufferBytes))),
	}
	if s.Class != "" {
		words = append(words, string(s.Class)+"/s")
	}
	return strings.Join(append(words, units.Count(s.Processes, "process", "processes")), ", ")
}

// scopeText describes all series of an operation and API. Either may be empty.
func scopeText(operation result.Operation, cache, api string) string {
	if operation == "" {
		return "everything"
	}
	words := []string{string(operation) + "s"}
	if cache == WarmCache {
		words[0] += " from memory"
	}
	if api != "" {
		words = append(words, result.APIOf(api).Label)
	}
	return strings.Join(words, ", ")
}

// Distinct is a finding about a group of series or one series that no finding about a larger group explains. Such a
// finding is reported to people only once.
type Distinct[T any] struct {
	SeriesOrGroup
	Found   T
	Covered []T // findings about single series of the group, which this finding explains
}

// findDistinct returns what find returns for all groups and series. It leaves out a finding if covers reports that a
// finding about a larger group explains it.
func findDistinct[T any](t Trend, find func(SeriesOrGroup) []T, covers func(whole, part T) bool) (all []Distinct[T]) {
	covering := func(of SeriesOrGroup, part T) *Distinct[T] {
		for i := range all {
			whole := &all[i]
			if whole.Group != nil && strings.HasPrefix(of.id+"/", whole.id+"/") && covers(whole.Found, part) {
				return whole
			}
		}
		return nil
	}
	for _, of := range t.seriesAndGroups() {
		for _, found := range find(of) {
			switch whole := covering(of, found); {
			case whole == nil:
				all = append(all, Distinct[T]{SeriesOrGroup: of, Found: found})
			case of.Series != nil:
				whole.Covered = append(whole.Covered, found)
			}
		}
	}
	return all
}

// Two changes can be the same change if they begin at most maxRunsApart runs apart. A change of a whole does not
// explain the change of a part that is more than maxPartOfWhole times as large, as a logarithm.
const (
	maxRunsApart   = 3
	maxPartOfWhole = 1.5
)

// DistinctChanges returns the lasting changes and incidents of groups and series; see Distinct.
func (t Trend) DistinctChanges() []Distinct[FoundChange] {
	find := func(of SeriesOrGroup) []FoundChange {
		found, _ := of.findings()
		return found.AllChanges()
	}
	return findDistinct(t, find, FoundChange.coversChange)
}

// coversChange reports whether the change of a group explains part, a change of a series or smaller group in it: both
// start at almost the same run, and the ratio of part is explained. An incident explains only incidents that have a run
// in common with it.
func (c FoundChange) coversChange(part FoundChange) bool {
	if c.Incident != nil && (part.Incident == nil || part.Since.After(c.Incident.Until) ||
		c.Since.After(part.Incident.Until)) {
		return false
	}
	apart := max(part.Index-c.Index, c.Index-part.Index)
	return apart <= maxRunsApart && coversRatio(c.Ratio, part.Ratio)
}

// coversRatio reports whether the ratio of a group explains that of a series or smaller group in it: both are in the
// same direction, and that of the part is not much larger.
func coversRatio(whole, part float64) bool {
	of, own := math.Log(whole), math.Log(part)
	return of*own > 0 && math.Abs(own) <= maxPartOfWhole*math.Abs(of)
}
