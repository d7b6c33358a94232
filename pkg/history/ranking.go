package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/workload"
)

// Measure says which time of an iteration is compared between configurations: in total, of writing, of reading, or of
// structure.
type Measure string

// The measures.
const (
	TotalTime     Measure = "total"     // time of writing and reading, as the application sees it
	WriteTime     Measure = "write"     // time of writing
	ReadTime      Measure = "read"      // time of reading
	StructureTime Measure = "structure" // time for files, objects and attributes, of the slowest processes
)

// Measures returns the measures that apply to a run with these parameters.
func Measures(p result.Parameters) []Measure {
	switch {
	case p.WriteOnly:
		return []Measure{WriteTime, StructureTime}
	case p.Conditions.ReadOnly != "":
		return []Measure{ReadTime, StructureTime}
	}
	return []Measure{TotalTime, WriteTime, ReadTime, StructureTime}
}

// Ranking compares configurations, which were measured alternately, with the first configuration, and finds the
// configurations that may be the best. The probability that all its conclusions hold together is at least Level.
type Ranking struct {
	Level       float64
	First       string      // arm of the first configuration
	Arms        []RankedArm // sorted by the first measure, shortest first; those without results come last
	Measures    []Measure
	Tests       int // number of differences that were tested
	PairsNeeded int // number of pairs that are necessary to show any difference
	Pairs       int // largest number of pairs of any configuration
}

// RankedArm is a configuration in a ranking. If it has no results, Missing says why.
type RankedArm struct {
	Arm     result.Arm
	Record  *Record // the first of its runs
	Rounds  int     // number of iterations in all its runs
	Missing string
	Seconds map[Measure]float64 // medians over iterations
	// Best is true unless another configuration was shown to be faster, by the first measure. It is true for at least
	// one of the configurations that are really the fastest.
	Best        bool
	Differences map[Measure]*TestedDifference // time divided by that of the first configuration, which has none
	FileBytes   uint64                        // size of the last data files; 0 if unknown
	Cautions    []plain.Caution
}

// Verdict returns the conclusion from a difference of times. Better means faster.
func (r Ranking) Verdict(d *TestedDifference) Verdict {
	switch {
	case d.CorrectedP > (1-r.Level)/2:
		return NoDifference
	case d.Ratio < 1:
		return Better
	}
	return Worse
}

// RankingPairs returns the number of pairs of samples that Rank needs at least to show a difference, and the number of
// differences that Rank tests.
func RankingPairs(arms int, p result.Parameters) (pairs, tests int) {
	tests = (arms - 1) * len(Measures(p))
	return stats.PairsNeeded(tests, (1-stats.Level)/2), tests
}

// Rank compares configurations whose runs were measured alternately. The time of an iteration is the sum over all cases
// of a run. Rank compares times of the same iteration by the signed-rank test. An arm may have several runs, see
// joinArms. Rank returns an error if a run was not measured alternately with the first run.
//
// Half of the error probability is for the differences from the first configuration in all measures. Their p-values are
// corrected by the method of Holm. The other half is for the best configurations. A configuration is not among the best
// if another one is shown to be faster. Here all pairs of configurations are tested, and the p-values are corrected by
// the method of Holm (a subset selection, see Gupta, 1965). So the probability that the fastest configuration is not
// among the best is at most this half, whatever the number of configurations.
func Rank(arms []Record) (Ranking, error) {
	if len(arms) == 0 {
		return Ranking{}, errors.New("there are no configurations to compare")
	}
	out := Ranking{
		Level: stats.Level, First: string(result.ArmA), Measures: Measures(arms[0].Parameters),
	}
	var all []measuredTimes
	var err error
	if out.Arms, all, err = joinArms(arms, out.Measures); err != nil {
		return out, err
	}
	out.PairsNeeded, out.Tests = RankingPairs(len(out.Arms), arms[0].Parameters)
	for i := range out.Arms {
		one := &out.Arms[i]
		one.Seconds, one.Differences = map[Measure]float64{}, map[Measure]*TestedDifference{}
		for _, m := range out.Measures {
			if values := all[i].measuredValues(m); len(values) > 0 {
				one.Seconds[m] = stats.SampleMedian(values)
			}
		}
	}
	out.testDifferences(all)
	out.findBestArms(all)
	slices.SortStableFunc(out.Arms, func(a, b RankedArm) int {
		if (a.Missing == "") != (b.Missing == "") {
			return cmp.Compare(len(a.Missing), len(b.Missing))
		}
		return cmp.Compare(a.Seconds[out.Measures[0]], b.Seconds[out.Measures[0]])
	})
	return out, nil
}

