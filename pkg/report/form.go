package report

import (
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// Form is what a run prints of its results. The empty one is FormC.
type Form string

// FormC: the text of the C tool, and on standard error the summary. FormSummary: the summary alone, on standard output.
// FormNone: nothing.
const (
	FormC       Form = "c"
	FormSummary Form = "summary"
	FormNone    Form = "none"
)

// PrintsCText reports whether the text of the C tool is printed.
func (f Form) PrintsCText() bool { return f == "" || f == FormC }

var _ result.Enumerated = Form("")

// Values implements result.Enumerated. The first is the default.
func (Form) Values() []string { return usage.Strings([]Form{FormC, FormSummary, FormNone}) }
