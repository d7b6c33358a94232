package stats

import "fmt"

// Level is the confidence level of the intervals that h5perf shows. If no point changed, the probability that a
// comparison shows a difference in any point is at most 1 - Level.
const Level = 0.95

// Interval is the name, in texts, of an interval with the confidence level Level.
var Interval = fmt.Sprintf("%g %% interval", 100*Level)
