package page

import (
	"slices"

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
	Link     string // to the page or the section of the run; "" if there is none
	Start    string
	State    result.State
	Cause    string
	Changes  []string // changes that begin with this run
	Differs  string   // settings that differ from the previous run
	Job      string
	Document string
}

// newRunLogs returns a list of runs for each timeline. shown holds the paths of the documents of the runs that the page
// shows alone.
func newRunLogs(lines []*runTimeline, links Links, shown map[string]bool) (all []runLog) {
	for _, t := range lines {
		l := runLog{ID: "runs", Title: units.Count(len(t.Runs), "run", "runs") + " over time"}
		if len(lines) > 1 {
			l.ID += "-" + t.pageName()
			l.Title += ": " + t.identityText()
		}
		for _, m := range slices.Backward(t.Runs) {
			begun := filterSlice(t.changes, func(c history.Distinct[history.FoundChange]) bool {
				return c.Found.RunID == m.RunID
			})
			e := logEntry{
				Start: m.Started.UTC().Format("2006-01-02 15:04"), State: m.State, Changes: mapSlice(begun,
					history.FoundChangeText),
				Differs: history.ConditionChangesText(m.Differs, true), Document: m.Path, Job: m.Job,
			}
			if links.Run != nil {
				e.Link = links.Run(m.Path)
			}
			if e.Link == "" && shown[m.Path] {
				e.Link = "#run-" + m.RunID
			}
			if !m.InSeries {
				e.Cause = m.Message
			}
			l.Rows = append(l.Rows, e)
		}
		all = append(all, l)
	}
	return all
}
