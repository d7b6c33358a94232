package plan

import (
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// conditionsOf returns the conditions of a run, with the defaults of those that are not given. iterations is how many
// there are of a case at least.
func conditionsOf(c Conditions, iterations int, job Job) (used result.Conditions, err error) {
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
	if err = checkTarget(c.Profile, job.TargetType); err != nil {
		return used, err
	}
	check, err := chosen("--space-check", c.SpaceCheck)
	if err != nil {
		return used, err
	}
	used.SpaceCheck = check == On
	if used.Seed, err = seedOf(c.Seed, used.Order, job.Seed); err != nil {
		return used, err
	}
	used.MinSeconds, err = secondsOf("--min-seconds", c.MinTime, "for iterations without such a minimum")
	if err != nil {
		return used, err
	}
	used.TimeLimit, err = secondsOf("--time-limit", c.TimeLimit, "for transfers without a limit")
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
func checkTarget(profile result.Profile, target string) error {
	if profile == result.ProfileStrict && (result.Target{Type: target}).InMemory() {
		return usage.Errorf("--profile %s: the data files would be on %s, which is memory; give a directory on storage",
			profile, target)
	}
	return nil
}

// seedOf returns the given seed of a random order, or the job's; 0 for another order.
func seedOf(given *uint64, order result.Order, drawn uint64) (uint64, error) {
	switch {
	case given != nil && order != result.OrderRandom:
		return 0, usage.Errorf("--seed %d needs --order random: the given order takes no chance", *given)
	case given != nil:
		return *given, nil
	case order == result.OrderRandom:
		return drawn, nil
	}
	return 0, nil
}

// secondsOf returns the given time in seconds, which is more than 0, or 0 where none is given. instead is what the user
// gets by leaving the option out.
func secondsOf(option string, given *time.Duration, instead string) (float64, error) {
	if given == nil {
		return 0, nil
	}
	if *given == 0 {
		return 0, usage.Errorf("%s 0: must be more than 0; leave it out %s", option, instead)
	}
	return given.Seconds(), nil
}

// defaultMaxIterations is the number of iterations at most, where the run finds how many there are.
const defaultMaxIterations = 100

// maxIterationsOf returns the number of iterations at most, or 0 where there are exactly least.
func maxIterationsOf(c Conditions, least int) (int, error) {
	switch {
	case !c.open() && c.MaxIterations != nil:
		return 0, usage.Errorf("--max-iterations %d needs --repeat-until or --min-seconds: "+
			"without one of them -i alone counts", *c.MaxIterations)
	case !c.open():
		return 0, nil
	case value(c.RepeatUntil) >= 1:
		return 0, usage.Errorf("--repeat-until %g: must be less than 1; "+
			"an interval as wide as the median tells nothing", *c.RepeatUntil)
	case c.MaxIterations == nil:
		return max(defaultMaxIterations, least), nil
	case *c.MaxIterations < least:
		return 0, usage.Errorf("--max-iterations %d: less than the smallest number of iterations, %d (-i)",
			*c.MaxIterations, least)
	}
	return *c.MaxIterations, nil
}
