package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// panelCase identifies cases that differ only in their API. The series of all these APIs are shown in one panel for
// each direction.
type panelCase struct {
	workload         string
	processes, nodes int
	transfer, buffer uint64
}

func panelCaseOf(s history.Series) panelCase {
	return panelCase{s.Workload, s.Processes, s.Nodes, s.TransferBytes, s.BufferBytes}
}

// caseText describes the case: number of processes, and workload or size.
func (c panelCase) caseText() string {
	size := float64(cmp.Or(c.buffer, c.transfer))
	return processesText(c.processes) + ", " + cmp.Or(c.workload, units.FormatBytes(size))
}

// overTimePicture makes the picture of the timeline: a wide panel for each direction of the main case, and small panels
// for the other cases. number makes the name of the picture unique within a page.
func (t *runTimeline) overTimePicture(apis palette, number int, several bool) Picture {
	cases := filterSlice(groupByKey(t.series, panelCaseOf), func(g group[panelCase, history.Series]) bool {
		return slices.ContainsFunc(g.items, hasSeveralRuns)
	})
	most := mainCaseIndex(cases)
	cases = slices.Concat(cases[most:most+1], cases[:most], cases[most+1:])
	f := Picture{Name: "over-time", Title: "Throughput over time", Caption: t.captionText()}
	if several {
		f.Name += fmt.Sprintf("-%d", number)
		f.Title += ": " + t.identityText()
	}
	var drawn, more []TimelinePanel
	for i, c := range cases {
		if i == 0 {
			drawn = t.casePanels(apis, c.key, c.items, true)
		} else {
			more = append(more, t.casePanels(apis, c.key, c.items, false)...)
		}
	}
	for _, g := range groupByKey(more, func(p TimelinePanel) string { return p.Kind }) {
		drawn = append(drawn, g.items...)
	}
	f.Keys, f.Panels = t.legendKeysOfPanels(drawn), toPanels(drawn)
	for i := range drawn[1:] {
		if drawn[i+1].Kind != drawn[i].Kind {
			f.RowStarts = append(f.RowStarts, i+1)
		}
	}
	return f
}

// mainCaseIndex returns the index of the most important case. It considers only cases with a change of at least 80 % of
// the largest change in any case. Among these it prefers the case with the most APIs, then the case with the highest
// throughput.
func mainCaseIndex(cases []group[panelCase, history.Series]) (best int) {
	type weight struct {
		change  float64
		apis    int
		highest float64
	}
	weights, largest := make([]weight, len(cases)), 0.0
	for i, c := range cases {
		w := &weights[i]
		w.apis = len(groupByKey(c.items, func(s history.Series) string { return s.API }))
		for _, s := range c.items {
			w.highest = max(w.highest, s.Runs[len(s.Runs)-1].Median)
			for _, c := range s.ChangePoints {
				w.change = max(w.change, math.Abs(math.Log(c.Ratio)))
			}
			if i := s.OngoingIncident(); i != nil {
				w.change = max(w.change, math.Abs(math.Log(i.Ratio)))
			}
			if s.Reference != nil && s.Reference.Verdict == history.Worse {
				w.change = max(w.change, math.Abs(math.Log(s.Reference.Ratio)))
			}
		}
		largest = max(largest, w.change)
	}
	for i, w := range weights {
		of := weights[best]
		big, bigger := of.change >= 0.8*largest, w.change >= 0.8*largest
		if bigger != big {
			if bigger {
				best = i
			}
		} else if cmp.Or(cmp.Compare(w.apis, of.apis), cmp.Compare(w.highest, of.highest)) > 0 {
			best = i
		}
	}
	return best
}

// direction is the operation of a panel. Reads from a warm page cache are a separate direction.
type direction struct {
	operation result.Operation
	warm      bool
}

func directionOf(s history.Series) direction {
	return direction{s.Operation, s.PageCache == history.WarmCache}
}

func (d direction) String() string {
	if d.warm {
		return string(d.operation) + ", " + history.WarmCache
	}
	return string(d.operation)
}

