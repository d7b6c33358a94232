package command

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// floorOptions holds the option --min, which sets floors: the lowest acceptable throughputs of writes and of reads.
type floorOptions struct {
	Min string `placeholder:"write=RATE,read=RATE" brief:"" help:"Exit with status 1 if the throughput of an operation is below this rate: write=20G,read=1.5T means 20 GiB/s and 1.5 TiB/s. The lower end of the 95 % interval counts, over all transfer sizes the median of the lower ends, and of all APIs the worst. posix:read=20G is about one API, read:1M=20G about one size, posix:read:1M=20G about both. Only the largest number of processes counts. Results that are partial, warm or implausible do not count, and neither do writes that were not synced and results of fewer than 6 samples."`
}

func (f floorOptions) parseFloors() (all []figures.MinThroughput, err error) {
	if f.Min == "" {
		return nil, nil
	}
	for item := range strings.SplitSeq(f.Min, ",") {
		floor, err := parseFloor(item)
		isSame := func(f figures.MinThroughput) bool {
			f.Rate = floor.Rate
			return f == floor
		}
		if err != nil || slices.ContainsFunc(all, isSame) {
			return nil, &InputError{fmt.Errorf("--min %s: %q is not a floor: give write=20G, read=1.5T, "+
				"posix:read:1M=20G or several of them, each once; K, M, G, T and P are powers of 1024 bytes per second",
				f.Min, item)}
		}
		all = append(all, floor)
	}
	return all, nil
}

// parseFloor parses a floor such as write=20G or posix:read:1M=20G.
func parseFloor(item string) (f figures.MinThroughput, err error) {
	name, rate, _ := strings.Cut(item, "=")
	words := strings.Split(name, ":")
	if slices.Contains(result.APINames(func(result.API) bool { return true }), words[0]) && len(words) > 1 {
		f.API, words = words[0], words[1:]
	}
	f.Operation = result.Operation(words[0])
	if !slices.Contains(result.ValuesOf[result.Operation](), f.Operation) || len(words) > 2 {
		return f, errors.New("no operation")
	}
	if len(words) == 2 {
		if f.Transfer, err = units.ParseSize(words[1]); err != nil || f.Transfer == 0 {
			return f, errors.New("no size")
		}
	}
	f.Rate, err = units.ParseRate(rate)
	return f, err
}

// checkFloors prints whether the throughputs of the runs reach each floor. It returns an error for each floor that they
// do not reach.
func (f floorOptions) checkFloors(env Env, all []figures.MinThroughput, runs []figures.Run) error {
	var below []error
	for _, one := range all {
		wanted := "floor of " + subjectOfFloor(one) + ", " + units.FormatRate(one.Rate)
		verdicts := one.JudgeAPIs(runs)
		if len(verdicts) == 0 {
			below = append(below, &ExitStatusError{
				result.ExitFailed, wanted + ": not met: the documents have no such throughput",
			})
			continue
		}
		text := describeVerdict(one, verdicts)
		if verdicts[0].Met {
			env.printNote("%s: met: %s", wanted, text)
			continue
		}
		below = append(below, &ExitStatusError{result.ExitFailed, wanted + ": not met: " + text})
	}
	return errors.Join(below...)
}

// subjectOfFloor says what a floor is about: "reads", or "reads of 1 MiB through POSIX".
func subjectOfFloor(f figures.MinThroughput) string {
	text := string(f.Operation) + "s"
	if f.Transfer > 0 {
		text += " of " + units.FormatIEC(f.Transfer)
	}
	if f.API != "" {
		text += " through " + figures.APILabel(f.API)
	}
	return text
}

// describeVerdict says by which throughput a floor was judged. The first of the verdicts is the worst one, which
// decides.
func describeVerdict(f figures.MinThroughput, verdicts []figures.MinVerdict) string {
	worst := verdicts[0]
	var ignored []string
	for _, reason := range slices.Sorted(maps.Keys(worst.Ignored)) {
		ignored = append(ignored, units.Count(worst.Ignored[reason], "is "+reason, "are "+reason))
	}
	without := strings.Join(ignored, ", ")
	if len(worst.Points) == 0 {
		return "no throughput of " + figures.APILabel(worst.API) + " is valid: " + without
	}
	p := worst.MiddlePoint()
	what, of := "the lower end of the "+stats.Interval, p.TransferText()
	if n := len(worst.Points); n > 1 {
		what, of = "the median of the lower ends of the "+stats.Interval+"s", units.Count(n, "result", "results")
	}
	text := fmt.Sprintf("%s is %s (%s, %s, %s", what, rateBesideFloor(p.Rate.Low, f.Rate), figures.APILabel(worst.API),
		units.Count(p.Case.Processes, "process", "processes"), of)
	if len(verdicts) > 1 {
		text += fmt.Sprintf(", the lowest of %d APIs", len(verdicts))
	}
	if without != "" {
		text += "; not counted: " + without
	}
	text += ")"
	if !worst.Met && p.Rate.Median >= f.Rate {
		text += "; the median, " + units.FormatRate(p.Rate.Median) +
			", reaches it: more iterations (-i) make the interval narrower"
	}
	return text
}

// rateBesideFloor formats a rate. If it looks like the floor without being equal to it, the text also has the
// difference.
func rateBesideFloor(rate, floor float64) string {
	text := units.FormatRate(rate)
	if text != units.FormatRate(floor) || rate == floor {
		return text
	}
	side := "above"
	if rate < floor {
		side = "below"
	}
	return fmt.Sprintf("%s, %.2g %% %s it", text, 100*math.Abs(rate/floor-1), side)
}
