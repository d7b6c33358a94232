package plan

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// Conditions are the options of both tools that the C tools do not have; nil and "" mean not given. What each does is said
// at the field of result.Conditions that it fills in.
type Conditions struct {
	Sync          result.Sync
	Direct        bool
	Cold          bool
	Shift         *int // ranks; any integer
	Warmup        *int
	RepeatUntil   *float64 // a ratio: 0.02 is ± 1 % of the median
	MinTime       *time.Duration
	MaxIterations *int
	Order         result.Order
	Seed          *uint64
	TimeLimit     *time.Duration
	Latency       bool
	Data          Data
	ReadOnly      string // path of a file that another run kept
	Profile       result.Profile
	MemoryFactor  *float64
	Timeout       *time.Duration
	SpaceCheck    Switch
}

// defaultTimeout is long enough for what a busy file system makes wait.
const defaultTimeout = 10 * time.Minute

// Hang is how long a call may last before it is taken for hanging; 0 is for ever.
func (c Conditions) Hang() time.Duration {
	if c.Timeout == nil {
		return defaultTimeout
	}
	return *c.Timeout
}

// open tells whether the number of iterations is found while the run goes on.
func (c Conditions) open() bool { return c.RepeatUntil != nil || c.MinTime != nil }

// The defaults of what is counted.
const (
	defaultMaxIterations = 100
	defaultOpen          = 5 // iterations at least, where the number is found while the run goes on
	maxCompress          = 1000
)

// conditions fills in the conditions, those of the profile among them; the number of iterations and the ways of access are known.
func (p *Plan) conditions(c Conditions, job Job) error {
	s := &p.Parameters.Conditions
	s.Direct, s.Cold, s.Latency, s.ReadOnly, s.Profile = c.Direct, c.Cold, c.Latency, c.ReadOnly, c.Profile
	var err error
	if s.Sync, err = chosen("--sync", c.Sync); err != nil {
		return err
	}
	if s.Order, err = chosen("--order", c.Order); err != nil {
		return err
	}
	if s.Profile == result.ProfileStrict && (result.Target{Type: job.TargetType}).InMemory() {
		return usage.Errorf("--profile %s: the data files would be on %s, which is memory; give a directory on storage", s.Profile, job.TargetType)
	}
	check, err := chosen("--space-check", c.SpaceCheck)
	if err != nil {
		return err
	}
	s.SpaceCheck = check == On
	if c.Shift != nil {
		s.Shift = *c.Shift
	}
	if c.Warmup != nil {
		s.Warmup = *c.Warmup
	}
	if c.MemoryFactor != nil {
		s.MemoryFactor = *c.MemoryFactor
	}
	if s.Order == result.OrderRandom {
		s.Seed = job.Seed
	}
	if c.Seed != nil {
		if s.Order != result.OrderRandom {
			return usage.Errorf("--seed %d needs --order random: the given order takes no chance", *c.Seed)
		}
		s.Seed = *c.Seed
	}
	for _, fill := range []func(Conditions, *result.Conditions) error{p.durations, p.iterations, p.data} {
		if err := fill(c, s); err != nil {
			return err
		}
	}
	return nil
}

// durations fills in what is given in time.
func (p *Plan) durations(c Conditions, s *result.Conditions) error {
	s.Timeout = c.Hang().Seconds()
	for _, d := range []struct {
		option, instead string
		given           *time.Duration
		value           *float64
	}{
		{"--min-seconds", "for iterations without such a minimum", c.MinTime, &s.MinSeconds},
		{"--time-limit", "for transfers without a limit", c.TimeLimit, &s.TimeLimit},
	} {
		if d.given == nil {
			continue
		}
		if *d.given == 0 {
			return usage.Errorf("%s 0: must be more than 0; leave it out %s", d.option, d.instead)
		}
		*d.value = d.given.Seconds()
	}
	return nil
}

// iterations fills in how many iterations there are where that is found while the run goes on.
func (p *Plan) iterations(c Conditions, s *result.Conditions) error {
	if !c.open() {
		if c.MaxIterations != nil {
			return usage.Errorf("--max-iterations %d needs --repeat-until or --min-seconds: without one of them -i alone counts", *c.MaxIterations)
		}
		return nil
	}
	if c.RepeatUntil != nil {
		if *c.RepeatUntil >= 1 {
			return usage.Errorf("--repeat-until %g: must be less than 1; an interval as wide as the median tells nothing", *c.RepeatUntil)
		}
		s.RepeatUntil = *c.RepeatUntil
	}
	least := p.Parameters.Iterations
	s.MaxIterations = max(defaultMaxIterations, least)
	if c.MaxIterations != nil {
		if *c.MaxIterations < least {
			return usage.Errorf("--max-iterations %d: less than the smallest number of iterations, %d (-i)", *c.MaxIterations, least)
		}
		s.MaxIterations = *c.MaxIterations
	}
	return nil
}

// data fills in what is written.
func (p *Plan) data(c Conditions, s *result.Conditions) error {
	ratio, compressed := strings.CutPrefix(string(c.Data), string(result.DataCompress)+"=")
	if !compressed {
		s.Data = cmp.Or(result.Data(c.Data), result.DataPosition)
		if s.Data == result.DataCompress || !slices.Contains(result.All[result.Data](), s.Data) {
			return usage.Errorf("--data %q: must be one of %s", c.Data, strings.Join(c.Data.Values(), ", "))
		}
		return nil
	}
	r, err := strconv.ParseFloat(ratio, 64)
	if err != nil || math.IsNaN(r) || r < 1 || r > maxCompress || strings.ContainsAny(ratio, "xXpP_") {
		return usage.Errorf("--data %q: the ratio must be a number from 1 (does not shrink) to %d, such as %s=2.5",
			c.Data, maxCompress, result.DataCompress)
	}
	s.Data, s.CompressRatio = result.DataCompress, r
	return nil
}
