package report

import (
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
)

// conditions writes the conditions, which the C tool does not have. Each line begins with the same word.
func (t *Text) conditions() {
	c := t.doc.Parameters.Conditions
	run := figures.Run{Document: t.doc}
	t.line("Conditions: %s", strings.Join(run.Conditions(), ", "))
	if variant := run.Variant(); variant != "" {
		t.line("Conditions: not the defaults: %s", variant)
	}
	var unseen []string
	if c.Sync == option.SyncNone && c.ReadOnly == "" {
		unseen = append(unseen, "data that are not synced may still be in memory when the clock stops")
	}
	if !t.doc.Parameters.WriteOnly {
		unseen = append(unseen, "only the page caches of clients are measured, not the caches of servers")
	}
	if len(unseen) > 0 {
		t.line("Conditions: %s", strings.Join(unseen, "; "))
	}
}
