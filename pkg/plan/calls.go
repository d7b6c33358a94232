package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/usage"
)

// checkCountedDriver refuses to count calls with a file driver whose calls of POSIX cannot be counted.
func checkCountedDriver(p Plan) error {
	if s := p.Parameters; s.Conditions.CountCalls && s.UsesHDF5() && s.Driver == option.DriverStdio {
		return usage.Errorf("--count-calls with -v %s: this driver writes streams of the C library, whose calls "+
			"cannot be counted; give another driver, such as %s", s.Driver, option.DriverSec2)
	}
	return nil
}
