package figures

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// CaseReason returns, in one line, why a case has no result or only a partial one. It returns "" if the case is
// complete.
func CaseReason(c result.Case) string {
	if c.State == result.Complete {
		return ""
	}
	text := c.Reason
	if c.Error != nil {
		text = FailureAfterRun(*c.Error)
	}
	if text == "" {
		return string(c.State)
	}
	return string(c.State) + ": " + text
}

// Failures returns the causes of all errors of the run and of its cases: the first error of each, formatted by
// FailureAfterRun, and how often the cause came.
func (r *Run) Failures() (all []string) {
	for _, cause := range r.errorCauses() {
		text := FailureAfterRun(cause.First)
		if cause.Count > 1 {
			text = fmt.Sprintf("%d times: %s", cause.Count, text)
		}
		all = append(all, text)
	}
	return all
}

// CountedCauses says by how many causes cases failed, if several have an error: "2 causes, the first". Otherwise it
// returns "".
func (r *Run) CountedCauses() string {
	var causes ErrorCauses
	n := 0
	for _, c := range r.Cases {
		if c.Error != nil {
			n++
			causes.Add(*c.Error)
		}
	}
	switch {
	case n < 2:
		return ""
	case len(causes.All()) == 1:
		return "1 cause"
	}
	return fmt.Sprintf("%d causes, the first", len(causes.All()))
}

// errorCauses returns the causes of all errors of the run and of its cases.
func (r *Run) errorCauses() []ErrorCause {
	var causes ErrorCauses
	var seen []result.Error // the errors of the run may be those of cases
	add := func(e result.Error) {
		if !slices.Contains(seen, e) {
			seen = append(seen, e)
			causes.Add(e)
		}
	}
	for _, c := range r.Cases {
		if c.Error != nil {
			add(*c.Error)
		}
	}
	for _, e := range r.Errors {
		add(e)
	}
	return causes.All()
}

// FailureAfterRun formats an error in one line, for output after the run: the message, then the operation and phase in
// which it occurred, then the iteration, file, rank and host.
func FailureAfterRun(e result.Error) string {
	var where []string
	add := func(words ...string) {
		if words[len(words)-1] != "" {
			where = append(where, strings.Join(words, " "))
		}
	}
	add(strings.TrimSpace(string(e.Operation) + " " + string(e.Phase)))
	add(wordAndNumber("iteration", e.Iteration))
	add(wordAndNumber("file", e.File))
	if e.Host != "" {
		add("rank", strconv.Itoa(e.Rank), "on", e.Host)
	}
	if e.Ranks > 1 {
		add(strconv.Itoa(e.Ranks), "ranks failed")
	}
	return plain.VisibleLine(FoldCalls(e.Message)) + " (" + strings.Join(where, ", ") + ")"
}

// FailureDuringRun formats an error for output to standard error while the run goes on: the operation and phase, the
// rank and host, then the message with all its lines, and with a short call stack of HDF5.
func FailureDuringRun(e result.Error) string {
	where := string(e.Phase)
	if e.Operation != "" {
		where = string(e.Operation) + ", " + where
	}
	if e.Iteration > 0 {
		where += ", " + wordAndNumber("iteration", e.Iteration)
	}
	more := ""
	if e.Ranks > 1 {
		more = fmt.Sprintf(" and %d more", e.Ranks-1)
	}
	return plain.VisibleText(fmt.Sprintf("%s: rank %d%s (%s): %s", where, e.Rank, more, e.Host, FoldCalls(e.Message)))
}

// FailureInCReport formats an error in one line for the report that is compatible with the C tools: the message, then
// the rank, unless the run is serial.
func (r *Run) FailureInCReport(e result.Error) string {
	lines := strings.FieldsFunc(FoldCalls(e.Message), func(r rune) bool { return r == '\n' || r == '\r' })
	text := plain.VisibleText(strings.Join(lines, "; "))
	if !r.IsParallel() {
		return text
	}
	return text + " (rank " + strconv.Itoa(e.Rank) + ")"
}