// joinArms returns the arms of runs that were measured alternately, and the times of each arm. An arm has several runs
// if later ones go on with those that were interrupted: then runs has all runs of the first arm first. joinArms returns
// an error if a run was not measured alternately with the first run.
func joinArms(runs []Record, measures []Measure) (arms []RankedArm, all []measuredTimes, err error) {
	for i := range runs {
		r := &runs[i]
		if r.Pair == nil || r.TurnsID() != runs[0].RunID {
			return nil, nil, fmt.Errorf("run %s was not measured in turns with %s", r.RunID, runs[0].RunID)
		}
		at := slices.IndexFunc(arms, func(a RankedArm) bool { return a.Arm == r.Pair.Arm })
		if at < 0 {
			at = len(arms)
			arms = append(arms, RankedArm{Arm: r.Pair.Arm, Record: r, Missing: "not measured"})
			all = append(all, measuredTimes{})
		}
		first := slices.IndexFunc(runs, func(a Record) bool { return a.RunID == r.FirstArmRunID() })
		arms[at].addRun(r, first, all[at], measures)
	}
	return arms, all, nil
}

// addRun adds a run of the arm: its cautions, the size of its files, and its times to the map all. part numbers the
// runs of an arm, and is the same for those that were measured alternately.
func (one *RankedArm) addRun(r *Record, part int, all measuredTimes, measures []Measure) {
	times, missing := timesOfRun(r, measures)
	if missing != "" {
		if len(all) == 0 {
			one.Missing = missing
		}
		return
	}
	one.Missing, one.FileBytes, one.Cautions = "", 0, nil // the last run says what the arm lacks
	one.Rounds += len(times[measures[0]])
	for m, of := range times {
		if all[m] == nil {
			all[m] = map[int]float64{}
		}
		for iteration, seconds := range of {
			all[m][part<<32|iteration] = seconds
		}
	}
	for i := range r.Cases {
		for _, p := range r.Cases[i].Points() {
			addPointCautions(&one.Cautions, p, "The run", r.Parameters.Iterations)
		}
		if e := r.Cases[i].Effective; e != nil {
			for _, f := range e.Files {
				one.FileBytes += f.Bytes
			}
		}
	}
}

// measuredTimes holds the times of a configuration in seconds, by measure and by iteration: its number in a run, and
// the number of the run in the upper half.
type measuredTimes map[Measure]map[int]float64

// measuredValues returns the times of a measure, in the order of iterations.
func (t measuredTimes) measuredValues(m Measure) (all []float64) {
	for _, i := range t.iterations(m) {
		all = append(all, t[m][i])
	}
	return all
}

// iterations returns the numbers of the iterations that have a time, sorted.
func (t measuredTimes) iterations(m Measure) (all []int) {
	for i := range t[m] {
		all = append(all, i)
	}
	slices.Sort(all)
	return all
}

// pairedTimes returns the times of the iterations that both a and b have.
func pairedTimes(a, b measuredTimes, m Measure) (from, to []float64) {
	for _, i := range a.iterations(m) {
		if v, is := b[m][i]; is {
			from, to = append(from, a[m][i]), append(to, v)
		}
	}
	return from, to
}

// structureClasses holds the classes of steps that StructureTime adds up.
var structureClasses = []workload.StepClass{
	workload.FileOpen, workload.FileClose, workload.Create, workload.Open, workload.Extend, workload.ObjectClose,
	workload.Unlink, workload.Attribute, workload.CreateLink, workload.Stat, workload.List, workload.Rename,
}

