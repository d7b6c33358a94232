package figures

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// minUsualShare is the share of samples from which on a mark is named once for the whole run.
const minUsualShare = 0.9

// Marks returns the marks of the samples, in words, after that of a point with fewer samples than were asked for. A
// mark that not all samples have is followed by their number: "warm, staggered 2 of 8". Marks that are named
// once for the run (see Cautions) are named again only where samples lack them: "short 0 of 8".
func (p Point) Marks() string { return p.marksText(p.usualMarks) }

// AllMarks returns the marks as Marks does, with those that are named once for the run.
func (p Point) AllMarks() string { return p.marksText(nil) }

// marksText returns the marks. Those in toldOnce are named only where samples lack them.
func (p Point) marksText(toldOnce []result.Mark) string {
	var words []string
	if p.Partial != "" {
		words = append(words, p.Partial)
	}
	if p.Missing == "" && p.Case.EndedBy == result.EndedByDeadline {
		words = append(words, fmt.Sprintf("deadline %d of %s", len(p.Samples), WantedText(p.Run.Parameters)))
	}
	for _, m := range result.All[result.Mark]() {
		n, all := NumMarked(p.Samples, m), len(p.Samples)
		switch usual := slices.Contains(toldOnce, m) && canHaveMark(m, p.Operation); {
		case usual && n == all, !usual && n == 0:
		case n == all:
			words = append(words, string(m))
		default:
			words = append(words, fmt.Sprintf("%s %d of %d", m, n, all))
		}
	}
	return strings.Join(words, ", ")
}

// findUsualMarks returns the marks that are named once for points of a run, which are of one operation or of more.
func findUsualMarks(points []Point) (marks []result.Mark) {
	var samples []result.Sample
	for _, p := range points {
		samples = append(samples, p.Samples...)
	}
	for _, m := range result.All[result.Mark]() {
		if n := NumMarked(samples, m); n > 0 && float64(n) >= minUsualShare*float64(numMarkable(samples, m)) {
			marks = append(marks, m)
		}
	}
	return marks
}

// canHaveMark reports whether samples of an operation can have a mark.
func canHaveMark(m result.Mark, op result.Operation) bool {
	return m != result.Warm || op == result.OperationRead
}

// numMarkable returns the number of samples that can have a mark.
func numMarkable(samples []result.Sample, m result.Mark) int {
	n := 0
	for _, s := range samples {
		if canHaveMark(m, s.Operation) {
			n++
		}
	}
	return n
}

// NumMarked returns the number of samples that have a mark.
func NumMarked(samples []result.Sample, m result.Mark) int {
	n := 0
	for _, s := range samples {
		if s.HasMark(m) {
			n++
		}
	}
	return n
}

// MarkedText returns, in a sentence, how many of the samples that can have a mark have it. It returns "" if none has.
func MarkedText(samples []result.Sample, m result.Mark) string {
	n, of := NumMarked(samples, m), numMarkable(samples, m)
	if n == 0 {
		return ""
	}
	what := units.Count(of, "sample", "samples")
	if m == result.Warm {
		what = units.Count(of, "read sample", "read samples")
	}
	return units.Count(n, "of "+what+" is", "of "+what+" are") + " marked " + string(m) + "."
}

// MarkMeaning returns, in a sentence, what a mark means.
func MarkMeaning(m result.Mark) string { return cautionOfMark[m].Text }

// cautionOfMark holds the caution that each mark is. Its word is the mark, and how many samples have it comes before
// its text.
var cautionOfMark = map[result.Mark]plain.Caution{
	result.Warm: {
		Text: "The data were in the memory of the client, so the result does not show the speed of the storage.",
		Help: coldOption,
	},
	result.Short: {
		Text: fmt.Sprintf("All samples of the point took less than %g s together, so caches and chance have a large "+
			"effect.", result.ShortSeconds),
		Help: minSeconds,
	},
	result.Implausible: {
		Text: "The result is faster than the processors of the job can copy memory, so it cannot be the speed of a " +
			"file system.",
		Help: coldOption,
	},
	result.Staggered: {
		Text: fmt.Sprintf("The processes did not work at the same time: on average, each worked for less than %g %% "+
			"of the window, so the result does not show what all processes together can reach.",
			100*result.StaggeredRatio),
		Help: largerData,
	},
	result.Skewed: {
		Text: fmt.Sprintf("The nodes left the barriers at such different times that the window may be wrong by more "+
			"than %g %%.", 100*result.SkewRatio),
		Help: largerData,
	},
	result.Shared: {
		Text: fmt.Sprintf("Other programs used more than %g %% of the processors of a node at the same time; they may "+
			"be other jobs, or clients of the file system.", 100*result.SharedRatio),
		Help: wholeNodes,
	},
}

// suitedHelp returns what helps a run like this one against a mark, besides what it does already. It returns "" if
// nothing does.
func (r *Run) suitedHelp(help string) string {
	given := func(g result.Given) bool { return g.Name == "num-bytes" }
	conditions := r.Parameters.Conditions
	switch {
	case help == largerData:
		return kindTraitsOf(r.Parameters).largerDataHelp
	case help == minSeconds && option.ValueOrZero(conditions.MinSeconds) > 0:
		return r.longerRunHelp()
	case help != coldOption || !conditions.Cold:
		return help
	case r.Target.IsInMemory():
		return ""
	case r.IsWorkload(), slices.ContainsFunc(r.Given, given): // and --memory-factor chooses it
		return kindTraitsOf(r.Parameters).largerDataHelp
	case option.ValueOrZero(conditions.MemoryFactor) > 0:
		return "a larger --memory-factor"
	}
	return "--memory-factor 2"
}

// longerRunHelp returns what makes a run longer that has --min-seconds; "" if nothing does.
func (r *Run) longerRunHelp() string {
	switch capped := func(c result.Case) bool { return c.EndedBy == result.EndedByCap }; {
	case slices.ContainsFunc(r.Cases, capped):
		return largerLimit
	case option.ValueOrZero(r.Parameters.Conditions.MinSeconds) < result.ShortSeconds:
		return minSeconds
	}
	return ""
}
