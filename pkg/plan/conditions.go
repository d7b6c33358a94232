package plan

import (
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// Conditions are the options of both tools that the C tools do not have; nil and "" mean not given. A field is a row:
// its tags name it on the command line (those of kong). The fields of result.Conditions say what each does. The option
// for the order differs between the tools, and only the parallel tool has those for the shift and the spread.
type Conditions struct {
	Profile       option.Profile `type:"word" group:"trust" brief:"Use a set of options, which --help explains." help:"Set conditions and sizes together, see Profiles. Other options take precedence."`
	Sync          option.Sync    `type:"word" group:"trust" help:"Make written data durable before the file is closed (close), after all transfers of a dataset (phase) or after each transfer (each). This is timed separately. The default is none: written data may still be in memory."`
	Direct        bool           `type:"flag" group:"trust" help:"Use O_DIRECT with POSIX, to bypass the page cache. Needs -A posix and sizes that are multiples of 512."`
	Cold          bool           `type:"flag" group:"trust" help:"Drop the files from the page cache of the nodes before they are read. Caches of servers are not affected."`
	MemoryFactor  *float64       `type:"ratio" placeholder:"FACTOR" group:"trust" help:"Make each file at least FACTOR times as large as the memory of the nodes, unless -e is given."`
	Data          Data           `type:"word" group:"trust" help:"What is written: numbers that depend on the position (position, the default), random data, zeros, or data that can be compressed to 1/RATIO, for storage that compresses."`
	Keep          bool           `type:"flag" group:"trust" help:"Keep the data files."`
	ReadOnly      string         `type:"word" placeholder:"FILE" group:"trust" help:"Do not write, but read this file of an earlier run with --keep. Use it to read data later, or from other nodes."`
	Latency       bool           `type:"flag" group:"trust" help:"Measure the time of each data call."`
	Timeout       *time.Duration `type:"duration" group:"trust" help:"End the run if a call lasts longer than this (default 10m); 0 means never."`
	SpaceCheck    *bool          `type:"switch" placeholder:"on|off" group:"trust" help:"Refuse a run that needs more space than is free on the file system (default on)."`
	Warmup        *int           `type:"count" group:"repeat" help:"Number of iterations that are run first and do not count (default 0)."`
	MinTime       *time.Duration `name:"min-seconds" type:"duration" group:"repeat" help:"Repeat until each case has written for this time, and read for this time."`
	RepeatUntil   *float64       `type:"ratio" placeholder:"WIDTH" group:"repeat" help:"Repeat until the confidence interval of the median is narrow: at most WIDTH of the median, such as 2% or 0.02."`
	MaxIterations *int           `type:"count" group:"repeat" help:"Largest number of iterations with --min-seconds and --repeat-until (default 100). -i is then the smallest number (default 6)."`
	TimeLimit     *time.Duration `type:"duration" group:"repeat" help:"Stop the transfers of a phase after this time. All processes continue until each has done the same number of transfers."`
	Seed          *uint64        `type:"seed" placeholder:"N" group:"repeat" help:"Seed of the random order (default: random; the document contains it)."`

	InTurns bool `kong:"-"` // measured in turns with another plan, as A or B

	Order option.Order `kong:"-"`
	Shift *int         `kong:"-"` // ranks; any integer

	Spread option.Spread `kong:"-"`
}

// defaultTimeout is longer than calls to a busy file system take.
const defaultTimeout = 10 * time.Minute

// Hang returns how long a call may last before it is taken for hanging; 0 means that no call is.
func (c Conditions) Hang() time.Duration {
	if c.Timeout == nil {
		return defaultTimeout
	}
	return *c.Timeout
}

// open reports whether the number of iterations is found during the run.
func (c Conditions) open() bool { return c.RepeatUntil != nil || c.MinTime != nil }

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
func maxIterationsOf(c Conditions, least int) (int, error) {
	switch {
	case !c.open() && c.MaxIterations != nil:
		return 0, usage.Errorf("--max-iterations %d needs --repeat-until or --min-seconds: "+
			"without them -i sets the number of iterations", *c.MaxIterations)
	case !c.open():
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
