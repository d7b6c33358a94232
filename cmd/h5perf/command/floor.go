package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// floorOptions holds the option --min, which sets floors: the lowest acceptable throughputs of writes and of reads.
type floorOptions struct {
	Min string `placeholder:"write=RATE,read=RATE" brief:"" help:"Exit with status 1 if the highest median of an operation is below this rate: write=20G,read=1.5T means 20 GiB/s and 1.5 TiB/s. Results that are partial, warm or implausible do not count, and neither do writes that were not synced."`
}

func (f floorOptions) parseFloors() (all []figures.MinThroughput, err error) {
	if f.Min == "" {
		return nil, nil
	}
	for item := range strings.SplitSeq(f.Min, ",") {
		name, size, _ := strings.Cut(item, "=")
		rate, err := units.ParseRate(size)
		floor := figures.MinThroughput{Operation: result.Operation(name), Rate: rate}
		known := slices.Contains(result.ValuesOf[result.Operation](), floor.Operation)
		if err != nil || !known ||
			slices.ContainsFunc(all, func(a figures.MinThroughput) bool { return a.Operation == floor.Operation }) {
			return nil, &InputError{fmt.Errorf("--min %s: %q is not a floor: give write=20G, read=1.5T or both, each "+
				"once; K, M, G, T and P are powers of 1024 bytes per second", f.Min, item)}
		}
		all = append(all, floor)
	}
	return all, nil
}

// checkFloors prints whether the highest throughput of the runs reaches each floor. It returns an error for each floor
// that no run reaches.
func (f floorOptions) checkFloors(env Env, all []figures.MinThroughput, runs []figures.Run) error {
	var below []error
	for _, floor := range all {
		best, cautions, found := floor.BestPoint(runs)
		text := "there is no throughput"
		if len(cautions) > 0 {
			var words []string
			for _, word := range slices.Sorted(maps.Keys(cautions)) {
				words = append(words, units.Count(cautions[word], "is "+word, "are "+word))
			}
			text = "no throughput is valid: " + strings.Join(words, ", ")
		}
		if found {
			text = fmt.Sprintf("the highest median is %s, %s (%s, %s, %s)",
				units.FormatRate(best.Rate.Median), best.Rate.RangeText(units.FormatRate),
				figures.APILabel(best.Case.API),
				units.Count(best.Case.Processes, "process", "processes"),
				best.TransferText())
		}
		wanted := fmt.Sprintf("floor of %ss, %s", floor.Operation, units.FormatRate(floor.Rate))
		if found && best.Rate.Median >= floor.Rate {
			env.printDiagnostic("%s: met: %s", wanted, text)
			continue
		}
		below = append(below, &ExitStatusError{result.ExitFailed, wanted + ": not met: " + text})
	}
	return errors.Join(below...)
}
