package plan

import (
	"slices"

	"h5perf/pkg/option"
)

// chosenSpread returns the given value of --spread; "" means the default.
func chosenSpread(given option.ProcessSpread) (option.ProcessSpread, error) {
	used, err := chosenValue("--spread", given)
	return conditional(used == option.SpreadRanks, "", used), err
}

// spreadNotes returns a note if --spread has no effect in this job.
func spreadNotes(spread option.ProcessSpread, steps []ProcessStep, job JobFacts) []string {
	part := func(s ProcessStep) bool { return s.SkipReason == "" && s.Processes < job.Processes }
	switch {
	case spread == "":
		return nil
	case !slices.ContainsFunc(steps, part):
		return []string{"Option --spread nodes has no effect here: every step uses all processes of the job."}
	case job.Nodes == 1:
		return []string{"Option --spread nodes has no effect on a single node."}
	}
	return nil
}