// timesOfRun returns the times of a run by measure and iteration, or the reason why there are none. Times below the
// resolution of the clock, and iterations that not all cases have, are left out.
func timesOfRun(r *Record, measures []Measure) (t measuredTimes, missing string) {
	if len(r.Cases) == 0 {
		if len(r.Errors) > 0 {
			return nil, string(r.State) + ": " + r.Errors[0].Message
		}
		return nil, "not measured"
	}
	if len(r.Cases) < r.PlannedCases {
		return nil, "not measured in all cases"
	}
	for i := range r.Cases {
		of, missing := timesOfCase(r.Cases[i], measures)
		if missing != "" {
			return nil, missing
		}
		if i == 0 {
			t = of
			continue
		}
		for _, m := range measures {
			for _, n := range t.iterations(m) {
				if _, is := of[m][n]; !is {
					delete(t[m], n)
					continue
				}
				t[m][n] += of[m][n]
			}
		}
	}
	return t, ""
}

// timesOfCase returns the times of a case by measure and iteration, or the reason why there are none.
func timesOfCase(c result.Case, measures []Measure) (t measuredTimes, missing string) {
	t = measuredTimes{}
	switch {
	case len(c.Points()) > 0: // an interrupted case counts with its complete iterations
	case c.Error != nil:
		return t, string(c.State) + ": " + c.Error.Message
	case c.Reason != "":
		return t, string(c.State) + ": " + c.Reason
	default:
		return t, string(c.State)
	}
	seen := map[int]map[result.Operation]float64{}
	structure := map[int]float64{}
	for _, s := range c.Samples {
		if seen[s.Iteration] == nil {
			seen[s.Iteration] = map[result.Operation]float64{}
		}
		seen[s.Iteration][s.Operation] = s.Seconds()
		for _, class := range s.Classes {
			if slices.ContainsFunc(structureClasses,
				func(w workload.StepClass) bool { return result.ClassOf(w) == class.Class }) {
				structure[s.Iteration] += class.Max
			}
		}
	}
	for i, by := range seen {
		write, read := by[result.OperationWrite], by[result.OperationRead]
		whole := map[Measure]float64{WriteTime: write, ReadTime: read, StructureTime: structure[i]}
		if write > 0 && read > 0 {
			whole[TotalTime] = write + read
		}
		for _, m := range measures {
			if whole[m] <= 0 {
				continue
			}
			if t[m] == nil {
				t[m] = map[int]float64{}
			}
			t[m][i] = whole[m]
		}
	}
	return t, ""
}

// testDifferences tests the differences between each arm and the first arm.
func (r *Ranking) testDifferences(all []measuredTimes) {
	var tested []*TestedDifference
	var p []float64
	for i := range r.Arms[1:] {
		for _, m := range r.Measures {
			from, to := pairedTimes(all[0], all[1+i], m)
			if len(from) == 0 {
				continue
			}
			r.Pairs = max(r.Pairs, len(from))
			d := newTestedDifference(TestByPairs,
				func(level float64) stats.TestedRatio { return stats.PairedTest(from, to, level) })
			r.Arms[1+i].Differences[m] = d
			tested, p = append(tested, d), append(p, d.P)
		}
	}
	alpha := (1 - r.Level) / 2
	levels := stats.HolmLevels(p, alpha)
	for i, corrected := range stats.Holm(p) {
		tested[i].CorrectedP = corrected
		tested[i].setInterval(1 - levels[i])
	}
}

// findBestArms sets Best to true for each arm unless another arm was shown to be faster. It tests all pairs of arms,
// and corrects the p-values for their number (Holm). If the arms do not differ, the probability that any difference is
// shown is at most (1 - Level) / 2.
func (r *Ranking) findBestArms(all []measuredTimes) {
	m := r.Measures[0]
	for i := range r.Arms {
		r.Arms[i].Best = len(all[i][m]) > 0
	}
	var slower []int // index of the slower arm of each pair, if they differ
	var p []float64
	for i := range r.Arms {
		for j := range r.Arms[:i] {
			from, to := pairedTimes(all[i], all[j], m)
			if len(from) == 0 {
				continue
			}
			d := stats.PairedTest(from, to, stats.Level)
			one := j
			if d.Ratio < 1 {
				one = i
			}
			slower, p = append(slower, one), append(p, d.P)
		}
	}
	for k, corrected := range stats.Holm(p) {
		if corrected <= (1-r.Level)/2 {
			r.Arms[slower[k]].Best = false
		}
	}
}