// casePanels returns a panel for each direction of a case. If first is true, the case is the main case and its panels
// are wide.
func (t *runTimeline) casePanels(apis palette, of panelCase, series []history.Series,
	first bool,
) (all []TimelinePanel) {
	log := needsLogAxis(t.ratesOfSeries(series))
	directions := groupByKey(series, directionOf)
	slices.SortFunc(directions, func(a, b group[direction, history.Series]) int {
		return cmp.Or(cmp.Compare(b.key.operation, a.key.operation), cmp.Compare(a.key.String(), b.key.String()))
	})
	for i, d := range directions {
		y, unit := rateAxis(t.ratesOfSeries(d.items), log)
		panel := TimelinePanel{
			Title: d.key.String() + ", " + of.caseText(), Kind: d.key.String(), Wide: first, From: t.Runs[0].Started,
			To: t.Runs[len(t.Runs)-1].Started, Y: y,
			Changes: append(t.changeEvents(d.key, d.items), endEvents(d.items)...),
			Events:  t.runEvents(first && i == len(directions)-1),
		}
		for _, s := range d.items {
			line := Series{Key: apis.legendKeyForAPI(s.API, figures.APILabel(s.API))}
			for _, p := range t.pointsOfSeries(s) {
				line.Points = append(line.Points, Point{
					X: UnixSeconds(p.Run.Started), Y: p.Rate.Median / unit, Low: p.Rate.Low / unit,
					High: p.Rate.High / unit, Interval: p.Rate.Interval, Hollow: isStoppedEarly(p),
				})
			}
			panel.Series = append(panel.Series, line)
			if level, there := t.newReferenceLine(s, line.Key.Colour, unit); there {
				panel.ReferenceLines = append(panel.ReferenceLines, level)
			}
		}
		labelHighestLine(panel.ReferenceLines)
		all = append(all, panel)
	}
	return all
}

// pointsOfSeries returns the points of a series in chronological order.
func (t *runTimeline) pointsOfSeries(s history.Series) (all []figures.Point) {
	for _, r := range s.Runs {
		if p, there := t.points[pointKey{r.RunID, s.Place}]; there {
			all = append(all, p)
		}
	}
	return all
}

// ratesOfSeries returns all throughputs that the panels of these series show: medians and both ends of intervals.
func (t *runTimeline) ratesOfSeries(series []history.Series) (all []float64) {
	for _, s := range series {
		for _, p := range t.pointsOfSeries(s) {
			all = append(all, p.Rate.Median, p.Rate.Low, p.Rate.High)
		}
	}
	return all
}

// isStoppedEarly reports whether the case of a point was stopped before it had the requested number of samples.
func isStoppedEarly(p figures.Point) bool {
	return figures.StoppedEarlyText(p.Run.Parameters, p.Case.EndedBy, p.Samples) != ""
}

// legendKeysOfPanels returns the entries of the legend that explain the lines and symbols in the drawn panels.
func (t *runTimeline) legendKeysOfPanels(drawn []TimelinePanel) []LegendKey {
	var lines []LinePanel
	open, level, differ, failed := false, false, false, false
	for _, p := range drawn {
		lines = append(lines, LinePanel{Series: p.Series})
		level = level || len(p.ReferenceLines) > 0
		for _, s := range p.Series {
			open = open || slices.ContainsFunc(s.Points, func(p Point) bool { return p.Hollow })
		}
		for _, e := range p.Events {
			differ, failed = differ || !e.Failed, failed || e.Failed
		}
	}
	keys := distinctLegendKeys(lines)
	for _, k := range []struct {
		shown bool
		key   LegendKey
	}{
		{open, LegendKey{Name: "stopped before it had the samples that were wanted", Colour: Muted, Hollow: true}},
		{level, LegendKey{Name: t.referenceText(), Colour: Muted, Level: true}},
		{differ, LegendKey{Name: "something else changed", Event: &Event{}}},
		{failed, LegendKey{Name: "a run without figures", Event: &Event{Failed: true}}},
	} {
		if k.shown {
			keys = append(keys, k.key)
		}
	}
	return keys
}
