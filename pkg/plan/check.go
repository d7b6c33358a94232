package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// checkAndFinish checks the plan, and returns it with further cautions, such as about memory. It returns an error if
// the plan cannot be run.
func checkAndFinish(p Plan, job JobFacts) (Plan, error) {
	for _, check := range p.newProgramMaker().planChecks() {
		if err := check(p); err != nil {
			return p, err
		}
	}
	if err := checkMemory(p, job); err != nil {
		return p, err
	}
	if err := checkSpace(p, job); err != nil {
		return p, err
	}
	p.Cautions = append(append(p.Cautions, memoryCautions(p, job)...), bufferCautions(p, job)...)
	return p, nil
}

// MaxSamples is the maximum number of samples of a run. All samples are kept in memory and in the document.
const MaxSamples = 1_000_000

// checkSamples refuses a run that would have more than MaxSamples samples.
func checkSamples(p Plan) error {
	s := p.Parameters
	perIteration := p.NumCases() * len(p.Operations()) // at most 63 transfer sizes in each of 63 steps
	name, n := "-i", s.Iterations
	if option.ValueOrZero(s.Conditions.MaxIterations) > 0 {
		name, n = "--max-iterations", option.ValueOrZero(s.Conditions.MaxIterations)
	}
	limit, samples := MaxSamples/perIteration, units.Count(perIteration, "sample", "samples")
	if warmup := option.ValueOrZero(s.Conditions.Warmup); warmup >= limit {
		return usage.Errorf("--warmup %d: must be less than %d here: each iteration makes %s, and a run keeps "+
			"at most %d; give a smaller number, or fewer cases", warmup, limit, samples, MaxSamples)
	}
	limit -= option.ValueOrZero(s.Conditions.Warmup)
	if n > limit {
		return usage.Errorf("%s %d: the number of iterations must be at most %d here: "+
			"each makes %s, and a run keeps at most %d", name, n, limit, samples, MaxSamples)
	}
	return nil
}
