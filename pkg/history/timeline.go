package history

import "h5perf/pkg/result"

// Timeline is runs with equal decisive conditions in the order in which they started: those of the series of a group,
// and those that are not used.
type Timeline struct {
	Group    string // ID of the group of all series of these runs
	Identity result.Identity
	Settings []Setting // see Group
	Runs     []Moment
}

// Moment is a run of a timeline.
type Moment struct {
	Unused
	Used    bool     // a series has it
	Differs []Change // conditions that differ between this run and the one before it that is used
}

// timelines returns the timelines of all trees, which have these settings. runs are in the order in which they started.
func (f *forest) timelines(runs []digested, settings [][]Setting) []Timeline {
	all := make([]Timeline, len(f.trees))
	for i, t := range f.trees {
		all[i] = Timeline{Group: t.id(settings[i]), Identity: t.identity, Settings: settings[i]}
	}
	for _, d := range runs {
		i, there := f.index[d.of]
		if !there {
			continue
		}
		m := Moment{Unused: d.run}
		if night, used := f.trees[i].nights[d.run.RunID]; used && len(d.figures) > 0 {
			m.Used = true
			if night > 0 {
				of := f.trees[i].runs
				m.Differs = changes(parsed(of[night-1].reported), parsed(of[night].reported))
			}
		}
		all[i].Runs = append(all[i].Runs, m)
	}
	return all
}
