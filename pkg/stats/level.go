package stats

import "fmt"

// Level is the probability with which an interval that h5perf tells of holds what it estimates, and 1 less it the
// probability with which a comparison of points that did not change shows a difference in any of them.
const Level = 0.95

// Interval is what people are told such an interval is.
var Interval = fmt.Sprintf("%g %% interval", 100*Level)
