package figures

import (
	"fmt"
	"strconv"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Capped returns, in words, what the samples of one direction lack, if the case ended before it had enough of them:
// because of the deadline, or because it reached the largest number of iterations. It returns "" if they lack nothing.
func Capped(p result.Parameters, endedBy result.EndedBy, samples []result.Sample) string {
	c := p.Conditions
	switch endedBy {
	case result.EndedByDeadline:
		return fmt.Sprintf("stopped at the deadline after %d of %s iterations", len(samples), wanted(p))
	case result.EndedByCap:
	default:
		return ""
	}
	var lacks []string
	var seconds float64
	var rates []float64
	for _, s := range samples {
		seconds, rates = seconds+s.Seconds(), append(rates, s.Throughput())
	}
	if option.Value(c.RepeatUntil) > 0 {
		if e := stats.Median(rates, stats.Level); !e.Finite() {
			lacks = append(lacks,
				fmt.Sprintf("there are too few samples to show that the interval is at most %.3g %% wide",
					100*option.Value(c.RepeatUntil)))
		} else if width := e.High - e.Low; width > option.Value(c.RepeatUntil)*e.Median {
			lacks = append(lacks,
				fmt.Sprintf("the interval is %.3g %% wide, not %.3g %%", 100*width/e.Median,
					100*option.Value(c.RepeatUntil)))
		}
	}
	if seconds < option.Value(c.MinSeconds) {
		lacks = append(lacks,
			fmt.Sprintf("%s were measured, not %s", units.FormatSeconds(seconds),
				units.FormatSeconds(option.Value(c.MinSeconds))))
	}
	if lacks == nil {
		return ""
	}
	return fmt.Sprintf("stopped at the limit of %d iterations: %s", option.Value(c.MaxIterations),
		strings.Join(lacks, ", and "))
}

// wanted returns, in words, how many iterations were asked for.
func wanted(p result.Parameters) string {
	if option.Value(p.Conditions.RepeatUntil) > 0 || option.Value(p.Conditions.MinSeconds) > 0 {
		return fmt.Sprintf("at least %d", p.Iterations)
	}
	return strconv.Itoa(p.Iterations)
}
