package report

import (
	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
)

// conditions writes the conditions, which the C tool does not have, and what they mean for the figures.
func (t *Text) conditions() {
	c := t.doc.Parameters.Conditions
	run := figures.Run{Document: t.doc}
	t.tell(plain.Conditions(run.Conditions()))
	if variant := run.Variant(); variant != "" {
		t.tell(plain.Conditions([]string{"not the defaults: " + variant}))
	}
	if c.Sync == option.SyncNone && c.ReadOnly == "" {
		t.tell(figures.NotSynced.Line(""))
	}
	if !t.doc.Parameters.WriteOnly {
		t.tell(plain.Note("", "Only the page caches of clients are measured, not the caches of servers."))
	}
}
