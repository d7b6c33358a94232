package plan

import (
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// conditionsOf returns the conditions of a run, with the defaults of those that are not given. iterations is how many
// there are of a case at least.
func conditionsOf(c option.Conditions, iterations int, job Job) (used result.Conditions, err error) {
	used = result.Conditions{
		Direct: c.Direct, Cold: c.Cold, Shift: value(c.Shift), Warmup: value(c.Warmup),
		RepeatUntil: value(c.RepeatUntil), Latency: c.Latency, ReadOnly: c.ReadOnly, Profile: c.Profile,
		MemoryFactor: value(c.MemoryFactor), Timeout: c.Hang().Seconds(),
	}
	if used.Sync, err = chosen("--sync", c.Sync); err != nil {
		return used, err
	}
	if used.Order, err = chosen("--order", c.Order); err != nil {
		return used, err
	}
	if used.Spread, err = spreadOf(c.Spread); err != nil {
		return used, err
	}
	if err = checkTarget(c.Profile, job.TargetType); err != nil {
		return used, err
	}
	used.SpaceCheck = c.SpaceCheck == nil || *c.SpaceCheck
	if used.Seed, err = seedOf(c.Seed, used.Order, job.Seed); err != nil {
		return used, err
	}
	used.MinSeconds, err = secondsOf("--min-seconds", c.MinTime, "there is no minimum")
	if err != nil {
		return used, err
	}
	used.TimeLimit, err = secondsOf("--time-limit", c.TimeLimit, "there is no limit")
	if err != nil {
		return used, err
	}
	if used.MaxIterations, err = maxIterationsOf(c, iterations); err != nil {
		return used, err
	}
	used.Data, used.CompressRatio, err = dataOf(c.Data)
	return used, err
}

// checkTarget refuses a run of the strict profile on a file system in memory.
func checkTarget(profile option.Profile, target string) error {
	if profile == option.ProfileStrict && (result.Target{Type: target}).InMemory() {
		return usage.Errorf("--profile %s: the data files would be on %s, which is memory; give a directory on storage",
			profile, target)
	}
	return nil
}

// seedOf returns the given seed of a random order, or the job's; 0 for another order.
func seedOf(given *uint64, order option.Order, drawn uint64) (uint64, error) {
	switch {
	case given != nil && order != option.OrderRandom:
		return 0, usage.Errorf("--seed %d needs --order random: the order is not random without it", *given)
	case given != nil:
		return *given, nil
	case order == option.OrderRandom:
		return drawn, nil
	}
	return 0, nil
}

// secondsOf returns the given time in seconds, which is more than 0, or 0 where none is given. instead says what a run
// without the option does.
func secondsOf(option string, given *time.Duration, instead string) (float64, error) {
	if given == nil {
		return 0, nil
	}
	if *given == 0 {
		return 0, usage.Errorf("%s 0: must be more than 0; without the option %s", option, instead)
	}
	return given.Seconds(), nil
}

// defaultMaxIterations is the number of iterations at most, where the run finds how many there are.
const defaultMaxIterations = 100

// maxIterationsOf returns the number of iterations at most, or 0 where there are exactly least.
func maxIterationsOf(c option.Conditions, least int) (int, error) {
	switch {
	case !c.OpenEnded() && c.MaxIterations != nil:
		return 0, usage.Errorf("--max-iterations %d needs --repeat-until or --min-seconds: "+
			"without them -i sets the number of iterations", *c.MaxIterations)
	case !c.OpenEnded():
		return 0, nil
	case value(c.RepeatUntil) >= 1:
		return 0, usage.Errorf("--repeat-until %g: must be less than 1; "+
			"an interval as wide as the median says nothing", *c.RepeatUntil)
	case c.MaxIterations == nil:
		return max(defaultMaxIterations, least), nil
	case *c.MaxIterations < least:
		return 0, usage.Errorf("--max-iterations %d: must be at least the smallest number of iterations, %d (-i)",
			*c.MaxIterations, least)
	}
	return *c.MaxIterations, nil
}
