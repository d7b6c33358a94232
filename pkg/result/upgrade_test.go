package result

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The documents of testdata/v1 were made by the last release that wrote version 1.
func TestDocumentsOfVersion1AreRead(t *testing.T) {
	for name, want := range map[string]struct {
		kind    Kind
		state   State
		cases   int
		samples int
		label   string
	}{
		"parallel":    {"parallel", Complete, 4, 8, "8d27569b"},
		"serial":      {"serial", Complete, 2, 8, "f7e7170d"},
		"failed":      {"parallel", Failed, 2, 2, "16c40609"},
		"interrupted": {"serial", Interrupted, 1, 0, "e4edd45c"},
		"skipped":     {"parallel", Complete, 2, 2, "86bb475b"},
	} {
		doc, err := Read(filepath.Join("testdata", "v1", name+".json"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		samples := 0
		for _, c := range doc.Cases {
			samples += len(c.Samples)
		}
		if doc.Kind != want.kind || doc.State != want.state || len(doc.Cases) != want.cases || samples != want.samples {
			t.Errorf("%s: a %s run, %s, %d cases, %d samples; want %+v", name, doc.Kind, doc.State, len(doc.Cases),
				samples, want)
		}
		if c := doc.Parameters.Conditions; c != (Conditions{Sync: "none", Order: "given", Data: "position"}) {
			t.Errorf("%s: conditions %+v", name, c)
		}
		if i := doc.Identity; i.Cluster != "node1" || !strings.HasPrefix(i.Filesystem, "/mnt/s") ||
			i.Label != want.label {
			t.Errorf("%s: identity %+v, want label %s", name, i, want.label)
		}
		if _, err := readText(t, text(t, doc)); err != nil || doc.SchemaVersion != Version || doc.Basis != BasisSlowest {
			t.Errorf("%s: read as version %d; written and read again: %v", name, doc.SchemaVersion, err)
		}
		if name == "parallel" && (doc.Started.Location() != time.UTC || doc.Cases[3].Effective.Collective == nil) {
			t.Errorf("%s: %+v", name, doc.Cases[3].Effective)
		}
	}
}
