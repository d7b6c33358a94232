package report

import (
	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
)

// writeConditions writes the conditions, which the C tool does not have, and what they mean for the results.
func (t *CReport) writeConditions() {
	c := t.doc.Parameters.Conditions
	run := figures.Run{Document: t.doc}
	t.addWrappedText(plain.ConditionsLine(run.Conditions()))
	if variant := run.VariantText(); variant != "" {
		t.addWrappedText(plain.ConditionsLine([]string{"not the defaults: " + variant}))
	}
	if c.Sync == option.SyncNone && c.ReadOnly == "" {
		t.addWrappedText(figures.NotSynced.Line(""))
	}
	if !t.doc.Parameters.WriteOnly {
		t.addWrappedText(plain.NoteLine("", "Only the page caches of clients are measured, not the caches of servers."))
	}
}
