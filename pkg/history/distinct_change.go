package history

import (
	"cmp"
	"math"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// DistinctChange is a lasting change or an incident, in a group of series or in one series. Each is reported to people
// only once.
type DistinctChange struct {
	FoundChange
	Identity result.Identity
	Group    *SeriesGroup // nil if the change is that of one series
	Series   *Series      // nil if the change is that of a group
}

// DistinctChanges returns the lasting changes and incidents of groups and series. It leaves out a change if a change of
// a larger group around it explains it; see coversChange.
func (t Trend) DistinctChanges() (all []DistinctChange) {
	var ids []string // of the groups and series of all
	add := func(id string, c DistinctChange) {
		for i, whole := range all {
			if strings.HasPrefix(id+"/", ids[i]+"/") && whole.coversChange(c) {
				return
			}
		}
		ids, all = append(ids, id), append(all, c)
	}
	addFindings := func(id string, found Findings, c DistinctChange) {
		for _, c.FoundChange = range found.AllChanges() {
			add(id, c)
		}
	}
	for i := range t.Groups { // a group comes before its parts
		g := &t.Groups[i]
		addFindings(g.ID, g.Findings, DistinctChange{Identity: g.Identity, Group: g})
	}
	for i := range t.Series {
		s := &t.Series[i]
		id := strings.Join([]string{s.Group, directionName(s.Operation, s.PageCache), s.API, "point"}, "/")
		addFindings(id, s.Findings, DistinctChange{Identity: s.Identity, Series: s})
	}
	return all
}

// Two changes can be the same change if they begin at most maxRunsApart runs apart. A change of a whole does not
// explain the change of a part that is more than maxPartOfWhole times as large, as a logarithm.
const (
	maxRunsApart   = 3
	maxPartOfWhole = 1.5
)

// coversChange reports whether the change of a group explains part, a change of a series or smaller group in it: both
// start at almost the same run and in the same direction, and part is not much larger. An incident explains only
// incidents that have a run in common with it.
func (c DistinctChange) coversChange(part DistinctChange) bool {
	if c.Incident != nil && (part.Incident == nil || part.Since.After(c.Incident.Until) ||
		c.Since.After(part.Incident.Until)) {
		return false
	}
	whole, own := math.Log(c.Ratio), math.Log(part.Ratio)
	apart := max(part.Index-c.Index, c.Index-part.Index)
	return apart <= maxRunsApart && whole*own > 0 && math.Abs(own) <= maxPartOfWhole*math.Abs(whole)
}

// ScopeText describes what changed: "everything", "reads from memory", "writes, HDF5, 16 MiB, 4 processes".
func (c DistinctChange) ScopeText() string {
	s := c.Series
	if s == nil {
		return scopeText(c.Group.Operation, c.Group.PageCache, c.Group.API)
	}
	return strings.Join([]string{
		scopeText(s.Operation, s.PageCache, s.API),
		cmp.Or(s.Workload, units.FormatBytes(float64(s.BufferBytes))),
		units.Count(s.Processes, "process", "processes"),
	}, ", ")
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
