package history

import (
	"math"
	"slices"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// LastingChange is a change of throughput that lasts, in a group of series or in one series. Each is reported to people
// only once.
type LastingChange struct {
	ChangePoint
	Identity  result.Identity
	Operation result.Operation
	PageCache string
	API       string
	Place     *Place // place of the series; nil for a group
}

// LastingChanges returns the changes of groups and series. It leaves out a change if a change of a larger group around
// it explains it; see coversChange.
func (t Trend) LastingChanges() (all []LastingChange) {
	type reported struct {
		id string
		ChangePoint
	}
	var told []reported
	add := func(id string, f LastingChange, changes []ChangePoint) {
		for _, c := range changes {
			if slices.ContainsFunc(told, func(r reported) bool {
				return strings.HasPrefix(id+"/", r.id+"/") && r.coversChange(c)
			}) {
				continue
			}
			told = append(told, reported{id, c})
			f.ChangePoint = c
			all = append(all, f)
		}
	}
	for _, g := range t.Groups { // a group comes before its parts
		add(g.ID, LastingChange{
			Identity: g.Identity, Operation: g.Operation, PageCache: g.PageCache, API: g.API,
		}, g.ChangePoints)
	}
	for _, s := range t.Series {
		add(strings.Join([]string{s.Group, directionName(s.Operation, s.PageCache), s.API, "point"}, "/"),
			LastingChange{
				Identity: s.Identity, Operation: s.Operation, PageCache: s.PageCache, API: s.API,
				Place: &s.Place,
			}, s.ChangePoints)
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
// start at almost the same run and in the same direction, and part is not much larger.
func (c ChangePoint) coversChange(part ChangePoint) bool {
	whole, own := math.Log(c.Ratio), math.Log(part.Ratio)
	apart := max(part.Index-c.Index, c.Index-part.Index)
	return apart <= maxRunsApart && whole*own > 0 && math.Abs(own) <= maxPartOfWhole*math.Abs(whole)
}

// ScopeText describes what changed: "everything", "reads from memory", "writes, HDF5, 16 MiB, 4 processes".
func (f LastingChange) ScopeText() string {
	if f.Operation == "" {
		return "everything"
	}
	words := []string{string(f.Operation) + "s"}
	if f.PageCache == WarmCache {
		words[0] += " from memory"
	}
	if f.API != "" {
		words = append(words, result.APIOf(f.API).Label)
	}
	if p := f.Place; p != nil {
		what := p.Workload
		if what == "" {
			what = units.FormatBytes(float64(p.BufferBytes))
		}
		words = append(words, what, units.Count(p.Processes, "process", "processes"))
	}
	return strings.Join(words, ", ")
}
