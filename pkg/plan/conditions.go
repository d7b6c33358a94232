package plan

import "time"

// The orders of cases.
const (
	OrderGiven  = "given"
	OrderRandom = "random"
)

// Conditions are the options of both tools that the C tools do not have; nil and "" mean not given. What each does is said
// at the field of result.Conditions that it fills in.
type Conditions struct {
	Sync          string // none, close, phase or each
	Direct        bool
	Cold          bool
	Shift         *int // ranks; any integer
	Warmup        *int
	RepeatUntil   *float64 // a ratio: 0.02 is ± 1 % of the median
	MinSeconds    *time.Duration
	MaxIterations *int
	Order         string // given or random
	Seed          *uint64
	TimeLimit     *time.Duration
	Latency       bool
	Data          string // position, random, zero or compress=RATIO
	ReadOnly      string // path of a file that another run kept
	Profile       string // quick, standard or strict
	MemoryFactor  *float64
	Timeout       *time.Duration
	SpaceCheck    string // on or off
}

// Job is what a plan must know of where it will run.
type Job struct {
	Processes   int
	Nodes       int
	MemoryBytes uint64 // of all nodes together; 0 is unknown
	FreeBytes   uint64 // on the target, for this user; with FreeInodes 0 it is unknown, and not checked
	FreeInodes  uint64
	TargetType  string // of file system, as in /proc/mounts; "" is unknown
}
