package plan

import (
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// Conditions are the options of both tools that the C tools do not have; nil and "" mean not given. A field is a row:
// its tags name it on the command line (those of kong). The fields of result.Conditions say what each does. The option
// for the order differs between the tools, and only the parallel tool has one for the shift.
type Conditions struct {
	Profile       result.Profile `type:"word" group:"trust" help:"Set conditions and sizes together, see below; options beside it count."`
	Sync          result.Sync    `type:"word" group:"trust" help:"Make written data durable before a file is closed, after the transfers of each dataset, or after each transfer, by a clock of its own (default none: what is timed may still be in memory)."`
	Direct        bool           `type:"flag" group:"trust" help:"posix with O_DIRECT, past the page cache; needs -A posix and sizes that are multiples of 512."`
	Cold          bool           `type:"flag" group:"trust" help:"Drop files from the page cache of the nodes before they are read. Caches of servers are out of reach."`
	MemoryFactor  *float64       `type:"ratio" placeholder:"FACTOR" group:"trust" help:"Make each file at least FACTOR times as large as the memory of the nodes, unless -e is given."`
	Data          Data           `type:"word" group:"trust" help:"What is written: words that tell their place (default), random ones, zeros, or what shrinks to 1/RATIO when it is compressed, for storage that does that."`
	Keep          bool           `type:"flag" group:"trust" help:"Keep the data files."`
	ReadOnly      string         `type:"word" placeholder:"FILE" group:"trust" help:"Read this file, which a run with --keep wrote, and write none: write tonight, read from other nodes tomorrow."`
	Latency       bool           `type:"flag" group:"trust" help:"Time each data call."`
	Timeout       *time.Duration `type:"duration" group:"trust" help:"Take a call that lasts longer than DURATION for hanging, and end the run; 0 is never (default 10m)."`
	SpaceCheck    *bool          `type:"switch" placeholder:"on|off" group:"trust" help:"Refuse a run that needs more than is free on the file system (default on)."`
	Warmup        *int           `type:"count" group:"repeat" help:"Iterations before those that count (default 0)."`
	MinTime       *time.Duration `name:"min-seconds" type:"duration" group:"repeat" help:"Iterate until each case was measured for DURATION in each direction."`
	RepeatUntil   *float64       `type:"ratio" placeholder:"WIDTH" group:"repeat" help:"Iterate until the interval of the median is at most WIDTH of it wide, such as 2% or 0.02."`
	MaxIterations *int           `type:"count" group:"repeat" help:"Cap for both (default 100); -i is the smallest number then (default 6)."`
	TimeLimit     *time.Duration `type:"duration" group:"repeat" help:"End the transfers of a phase after DURATION: all processes go on to the largest number of transfers that any has done."`
	Seed          *uint64        `type:"seed" placeholder:"N" group:"repeat" help:"Seed of the random order (default: by chance; the document has it)."`

	Order result.Order `kong:"-"`
	Shift *int         `kong:"-"` // ranks; any integer
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
		return 0, usage.Errorf("--seed %d needs --order random: the order is not random without it", *given)
	case given != nil:
		return *given, nil
	case order == result.OrderRandom:
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
