package figures

import (
	"fmt"
	"strconv"
	"strings"

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
		return fmt.Sprintf("ended by the deadline: %d of %s iterations fitted", len(samples), wanted(p))
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
	if c.RepeatUntil > 0 {
		if e := stats.Median(rates, stats.Level); !e.Finite() {
			lacks = append(lacks,
				fmt.Sprintf("the interval was as narrow as %.3g %% (there is none yet)", 100*c.RepeatUntil))
		} else if width := e.High - e.Low; width > c.RepeatUntil*e.Median {
			lacks = append(lacks,
				fmt.Sprintf("the interval was as narrow as %.3g %% (%.3g %%)", 100*c.RepeatUntil, 100*width/e.Median))
		}
	}
	if seconds < c.MinSeconds {
		lacks = append(lacks,
			fmt.Sprintf("%s were measured (%s)", units.FormatSeconds(c.MinSeconds), units.FormatSeconds(seconds)))
	}
	if lacks == nil {
		return ""
	}
	return fmt.Sprintf("ended by the cap of %d iterations before %s", c.MaxIterations,
		strings.Join(lacks, " and before "))
}

// wanted returns, in words, how many iterations were asked for.
func wanted(p result.Parameters) string {
	if p.Conditions.RepeatUntil > 0 || p.Conditions.MinSeconds > 0 {
		return fmt.Sprintf("at least %d", p.Iterations)
	}
	return strconv.Itoa(p.Iterations)
}
