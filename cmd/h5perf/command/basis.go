package command

import (
	"fmt"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// bySlowest says that throughput has its older definition.
const bySlowest = "throughput is bytes divided by the time of the slowest process, not by the window"

// checkBasis refuses a value of --basis that is no basis. The option may be left out.
func checkBasis(b result.Basis) error {
	if b == "" {
		return nil
	}
	_, err := usage.OneOf("--basis", b, result.All[result.Basis]()...)
	return err
}

// redefined returns lines that say where the definition of throughput changed. Points for which it changed in the same
// way have one line.
func redefined(t history.Trend) (lines []string) {
	points := map[string][]string{}
	for _, s := range t.Series {
		if s.Earlier == nil {
			continue
		}
		line := fmt.Sprintf("the definition of throughput changed here: bytes divided by the time of the slowest "+
			"process until %s (%s), and by the window since %s (%s)", minute(s.Earlier.Last),
			runCount(s.Earlier.Runs), minute(s.Runs[0].Started), runCount(len(s.Runs)))
		if points[line] == nil {
			lines = append(lines, line)
		}
		points[line] = append(points[line], seriesName(s))
	}
	for i, line := range lines {
		who := points[line][0]
		if n := len(points[line]); n > 1 {
			who = fmt.Sprintf("%d points", n)
		}
		lines[i] = who + ": " + line
	}
	if len(lines) > 0 {
		lines = append(lines, "Throughputs before and after this change are not comparable. With --basis slowest, "+
			"all runs of a point are one series.")
	}
	return lines
}

// runCount returns a number of runs in words.
func runCount(n int) string { return units.Count(n, "run", "runs") }
