package page

import (
	"fmt"
	"slices"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// runLog is the list of all runs of a timeline, newest first.
type runLog struct {
	ID, Title string
	Rows      []logEntry
}

// logEntry is one run in a runLog.
type logEntry struct {
	Anchor   string // id of the run, if the page has a section about it
	Start    string
	State    result.State
	Cause    string
	Changes  []string // changes that begin with this run
	Differs  string   // settings that differ from the previous run
	Job      string
	Document string
}

// newRunLogs returns a list of runs for each timeline.
func newRunLogs(lines []*runTimeline) (all []runLog) {
	for i, t := range lines {
		l := runLog{ID: "runs", Title: units.Count(len(t.Runs), "run", "runs") + " over time"}
		if len(lines) > 1 {
			l.ID += fmt.Sprintf("-%d", i+1)
			l.Title += ": " + t.identityText()
		}
		earlier := t.supersededRuns()
		for _, m := range slices.Backward(t.Runs) {
			e := logEntry{
				Start: m.Started.UTC().Format("2006-01-02 15:04"), State: m.State, Changes: t.changesAtRun(m.RunID),
				Differs: changesText(m.Differs, true), Document: m.Path,
			}
			if !earlier[m.RunID] {
				e.Anchor = m.RunID
			}
			if !m.InSeries {
				e.Cause = m.Message
			}
			if r := t.runs[m.RunID]; r != nil {
				e.Job = jobOrRunID(r)
			}
			l.Rows = append(l.Rows, e)
		}
		all = append(all, l)
	}
	return all
}

// jobOrRunID returns the Slurm job id of a run, or the run id if there is no job.
func jobOrRunID(r *figures.Run) string {
	for _, v := range r.Job.Slurm {
		if v.Key == "SLURM_JOB_ID" {
			return v.Value
		}
	}
	return r.RunID
}

// changesAtRun returns texts about the changes of throughput that begin with a run. If whole groups of series changed,
// it lists the largest such groups, otherwise the series.
func (t *runTimeline) changesAtRun(run string) (all []string) {
	begins := func(name string, of history.Findings) {
		for _, c := range of.AllChanges() {
			if c.RunID != run {
				continue
			}
			text := name + ": "
			if c.Incident != nil {
				text += "incident of " + units.Count(c.Incident.Runs, "run", "runs") + ", "
			}
			text += formatDifference(c.Ratio)
			if c.Low != nil && c.High != nil {
				text += " (" + formatDifference(*c.Low) + " to " + formatDifference(*c.High) + ")"
			}
			all = append(all, text)
		}
	}
	of := map[direction]bool{}
	for _, g := range t.groups {
		before := len(all)
		d := direction{g.Operation, g.PageCache == history.WarmCache}
		together := g.Operation == "" && !slices.ContainsFunc(g.AllChanges(), t.isAlsoInPartOfSeries)
		if together || g.Operation != "" && !of[d] {
			begins(g.ScopeText(), g.Findings)
		}
		of[d] = of[d] || g.API == "" && len(all) > before
	}
	if all != nil {
		return all
	}
	for _, s := range t.series {
		begins(joinNonEmpty(", ", directionOf(s).String(), figures.APILabel(s.API), panelCaseOf(s).caseText()),
			s.Findings)
	}
	return all
}
