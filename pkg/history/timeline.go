package history

import (
	"slices"

	"h5perf/pkg/result"
)

// Timeline holds the runs with equal decisive conditions, in the order in which they started. It also includes runs
// that are not used in the search for changes.
type Timeline struct {
	Group      string // ID of the group of all series of these runs
	Identity   result.Identity
	Conditions []Condition // see SeriesGroup
	Runs       []TimelineRun
}

// TimelineRun is a run of a timeline.
type TimelineRun struct {
	IncompleteRun
	Job      string            // ID of the Slurm job, or of the run if it was no job
	InSeries bool              // a series contains the run
	Differs  []ConditionChange // conditions that differ from those of the previous used run
}

// Contains reports whether the document at a path is of a run of the timeline.
func (t Timeline) Contains(path string) bool {
	return slices.ContainsFunc(t.Runs, func(r TimelineRun) bool { return r.Path == path })
}

// newTimelines returns a timeline for each tree. settings holds the conditions that distinguish each tree from the
// others. runs are in the order in which they started.
func (f *forest) newTimelines(runs []RunDigest, settings [][]Condition) []Timeline {
	all := make([]Timeline, len(f.trees))
	for i, t := range f.trees {
		all[i] = Timeline{Group: t.groupID(settings[i]), Identity: t.identity, Conditions: settings[i]}
	}
	for _, d := range runs {
		i, there := f.index[d.treeKey]
		if !there {
			continue
		}
		m := TimelineRun{IncompleteRun: d.run, Job: d.job}
		if night, used := f.trees[i].indexOfRun[d.run.RunID]; used && len(d.entries) > 0 {
			m.InSeries = true
			if night > 0 {
				of := f.trees[i].runs
				m.Differs = conditionChanges(parseConditions(of[night-1].reported), parseConditions(of[night].reported))
			}
		}
		all[i].Runs = append(all[i].Runs, m)
	}
	return all
}
