package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/exit"
	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// floors is the option for floors of throughput.
type floors struct {
	Min string `placeholder:"write=RATE,read=RATE" help:"Exit with 1 when the highest median of an operation is below its floor, such as write=20G,read=30G in GiB/s. Points that are partial, warm or implausible do not count."`
}

// parse returns the floors that are given.
func (f floors) parse() (all []figures.Floor, err error) {
	if f.Min == "" {
		return nil, nil
	}
	for item := range strings.SplitSeq(f.Min, ",") {
		name, size, _ := strings.Cut(item, "=")
		rate, err := units.ParseSize(size)
		floor := figures.Floor{Operation: result.Operation(name), Rate: float64(rate)}
		known := slices.Contains(result.All[result.Operation](), floor.Operation)
		if err != nil || rate == 0 || !known ||
			slices.ContainsFunc(all, func(a figures.Floor) bool { return a.Operation == floor.Operation }) {
			return nil, &InputError{
				fmt.Errorf("--min %s: %q is no floor: give write=20G, read=30G or both, each once", f.Min, item),
			}
		}
		all = append(all, floor)
	}
	return all, nil
}

// hold tells of each floor how the runs meet it, and returns an error if one of them is not met.
func (f floors) hold(env Env, all []figures.Floor, runs []figures.Run) error {
	var below []error
	for _, floor := range all {
		best, found := floor.Best(runs)
		text := "no figure counts"
		if found {
			text = fmt.Sprintf("the highest median is %s, %s (%s, %d processes, %s)",
				units.FormatRate(best.Rate.Median), best.Rate.Range(units.FormatRate), figures.API(best.Case.API),
				best.Case.Processes, units.FormatBytes(float64(figures.Size(best.Case))))
		}
		wanted := fmt.Sprintf("floor of %ss, %s", floor.Operation, units.FormatRate(floor.Rate))
		if found && best.Rate.Median >= floor.Rate {
			env.warn("%s: met: %s", wanted, text)
			continue
		}
		below = append(below, &StatusError{exit.Failed, wanted + ": not met: " + text})
	}
	return errors.Join(below...)
}
