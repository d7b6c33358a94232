package run

import (
	"fmt"
	"math"
	"time"

	"h5perf/pkg/units"
)

type progressState struct {
	text     string  // for people: "case 2 of 3, ..."; "" before the first case
	bar      string  // the same for the bar; the most important comes first, since the end may be cut off
	fraction float64 // part of the whole run that is done, from 0 to 1
}

// stateAfter returns the progress of the run when the time elapsed has passed since its start. Unless deadline is the
// zero time, it assumes that the run ends at the deadline at the latest.
func (w *workEstimate) stateAfter(now time.Time, elapsed time.Duration, deadline time.Time) progressState {
	if w.current == nil {
		return progressState{}
	}
	r := w.estimateRemaining(now)
	s := progressState{fraction: float64(r.done) / float64(r.all)}
	text := w.positionText(r) + " (" + w.current.caseText() + ")"
	beside := w.current.caseText() + ", " + w.positionText(r)
	if rate := w.currentRate(); rate > 0 {
		text += ": " + units.FormatRate(rate)
		beside = units.FormatRate(rate) + ", " + beside
	}
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
			text += fmt.Sprintf(", %.0f %% done", 100*s.fraction)
		}
		ends := fmt.Sprintf(why, units.FormatDuration(left))
		text, beside = text+", "+ends, ends+", "+beside
	}
	s.text, s.bar = text, beside
	return s
}

// positionText returns the numbers of the current case and iteration, for people.
func (w *workEstimate) positionText(r remainingTime) string {
	iteration := func(done, all int, most bool) string {
		if most {
			return fmt.Sprintf("iteration %d of at most %d", min(done+1, all), all)
		}
		return fmt.Sprintf("iteration %d of %d", min(done+1, all), all)
	}
	if !w.inOrder {
		return iteration(r.done, r.all, r.isUpperLimit)
	}
	text := fmt.Sprintf("case %d of %d", r.caseNumber, r.numCases)
	if least, most := w.minMaxIterations(w.current); most > 1 {
		text += ", " + iteration(w.current.numIterationsDone(), max(most, w.current.numIterationsDone()), least < most)
	}
	return text
}

// caseText describes the case: arm, API, processes, and transfer size or workload.
func (t *caseProgress) caseText() string {
	text := t.Parameters.CaseLabel(t.API, t.Processes, t.CommonSizes().Buffer)
	if t.arm != "" {
		text = fmt.Sprintf("%s: %s", t.arm, text)
	}
	return text
}
