package plan

import (
	"math"
	"strings"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// TimeRange is the estimated time of a run in seconds, between Min and Max. An unknown bound is 0.
type TimeRange struct {
	Min float64 `json:"least_seconds,omitempty"`
	Max float64 `json:"most_seconds,omitempty"`
}

// maxProcessSpeed is about how many bytes per second a process can copy: it cannot access a file faster.
const maxProcessSpeed = 5 << 30

// TimeRange returns the estimated time of the run. a is the estimated work of the run. If a has no time, because no
// rate is assumed, the result is based on the minimum time of each case (--min-seconds). It leaves out a case that may
// reach its maximum number of iterations before its minimum time.
func (p Plan) TimeRange(a WorkEstimate) TimeRange {
	compute := option.ValueOrZero(p.Parameters.Conditions.Think) // per iteration of a case
	for _, s := range a.Structure {
		compute += s.Compute
	}
	least, most := compute*float64(a.Min.Iterations), compute*float64(a.Max.Iterations)
	if a.Max.Seconds > 0 {
		return TimeRange{a.Min.Seconds + least, a.Max.Seconds + most}
	}
	t := TimeRange{Min: least}
	seconds, iterations := option.ValueOrZero(p.Parameters.Conditions.MinSeconds),
		float64(option.ValueOrZero(p.Parameters.Conditions.MaxIterations))
	for c := range p.Cases() {
		one, _ := c.Iteration() // the error was reported before
		if iterations*float64(one.Bytes[workload.Write]) >= seconds*maxProcessSpeed*float64(c.Processes) {
			t.Min += seconds * float64(len(p.Operations()))
		}
	}
	return t
}

// ShortestIteration returns how long an iteration of all cases takes at least: to copy its data, and to compute.
func (p Plan) ShortestIteration() (time.Duration, error) {
	seconds := 0.0
	for c := range p.Cases() {
		one, err := c.Iteration()
		if err != nil {
			return 0, err
		}
		for _, op := range p.Operations() {
			seconds += float64(one.Bytes[op]) / (maxProcessSpeed * float64(c.Processes))
			if one.Structure != nil {
				seconds += one.Structure[op].Compute
			}
		}
	}
	return time.Duration(min(seconds*float64(time.Second), math.MaxInt64/1024)), nil
}

// WithDeadline limits the time of the run to the time until the deadline; 0 means no deadline.
func (t TimeRange) WithDeadline(deadline time.Duration) TimeRange {
	if deadline <= 0 {
		return t
	}
	most := deadline.Seconds()
	if t.Max > 0 {
		most = min(most, t.Max)
	}
	return TimeRange{min(t.Min, most), most}
}

// String formats the time for people. It returns "" if the time is unknown, or if only a lower bound below a second is
// known.
func (t TimeRange) String() string {
	format := func(seconds float64) string {
		return units.FormatDuration(time.Duration(min(seconds*float64(time.Second), math.MaxInt64/2)))
	}
	least, most := format(t.Min), format(t.Max)
	switch {
	case t.Max > 0 && t.Max < 1:
		return "less than a second"
	case t.Min < 1 && t.Max == 0:
		return ""
	case t.Min < 1:
		return "at most " + most
	case t.Max == 0:
		return "at least " + least
	case least == most:
		return "about " + most
	}
	return "about " + least + " to " + most
}

// A run above one of these limits is large: it may use space, quota or time that others need.
const (
	largeBytes   = 10 << 30
	largeSeconds = 10 * 60
)

// IsLarge reports whether the run is so large that the user should see its estimated work before it begins.
func (a WorkEstimate) IsLarge(t TimeRange) bool {
	return a.Disk.Bytes > largeBytes || saturatingSum(a.Max.Written, a.Max.Read) > largeBytes ||
		max(t.Min, t.Max) > largeSeconds
}

// WrittenAndReadText says how much the run writes and reads: "writes 1 GiB to 16 GiB, reads 1 GiB to 16 GiB". If
// limited is true, the run may end earlier, and the text has upper bounds only.
func (a WorkEstimate) WrittenAndReadText(limited bool) string {
	format := func(n uint64) string { return units.FormatBytes(float64(n)) }
	var words []string
	for _, m := range []struct {
		verb        string
		least, most uint64
	}{{"writes", a.Min.Written, a.Max.Written}, {"reads", a.Min.Read, a.Max.Read}} {
		least, most := format(m.least), format(m.most)
		switch {
		case m.most == 0:
		case limited:
			words = append(words, m.verb+" at most "+most)
		case least == most:
			words = append(words, m.verb+" "+most)
		default:
			words = append(words, m.verb+" "+least+" to "+most)
		}
	}
	if words == nil {
		return "moves no data"
	}
	return strings.Join(words, ", ")
}
