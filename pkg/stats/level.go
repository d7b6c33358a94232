package stats

import "fmt"

// Level is the confidence level of the intervals that h5perf shows. If no point changed, the probability that a
// comparison shows a difference in any point is at most 1 - Level.
const Level = 0.95

// Interval is the name of such an interval in texts.
var Interval = fmt.Sprintf("%g %% interval", 100*Level)
