package option

import (
	"reflect"
	"time"
)

// Conditions holds settings that the C tools do not have. They determine what the results of a run mean. The tags of a
// field name it on the command line (tags of kong) and in the document. The tag words:"..." is the phrase that reports
// show for the setting, with VALUE in place of the value, unless package figures has another phrase. For options, nil
// and "" mean not given. The defaults are: Sync none, Order given, Data position, SpaceCheck true. The option for the
// order differs between the tools, and only the parallel tool has options for the shift and the spread.
type Conditions struct {
	// quick, standard or strict
	Preset Preset `type:"word" group:"trust" brief:"Use a predefined set of options (see --help)." help:"Use a predefined set of options for conditions and sizes: see Presets. Other options take precedence." json:"preset,omitempty"`
	// When written data are made durable: none (never), close (before a file is closed), phase (after the
	// transfers of a dataset) or each (after each transfer).
	Sync SyncMode `type:"word" group:"trust" help:"Make written data durable before the file is closed (close), after all transfers of a dataset (phase) or after each transfer (each). This is timed separately. The default is none: written data may still be in memory." json:"sync"`
	// POSIX files are opened with O_DIRECT
	Direct bool `type:"flag" group:"trust" help:"Use O_DIRECT with POSIX, to bypass the page cache. Needs -A posix and sizes that are multiples of 512." json:"direct"`
	// Before a read, each node syncs the files and drops them from its page cache.
	Cold bool `type:"flag" group:"trust" help:"Drop the files from the page cache of the nodes before they are read. Caches of servers are not affected." json:"cold"`
	// A file is at least this many times as large as the memory of the nodes.
	MemoryFactor *float64 `type:"ratio" placeholder:"FACTOR" group:"trust" help:"Make each file at least FACTOR times as large as the memory of the nodes, unless -e is given." json:"memory_factor,omitempty"`
	// the option for Data and, with compress, the ratio
	DataChoice DataChoice `name:"data" type:"word" group:"trust" help:"What is written: numbers that depend on the position (position, the default), random data, zeros, or data that can be compressed to 1/RATIO, for storage that compresses." json:"-"`
	Keep       bool       `type:"flag" group:"trust" help:"Keep the data files." json:"-"`
	// The run only reads this file, which another run wrote.
	ReadOnly string `type:"word" placeholder:"FILE" group:"trust" help:"Do not write. Read this file, which an earlier run with --keep has left. Use it to read data later, or from other nodes." json:"read_only_file,omitempty"`
	// each data call is timed
	Latency bool `type:"flag" group:"trust" help:"Measure the time of each data call." json:"latency"`
	// Calls of MPI-IO and POSIX are counted, with their bytes.
	CountCalls bool `type:"flag" group:"trust" help:"Count the calls by which each API accesses its files, in all layers below it, and the bytes that they move." words:"calls counted" json:"count_calls,omitempty"`
	// a call that takes longer counts as hanging; 0: no limit
	Timeout *float64 `type:"seconds" group:"trust" help:"End the run if a call lasts longer than this (default 10m); 0 means never." json:"timeout_seconds,omitempty"`
	// refuse a run that needs more space than is free
	SpaceCheck *bool `type:"switch" placeholder:"on|off" group:"trust" help:"Refuse a run that needs more space than is free on the file system (default on)." json:"space_check,omitempty"`
	// number of iterations of each case that run first and do not count
	Warmup *int `type:"count" group:"repeat" help:"Number of iterations that are run first and do not count (default 0)." json:"warmup_iterations,omitempty" zero:"default"`
	// Iterate until a case was measured for this time in each direction.
	MinSeconds *float64 `type:"seconds" group:"repeat" help:"Repeat each case until its writes have taken this time in total, and its reads as well." json:"min_case_seconds,omitempty"`
	// Iterate until the width of the confidence interval of the median, divided by the median, is at most this.
	RepeatUntil *float64 `type:"ratio" placeholder:"WIDTH" group:"repeat" help:"Repeat until the confidence interval of the median is narrow: at most WIDTH of the median, such as 2% or 0.02. This takes at least 10 iterations." json:"repeat_until_ratio,omitempty"`
	// limit of iterations with min_case_seconds and repeat_until_ratio
	MaxIterations *int `type:"count" group:"repeat" help:"Largest number of iterations with --min-seconds and --repeat-until (default 100). With these options, -i is the minimum (default 6)." json:"max_iterations,omitempty"`
	// time limit of the transfers of a sample, see Limit
	TimeLimit *float64 `type:"seconds" group:"repeat" help:"Stop the writes of an iteration after this time, and its reads as well. All processes continue until each has done the same number of transfers." json:"time_limit_seconds,omitempty"`
	// seed of the random order
	Seed *uint64 `type:"seed" placeholder:"N" group:"repeat" help:"Seed of the random order (default: random; the document contains it)." json:"seed,omitempty"`
	// Each iteration begins after a pause of this time. The pause is not measured.
	Think *float64 `type:"seconds" placeholder:"TIME" group:"repeat" help:"Pause for this time before each iteration, like an application that computes between its I/O. The pause is not measured." words:"a pause of VALUE before each iteration" zero:"none" json:"think_seconds,omitempty"`

	InTurns bool `kong:"-" json:"-"` // measured in turns with another plan, as A or B

	Data DataKind `kong:"-" json:"data"` // position, random, zero or compress
	// With Data compress: size before compression divided by size after it.
	CompressRatio float64 `kong:"-" json:"compress_ratio,omitempty"`
	// order of cases: given, or random in every iteration
	Order CaseOrder `kong:"-" json:"order"`
	// rank r reads the data that rank r+shift wrote
	Shift *int `kong:"-" json:"shift,omitempty" signed:"" zero:"default"`
	// Which processes take part in a case with fewer processes than the job has. Absent: those with the lowest ranks.
	// nodes: the same number on every node, as far as possible.
	Spread ProcessSpread `kong:"-" json:"spread,omitempty" without:"ranks"`
}

// DropZeros sets fields that are 0 to nil if they have the tag zero:"none": in these fields, 0 and nil mean the same.
func (c *Conditions) DropZeros() {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		f := v.Field(i)
		if v.Type().Field(i).Tag.Get("zero") == "none" && reflect.Indirect(f).IsValid() && f.Elem().IsZero() {
			f.SetZero()
		}
	}
}

// ValueOrZero returns the value of an option, or the zero value if given is nil, which means that the user did not give
// the option.
func ValueOrZero[T any](given *T) T {
	if given == nil {
		var zero T
		return zero
	}
	return *given
}

// defaultTimeout is longer than any call to a busy file system takes.
const defaultTimeout = 10 * time.Minute

// HangTimeout returns the time after which a call counts as hanging; 0 means no limit.
func (c Conditions) HangTimeout() time.Duration {
	if c.Timeout == nil {
		return defaultTimeout
	}
	return time.Duration(*c.Timeout * float64(time.Second))
}

// IsOpenEnded reports whether the number of iterations is determined during the run.
func (c Conditions) IsOpenEnded() bool { return c.RepeatUntil != nil || c.MinSeconds != nil }

// DataChoice is the value of the option --data: one of Values, with a number in place of RATIO.
type DataChoice string

// Values returns the valid values.
func (DataChoice) Values() []string {
	var texts []string
	for _, text := range DataKind("").Values() {
		if text == string(DataCompress) {
			text += "=RATIO"
		}
		texts = append(texts, text)
	}
	return texts
}
