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

// minUsualShare is the share of samples from which on a mark is shown once for the whole run.
const minUsualShare = 0.9

// dependentMark is the mark of a point whose samples depend on one another so much that its interval may be too narrow.
const dependentMark = "dependent"

// Marks lists the marks of the samples. If the point has fewer samples than requested, the text begins with "partial"
// and the number of samples. "dependent" means that the interval may be too narrow, because the samples depend on one
// another. If only some samples have a mark, their number follows the mark: "warm, staggered 2 of 8".
// A mark that is shown once for the whole run (see Cautions) is repeated only if some samples do not have it: "short 3
// of 8", or "not short".
func (p Point) Marks() string { return p.marksText(p.usualMarks) }

// AllMarks lists the marks as Marks does, but includes those that are shown once for the run.
func (p Point) AllMarks() string { return p.marksText(nil) }

// marksText lists the marks. toldOnce holds marks that are shown once for the whole run: they are included only if some
// samples do not have them.
func (p Point) marksText(toldOnce []result.Mark) string {
	var words []string
	if p.Partial != "" {
		words = append(words, p.Partial)
	}
	if p.Missing == "" && p.Case.EndedBy == result.EndedByDeadline {
		words = append(words, fmt.Sprintf("deadline %d of %s", len(p.Samples), RequestedIterations(p.Run.Parameters)))
	}
	if p.Rate.TooDependent {
		words = append(words, dependentMark)
	}
	for _, m := range result.ValuesOf[result.Mark]() {
		n, all := NumMarked(p.Samples, m), len(p.Samples)
		switch usual := slices.Contains(toldOnce, m) && canHaveMark(m, p.Operation); {
		case usual && n == all, !usual && n == 0:
		case n == 0:
			words = append(words, "not "+string(m))
		case n == all:
			words = append(words, string(m))
		default:
			words = append(words, fmt.Sprintf("%s %d of %d", m, n, all))
		}
	}
	return strings.Join(words, ", ")
}

// findUsualMarks returns the marks that are shown once for the whole run, because at least 90 % of the samples of
// points have them.
func findUsualMarks(points []Point) (marks []result.Mark) {
	for _, m := range result.ValuesOf[result.Mark]() {
		n, of := 0, 0
		for _, p := range points {
			n, of = n+NumMarked(p.Samples, m), of+numMarkable(p.Samples, m)
		}
		if n > 0 && float64(n) >= minUsualShare*float64(of) {
			marks = append(marks, m)
		}
	}
	return marks
}

// canHaveMark reports whether samples of an operation can have a mark: only reads can be warm.
func canHaveMark(m result.Mark, op result.Operation) bool {
	return m != result.MarkWarm || op == result.OperationRead
}

// numMarkable returns the number of samples that can have a mark.
func numMarkable(samples []result.Sample, m result.Mark) int {
	n := 0
	for i := range samples {
		if canHaveMark(m, samples[i].Operation) {
			n++
		}
	}
	return n
}

// NumMarked returns the number of samples that have a mark.
func NumMarked(samples []result.Sample, m result.Mark) int {
	n := 0
	for i := range samples {
		if slices.Contains(samples[i].Marks, m) {
			n++
		}
	}
	return n
}

// MarkedText returns a sentence with the number of samples that have a mark, out of those that can have it. It returns
// "" if no sample has the mark.
func MarkedText(samples []result.Sample, m result.Mark) string {
	n, of := NumMarked(samples, m), numMarkable(samples, m)
	if n == 0 {
		return ""
	}
	what := units.Count(of, "sample", "samples")
	if m == result.MarkWarm {
		what = units.Count(of, "read sample", "read samples")
	}
	return units.Count(n, "of "+what+" is", "of "+what+" are") + " marked " + string(m) + "."
}

// MarkMeaning returns a sentence that explains a mark.
func MarkMeaning(m result.Mark) string { return cautionOfMark[m].Text }

// cautionOfMark holds the text and the remedy of the caution for each mark. markCautions adds the keyword, and puts the
// number of marked samples before the text.
var cautionOfMark = map[result.Mark]plain.Caution{
	result.MarkWarm: {
		Text: "The data were in the memory of the client, so the result does not show the speed of the storage.",
		Help: coldOption,
	},
	result.MarkShort: {
		Text: fmt.Sprintf("All samples of the point took less than %g s together, so caches and chance have a large "+
			"effect.", result.ShortSeconds),
		Help: minSeconds,
	},
	result.MarkImplausible: {
		Text: "The result is faster than the processors of the job can copy memory, so it cannot be the speed of a " +
			"file system.",
		Help: coldOption,
	},
	result.MarkStaggered: {
		Text: fmt.Sprintf("The processes did not work at the same time: on average, each worked for less than %g %% "+
			"of the window, so the result does not show what all processes together can reach.",
			100*result.StaggeredRatio),
		Help: largerData,
	},
	result.MarkSkewed: {
		Text: fmt.Sprintf("The nodes left the barriers at such different times that the window may be wrong by more "+
			"than %g %%.", 100*result.SkewRatio),
		Help: largerData,
	},
	result.MarkShared: {
		Text: fmt.Sprintf("Other programs used more than %g %% of the processors of a node at the same time; they may "+
			"be other jobs, or clients of the file system.", 100*result.SharedRatio),
		Help: wholeNodes,
	},
	result.MarkDisturbed: {
		Text: fmt.Sprintf("Other programs on the nodes moved more than %g %% as many bytes from or to the file system "+
			"at the same time.", 100*result.DisturbedRatio),
		Help: wholeNodes,
	},
}

// suitableRemedy adapts the remedy for a mark to this run: if the run already uses this option, it returns another
// remedy, or "" if there is no other remedy.
func (r *Run) suitableRemedy(help string) string {
	given := func(g result.GivenParameter) bool { return g.Name == "num-bytes" }
	conditions := r.Parameters.Conditions
	switch {
	case help == largerData:
		return kindTraitsOf(r.Parameters).largerDataRemedy
	case help == minSeconds && option.ValueOrZero(conditions.MinSeconds) > 0:
		return r.longerRunRemedy()
	case help != coldOption:
		return help
	case r.Target.IsInMemory(): // the caution about the target has the remedy
		return ""
	case !conditions.Cold:
		return help
	// the user chose the size, so --memory-factor does not
	case r.IsWorkload(), slices.ContainsFunc(r.GivenParameters, given):
		return kindTraitsOf(r.Parameters).largerDataRemedy
	case option.ValueOrZero(conditions.MemoryFactor) > 0:
		return "a larger --memory-factor"
	}
	return "--memory-factor 2"
}

// longerRunRemedy returns the remedy that makes a run with --min-seconds longer, or "" if there is none.
func (r *Run) longerRunRemedy() string {
	switch capped := func(c result.Case) bool { return c.EndedBy == result.EndedByCap }; {
	case slices.ContainsFunc(r.Cases, capped):
		return largerLimit
	case option.ValueOrZero(r.Parameters.Conditions.MinSeconds) < result.ShortSeconds:
		return minSeconds
	}
	return ""
}
