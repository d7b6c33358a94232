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

// Measure is a time of an iteration of a workload, in seconds.
type Measure string

// The measures.
const (
	TotalTime     Measure = "total"     // what the application sees, of writing and reading
	WriteTime     Measure = "write"     // the part of writing
	ReadTime      Measure = "read"      // the part of reading
	StructureTime Measure = "structure" // the part of files, objects and attributes, of the slowest processes
)

// Measures returns the measures of a workload that is written only, or also read.
func Measures(writeOnly bool) []Measure {
	if writeOnly {
		return []Measure{WriteTime, StructureTime}
	}
	return []Measure{TotalTime, WriteTime, ReadTime, StructureTime}
}

// Ranking compares configurations of a workload that were measured in turns with the first one, and finds those of them
// that may be the best. All its conclusions hold together with the probability Level.
type Ranking struct {
	Level    float64
	First    string      // arm of the first one
	Arms     []RankedArm // by the first measure, the shortest first; those without figures are the last ones
	Measures []Measure
	Tests    int // differences that were tested
	Needed   int // pairs that are needed at least to show any difference
	Pairs    int // that there are at most
}

// RankedArm is a configuration. Without figures, Missing says why.
type RankedArm struct {
	Arm     result.Arm
	Record  *Record
	Missing string
	Seconds map[Measure]float64 // medians
	// Best is set unless a configuration was shown to be faster, by the first measure. Of those that are the fastest in
	// truth, at least one has it.
	Best        bool
	Differences map[Measure]*TestedDifference // time : time of the first configuration; none of that itself
	FileBytes   uint64                        // of the last data file; 0: not known
	Cautions    []plain.Caution
}

// Verdict returns what is concluded about a difference of times: Better is faster.
func (r Ranking) Verdict(d *TestedDifference) Verdict {
	switch {
	case d.CorrectedP > (1-r.Level)/2:
		return NoDifference
	case d.Ratio < 1:
		return Better
	}
	return Worse
}

// RankingPairs returns how many pairs Rank needs at least to show a difference, and how many differences it tests.
func RankingPairs(arms int, writeOnly bool) (pairs, tests int) {
	tests = (arms - 1) * len(Measures(writeOnly))
	return stats.PairsNeeded(tests, (1-stats.Level)/2), tests
}

// Rank compares the runs of configurations of a workload that were measured in turns. Each has one case. The test is
// the signed-rank test of times of the same iteration.
//
// Half of the probability of an error is for the differences from the first configuration in all measures, corrected by
// the method of Holm. The other half is for the best ones: a configuration is none of them if another one is shown to
// be faster, by a one-sided test at the level that is divided by the number of others (as in the subset selection of
// Gupta, 1965). So if there is a fastest one, it is lost with this probability at most, however many there are.
func Rank(arms []Record) (Ranking, error) {
	if len(arms) == 0 {
		return Ranking{}, errors.New("there are no configurations to compare")
	}
	out := Ranking{
		Level: stats.Level, First: string(result.ArmA), Measures: Measures(arms[0].Parameters.WriteOnly),
	}
	out.Needed, out.Tests = RankingPairs(len(arms), arms[0].Parameters.WriteOnly)
	all := make([]measuredTimes, len(arms))
	for i := range arms {
		r := &arms[i]
		if r.Pair == nil || r.FirstArmRunID() != arms[0].RunID {
			return out, fmt.Errorf("run %s was not measured in turns with %s", r.RunID, arms[0].RunID)
		}
		one := RankedArm{
			Arm: r.Pair.Arm, Record: r, Seconds: map[Measure]float64{},
			Differences: map[Measure]*TestedDifference{},
		}
		all[i], one.Missing = timesOfRun(r, out.Measures)
		for _, m := range out.Measures {
			if values := all[i].measuredValues(m); len(values) > 0 {
				one.Seconds[m] = stats.SampleMedian(values)
				out.Pairs = max(out.Pairs, len(values))
			}
		}
		if one.Missing == "" {
			for _, p := range r.Cases[0].Points() {
				addPointCautions(&one.Cautions, p, "The run", r.Parameters.Iterations)
			}
			if e := r.Cases[0].Effective; e != nil {
				for _, f := range e.Files {
					one.FileBytes += f.Bytes
				}
			}
		}
		out.Arms = append(out.Arms, one)
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

// measuredTimes are the times of a configuration by measure and iteration.
type measuredTimes map[Measure]map[int]float64

// measuredValues returns the times of a measure, in the order of iterations.
func (t measuredTimes) measuredValues(m Measure) (all []float64) {
	for _, i := range t.iterations(m) {
		all = append(all, t[m][i])
	}
	return all
}

// iterations returns the iterations that have a time.
func (t measuredTimes) iterations(m Measure) (all []int) {
	for i := range t[m] {
		all = append(all, i)
	}
	slices.Sort(all)
	return all
}

// pairedTimes returns the times of iterations that both have.
func pairedTimes(a, b measuredTimes, m Measure) (from, to []float64) {
	for _, i := range a.iterations(m) {
		if v, is := b[m][i]; is {
			from, to = append(from, a[m][i]), append(to, v)
		}
	}
	return from, to
}

// structureClasses are the classes of StructureTime.
var structureClasses = []workload.Class{
	workload.FileOpen, workload.FileClose, workload.Create, workload.Open, workload.Extend, workload.ObjectClose,
	workload.Unlink, workload.Attribute,
}

// timesOfRun returns the times of a run, or why it has none. Times below the resolution of the clock are left out.
func timesOfRun(r *Record, measures []Measure) (t measuredTimes, missing string) {
	t = measuredTimes{}
	if len(r.Cases) == 0 {
		return t, "not measured"
	}
	c := r.Cases[0]
	switch {
	case len(c.Points()) > 0: // also of a case that was interrupted, whose complete iterations count
	case c.Error != nil:
		return t, string(c.State) + ": " + c.Error.Message
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
				func(w workload.Class) bool { return result.ClassOf(w) == class.Class }) {
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

// testDifferences tests the differences of all arms from the first one.
func (r *Ranking) testDifferences(all []measuredTimes) {
	var tested []*TestedDifference
	var p []float64
	for i := range r.Arms[1:] {
		for _, m := range r.Measures {
			from, to := pairedTimes(all[0], all[1+i], m)
			if len(from) == 0 {
				continue
			}
			d := newTestedDifference(ByPairs,
				func(level float64) stats.TestedRatio { return stats.Paired(from, to, level) })
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

// findBestArms finds the arms of which none was shown to be faster. All pairs of arms are tested, and the probabilities
// are corrected for their number (Holm): where arms do not differ, the probability that any is shown to is half of what
// the level leaves.
func (r *Ranking) findBestArms(all []measuredTimes) {
	m := r.Measures[0]
	for i := range r.Arms {
		r.Arms[i].Best = len(all[i][m]) > 0
	}
	var slower []int // of each pair of arms, the one that is slower if they differ
	var p []float64
	for i := range r.Arms {
		for j := range r.Arms[:i] {
			from, to := pairedTimes(all[i], all[j], m)
			if len(from) == 0 {
				continue
			}
			d := stats.Paired(from, to, stats.Level)
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
