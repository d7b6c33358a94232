package history

import (
	"math"
	"slices"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// LastingChange is a lasting change, as people are told of it once: that of a group of series, or of one series.
type LastingChange struct {
	ChangePoint
	Identity  result.Identity
	Operation result.Operation
	PageCache string
	API       string
	Place     *Place // of a series
}

// LastingChanges returns the changes of groups and series. It leaves out a change of a series or of a group that is
// part of a group with the same change: at most nearby runs away, in the same direction, and not much smaller than its
// own.
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
	for _, g := range t.Groups { // a group stands before its parts
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

// Two changes that begin at most nearby runs apart are taken for the same one. If the change of a part is more than
// deeper times that of the whole, in logarithms, the whole does not explain it.
const (
	maxRunsApart   = 3
	maxPartOfWhole = 1.5
)

// coversChange reports whether a change of a group explains the change of a part of it.
func (c ChangePoint) coversChange(part ChangePoint) bool {
	whole, own := math.Log(c.Ratio), math.Log(part.Ratio)
	apart := max(part.Index-c.Index, c.Index-part.Index)
	return apart <= maxRunsApart && whole*own > 0 && math.Abs(own) <= maxPartOfWhole*math.Abs(whole)
}

// ScopeText returns in words what changed: "everything", "reads from memory", "writes, HDF5, 16 MiB, 4 processes".
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
