package plain_test

import (
	"testing"

	"h5perf/pkg/plain"
)

func TestCautionsNotesAndConditionsAreLines(t *testing.T) {
	warm := plain.Caution{Keyword: "warm", Text: "The data\nwere in memory.", Help: "--cold"}
	for got, want := range map[string]string{
		warm.Line(""): "Caution: The data; were in memory. Use --cold.",
		plain.Caution{Text: "The data differ."}.Line("A"): "Caution: A: The data differ.",
		plain.NoteLine("", "It ends."):                    "Note: It ends.",
		plain.NoteLine("A, B", "It ends.\x1b"):            `Note: A, B: It ends.\x1b`,
		plain.Sentence("ärger: it ends"):                  "Ärger: it ends.",
		plain.ConditionsLine([]string{"cold", "synced"}):  "Conditions: cold, synced",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
