package report

import (
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// Form says which report a run prints: that of the C tools, a summary, or none. The zero value means FormC.
type Form string

// FormC prints the report of the C tool, and the summary on standard error. FormSummary prints only the summary, on
// standard output. FormNone prints nothing.
const (
	FormC       Form = "c"
	FormSummary Form = "summary"
	FormNone    Form = "none"
)

// PrintsCText reports whether the run prints the report of the C tool.
func (f Form) PrintsCText() bool { return f == "" || f == FormC }

var _ result.Enumerated = Form("")

// Values returns the valid values; the first is the default. It implements result.Enumerated.
func (Form) Values() []string { return usage.Strings([]Form{FormC, FormSummary, FormNone}) }
