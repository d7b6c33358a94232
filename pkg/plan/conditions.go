package plan

import (
	"cmp"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// completeConditions returns the conditions of a run, with defaults for those that are not given. iterations is the
// minimum number of iterations of a case.
func completeConditions(c option.Conditions, iterations int, job JobFacts) (option.Conditions, error) {
	var err error
	if c.Sync, err = chosenValue("--sync", c.Sync); err != nil {
		return c, err
	}
	if c.Order, err = chosenValue("--order", c.Order); err != nil {
		return c, err
	}
	if c.Spread, err = chosenSpread(c.Spread); err != nil {
		return c, err
	}
	if err = checkTarget(c.Preset, job.TargetType); err != nil {
		return c, err
	}
	if c.Seed, err = chosenSeed(c.Seed, c.Order, job.Seed); err != nil {
		return c, err
	}
	if err = checkPositive("--min-seconds", c.MinSeconds, "there is no minimum"); err != nil {
		return c, err
	}
	if err = checkPositive("--time-limit", c.TimeLimit, "there is no limit"); err != nil {
		return c, err
	}
	if c.MaxIterations, err = chosenMaxIterations(c, iterations); err != nil {
		return c, err
	}
	c.DropZeros()
	c.Shift, c.Warmup = cmp.Or(c.Shift, new(0)), cmp.Or(c.Warmup, new(0))
	c.SpaceCheck = cmp.Or(c.SpaceCheck, new(true))
	c.Timeout = new(c.HangTimeout().Seconds())
	c.Data, c.CompressRatio, err = chosenData(c.DataChoice)
	c.DataChoice, c.Keep, c.InTurns = "", false, false // documents store them elsewhere
	return c, err
}

// checkTarget refuses the strict preset on a file system in memory.
func checkTarget(preset option.Preset, target string) error {
	if preset == option.PresetStrict && (result.Target{Type: target}).IsInMemory() {
		return usage.Errorf("--preset %s: the data files would be on %s, which is memory; give a directory on storage",
			preset, target)
	}
	return nil
}

// chosenSeed returns the seed of a random order: the seed that the user gave, or else the random number drawn. It
// returns nil for other orders.
func chosenSeed(given *uint64, order option.CaseOrder, drawn uint64) (*uint64, error) {
	switch {
	case given != nil && order != option.OrderRandom:
		return nil, usage.Errorf("--seed %d needs --order random: the order is not random without it", *given)
	case given != nil:
		return given, nil
	case order == option.OrderRandom && drawn != 0:
		return &drawn, nil
	}
	return nil, nil
}

// checkPositive refuses a time of 0. instead says, for the message, what a run does without the option.
func checkPositive(name string, given *float64, instead string) error {
	if given != nil && *given == 0 {
		return usage.Errorf("%s 0: must be more than 0; without the option %s", name, instead)
	}
	return nil
}

// defaultMaxIterations is the default maximum if the run itself determines the number of iterations.
const defaultMaxIterations = 100

// chosenMaxIterations returns the maximum number of iterations, or nil if every case has exactly least iterations.
func chosenMaxIterations(c option.Conditions, least int) (*int, error) {
	switch {
	case !c.IsOpenEnded() && c.MaxIterations != nil:
		return nil, usage.Errorf("--max-iterations %d needs --repeat-until or --min-seconds: "+
			"without them -i sets the number of iterations", *c.MaxIterations)
	case !c.IsOpenEnded():
		return nil, nil
	case option.ValueOrZero(c.RepeatUntil) >= 1:
		return nil, usage.Errorf("--repeat-until %g: must be less than 1; "+
			"an interval as wide as the median says nothing", *c.RepeatUntil)
	case c.MaxIterations == nil:
		return new(max(defaultMaxIterations, least)), nil
	case *c.MaxIterations < least:
		return nil, usage.Errorf("--max-iterations %d: must be at least the smallest number of iterations, %d (-i)",
			*c.MaxIterations, least)
	}
	return c.MaxIterations, nil
}
