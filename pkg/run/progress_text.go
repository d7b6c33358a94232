package run

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"h5perf/pkg/units"
)

// progressState is the progress of a run, for people.
type progressState struct {
	parts    []string // the current case or iteration, the time left, and more; nil before the first case
	done     string   // how much of the run is done, if known; a bar shows it in its own way
	fraction float64  // part of the whole run that is done, from 0 to 1
}

// lineText returns the progress in at most width characters. It leaves out the last parts if it would be longer.
func (s progressState) lineText(width int) string {
	if s.done == "" {
		return s.barText(width)
	}
	return joinFitting(slices.Insert(slices.Clone(s.parts), 1, s.done), width)
}

// barText returns the progress like lineText, but without how much is done.
func (s progressState) barText(width int) string { return joinFitting(s.parts, width) }

// joinFitting joins as many of the first parts as fit into width characters, but at least the first part.
func joinFitting(parts []string, width int) string {
	text := parts[0]
	for _, part := range parts[1:] {
		longer := text + ", " + part
		if utf8.RuneCountInString(longer) > width {
			break
		}
		text = longer
	}
	return text
}

// stateAfter returns the progress of the run when the time elapsed has passed since its start. Unless deadline is the
// zero time, it assumes that the run ends at the deadline at the latest.
func (w *workEstimate) stateAfter(now time.Time, elapsed time.Duration, deadline time.Time) progressState {
	if w.current == nil {
		return progressState{}
	}
	r := w.estimateRemaining(now)
	position, iteration := w.positionTexts(r)
	s := progressState{parts: []string{position}, fraction: float64(r.done) / float64(r.all)}
	left, why := time.Duration(min(r.seconds, math.MaxInt32)*float64(time.Second)), "about %s left"
	known := !math.IsNaN(r.seconds)
	if r.isUpperLimit {
		why = "at most %s left"
	}
	if until := deadline.Sub(now); !deadline.IsZero() && (!known || left > until) {
		left, why, known = max(0, until), "ends by its deadline in %s", true
	}
	if known {
		if whole := elapsed + left; whole > 0 && !r.isUpperLimit {
			s.fraction = elapsed.Seconds() / whole.Seconds()
			s.done = fmt.Sprintf("%.0f %% done", 100*s.fraction)
		}
		s.parts = append(s.parts, fmt.Sprintf(why, units.FormatDuration(left)))
	}
	label := strings.Split(w.current.caseText(), ", ")
	s.parts = append(s.parts, label[0])
	if rate := w.currentRate(); rate > 0 {
		s.parts = append(s.parts, units.FormatRate(rate))
	}
	s.parts = append(s.parts, label[1:]...)
	if iteration != "" {
		s.parts = append(s.parts, iteration)
	}
	return s
}

// positionTexts returns the number of the current case, and that of its iteration if it has several. If cases are not
// measured one after another, it returns the number of the iteration of the run, and "".
func (w *workEstimate) positionTexts(r remainingTime) (position, iteration string) {
	number := func(done, all int, most bool) string {
		if most {
			return fmt.Sprintf("iteration %d of at most %d", min(done+1, all), all)
		}
		return fmt.Sprintf("iteration %d of %d", min(done+1, all), all)
	}
	if !w.inOrder {
		return number(r.done, r.all, r.isUpperLimit), ""
	}
	position = fmt.Sprintf("case %d of %d", r.caseNumber, r.numCases)
	if least, most := w.minMaxIterations(w.current); most > 1 {
		done := w.current.numIterationsDone()
		iteration = number(done, max(most, done), least < most)
	}
	return position, iteration
}

// caseText describes the case: arm, API, processes, and transfer size or workload.
func (t *caseProgress) caseText() string {
	text := t.Parameters.CaseLabel(t.API, t.Processes, t.CommonSizes().Buffer, t.Values)
	if t.arm != "" {
		text = fmt.Sprintf("%s: %s", t.arm, text)
	}
	return text
}
