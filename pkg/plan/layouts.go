package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// LayoutRuns holds runs that store the data of a workload in different layouts.
type LayoutRuns struct {
	Runs      []LayoutRun // the first one has the original layout
	LeftOut   []LeftOut
	WriteOnly bool
}

// LayoutRun is a run that stores the data of a workload in a layout. Variant names the layout.
type LayoutRun struct {
	Variant string
	Options
}

// LeftOut is a variant that cannot be measured, with the reason.
type LeftOut struct{ Variant, Reason string }

// LayoutRuns returns the runs of a workload that compare layouts: one run with the original layout, and one with each
// other chosen layout. They use HDF5 only. It returns a *usage.Error if the workload has no other layout.
func (o Options) LayoutRuns(chosen workload.LayoutOptions, job JobFacts) (LayoutRuns, error) {
	f, err := fitWorkload(o, true, job)
	if err != nil {
		return LayoutRuns{}, err
	}
	first, err := f.Program(0, f.job)
	if err != nil {
		return LayoutRuns{}, err
	}
	made := chosen.LayoutsFor(first)
	if len(made.All) == 1 {
		reason := "the options choose only the unchanged workload"
		if len(made.Impossible) > 0 {
			reason = made.Impossible[0].Layout + ": " + made.Impossible[0].Reason
		}
		return LayoutRuns{}, usage.Errorf("the workload %s has no other variant: %s", f.Name, reason)
	}
	asked := f.documented.Requested
	out := LayoutRuns{WriteOnly: o.WriteOnly || !f.HasFunction(workload.Read)}
	for _, l := range made.Impossible {
		out.LeftOut = append(out.LeftOut, LeftOut{l.Layout, l.Reason})
	}
	for i, l := range made.All {
		f.layout = l
		recorded := f.documentedWorkload()
		recorded.Requested = asked
		run := LayoutRun{l.String(), o}
		if i == 0 && made.Unchanged.Form != "" {
			run.Variant += " (" + made.Unchanged.String() + ")"
		}
		run.Workload = &WorkloadOptions{
			Application: option.Application{Workload: o.Workload.Workload, APIs: []string{result.PHDF5}},
			Recorded:    recorded,
		}
		out.Runs = append(out.Runs, run)
	}
	return out, nil
}
