package figures

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// StoppedEarlyText returns a sentence that says what is missing in the samples of one direction because the case was
// stopped early: by the deadline, or by the maximum number of iterations. It returns "" if nothing is missing.
func StoppedEarlyText(p result.Parameters, endedBy result.EndedBy, samples []result.Sample) string {
	c := p.Conditions
	switch endedBy {
	case result.EndedByDeadline:
		return fmt.Sprintf("The case was stopped at the deadline after %d of %s iterations.", len(samples),
			RequestedIterations(p))
	case result.EndedByCap:
	default:
		return ""
	}
	var lacks []string
	var seconds float64
	for _, s := range samples {
		seconds += s.Seconds()
	}
	point := result.Point{Samples: samples}
	switch width, wanted := point.Throughput(stats.Level).RelativeWidth(), option.ValueOrZero(c.RepeatUntil); {
	case wanted == 0 || width <= wanted:
	case math.IsInf(width, 1):
		lacks = append(lacks, fmt.Sprintf("there are too few samples to show that the interval is at most %.3g %% wide",
			100*wanted))
	default:
		lacks = append(lacks, fmt.Sprintf("the interval is %.3g %% wide, not %.3g %%", 100*width, 100*wanted))
	}
	if seconds < option.ValueOrZero(c.MinSeconds) {
		lacks = append(lacks,
			fmt.Sprintf("%s were measured, not %s", units.FormatSeconds(seconds),
				units.FormatSeconds(option.ValueOrZero(c.MinSeconds))))
	}
	if lacks == nil {
		return ""
	}
	return fmt.Sprintf("The case was stopped at the limit of %d iterations: %s.", option.ValueOrZero(c.MaxIterations),
		strings.Join(lacks, ", and "))
}

// RequestedIterations returns the requested number of iterations: "8" or "at least 8".
func RequestedIterations(p result.Parameters) string {
	if option.ValueOrZero(p.Conditions.RepeatUntil) > 0 || option.ValueOrZero(p.Conditions.MinSeconds) > 0 {
		return fmt.Sprintf("at least %d", p.Iterations)
	}
	return strconv.Itoa(p.Iterations)
}
