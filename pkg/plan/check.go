package plan

import "h5perf/pkg/usage"

// finished returns the plan with its last notes, or refuses what cannot be done: by the checks of the tool first, then
// by those of both tools, in this order.
func finished(p Plan, job Job, own ...func(Plan) error) (Plan, error) {
	for _, check := range append(own, checkSamples, checkReading, checkDirect) {
		if err := check(p); err != nil {
			return Plan{}, err
		}
	}
	if err := checkMemory(p, job); err != nil {
		return Plan{}, err
	}
	if err := checkSpace(p, job); err != nil {
		return Plan{}, err
	}
	p.Notes = append(p.Notes, memoryNotes(p, job)...)
	return p, nil
}

// MaxSamples limits the samples of a run: all are kept, in memory and in the document.
const MaxSamples = 1_000_000

// checkSamples refuses a run of more samples than are kept.
func checkSamples(p Plan) error {
	s := p.Parameters
	perIteration := 0 // at most 63 transfer sizes in each of 63 steps
	for range p.Cases() {
		perIteration += len(p.Operations())
	}
	option, n := "-i", s.Iterations
	if s.Conditions.MaxIterations > 0 {
		option, n = "--max-iterations", s.Conditions.MaxIterations
	}
	limit := MaxSamples / perIteration
	if warmup := s.Conditions.Warmup; warmup >= limit {
		return usage.Errorf("--warmup %d: must be less than %d here, for each iteration makes %d sample(s) and "+
			"a run keeps at most %d; give less, or fewer cases", warmup, limit, perIteration, MaxSamples)
	}
	limit -= s.Conditions.Warmup
	if n > limit {
		return usage.Errorf("%s %d: the number of iterations must be at most %d here, "+
			"for each makes %d sample(s) and a run keeps at most %d", option, n, limit, perIteration, MaxSamples)
	}
	return nil
}
