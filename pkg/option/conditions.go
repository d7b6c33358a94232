package option

import "time"

// Conditions are the options of both tools that the C tools do not have; nil and "" mean not given. A field is a row:
// its tags name it on the command line (those of kong). The fields of result.Conditions say what each does. The option
// for the order differs between the tools, and only the parallel tool has those for the shift and the spread.
type Conditions struct {
	Profile       Profile        `type:"word" group:"trust" brief:"Use a set of options, which --help explains." help:"Set conditions and sizes together, see Profiles. Other options take precedence."`
	Sync          Sync           `type:"word" group:"trust" help:"Make written data durable before the file is closed (close), after all transfers of a dataset (phase) or after each transfer (each). This is timed separately. The default is none: written data may still be in memory."`
	Direct        bool           `type:"flag" group:"trust" help:"Use O_DIRECT with POSIX, to bypass the page cache. Needs -A posix and sizes that are multiples of 512."`
	Cold          bool           `type:"flag" group:"trust" help:"Drop the files from the page cache of the nodes before they are read. Caches of servers are not affected."`
	MemoryFactor  *float64       `type:"ratio" placeholder:"FACTOR" group:"trust" help:"Make each file at least FACTOR times as large as the memory of the nodes, unless -e is given."`
	Data          DataChoice     `type:"word" group:"trust" help:"What is written: numbers that depend on the position (position, the default), random data, zeros, or data that can be compressed to 1/RATIO, for storage that compresses."`
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

	Order Order `kong:"-"`
	Shift *int  `kong:"-"` // ranks; any integer

	Spread Spread `kong:"-"`
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

// OpenEnded reports whether the number of iterations is found during the run.
func (c Conditions) OpenEnded() bool { return c.RepeatUntil != nil || c.MinTime != nil }

// DataChoice is the option of what is written: one of Values, with a number in the place of RATIO.
type DataChoice string

// Values returns the valid words.
func (DataChoice) Values() []string {
	var texts []string
	for _, text := range Data("").Values() {
		if text == string(DataCompress) {
			text += "=RATIO"
		}
		texts = append(texts, text)
	}
	return texts
}
