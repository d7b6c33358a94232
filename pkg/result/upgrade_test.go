package result

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/placement"
)

// readVersion reads a document of a version from testdata, and returns it with the samples of all its cases.
func readVersion(t *testing.T, version, name string) (doc Document, samples []Sample) {
	t.Helper()
	doc, err := Read(filepath.Join("testdata", version, name+".json"))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, c := range doc.Cases {
		samples = append(samples, c.Samples...)
	}
	return doc, samples
}

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
		doc, all := readVersion(t, "v1", name)
		samples := len(all)
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
		if _, err := readText(t, text(t, doc)); err != nil || doc.SchemaVersion != Version ||
			doc.Basis != BasisSlowest {
			t.Errorf("%s: read as version %d; written and read again: %v", name, doc.SchemaVersion, err)
		}
		if name == "parallel" && (doc.Started.Location() != time.UTC || doc.Cases[3].Effective.Collective == nil) {
			t.Errorf("%s: %+v", name, doc.Cases[3].Effective)
		}
	}
}

// The documents of testdata/v2 were made by the last program that wrote version 2.
func TestDocumentsOfVersion2AreRead(t *testing.T) {
	for name, want := range map[string]struct {
		kind    Kind
		sync    Sync
		cases   int
		samples int
		label   string
	}{
		"parallel": {"parallel", SyncNone, 4, 8, "8d27569b"},
		"serial":   {"serial", SyncNone, 2, 8, "f7e7170d"},
		"synced":   {"parallel", SyncClose, 2, 12, "536eb460"},
	} {
		doc, all := readVersion(t, "v2", name)
		samples := len(all)
		for _, s := range all {
			m := s.Measured()
			if by := s.Throughput(); m.Window != 0 || m.Max <= 0 || by != float64(s.Bytes)/m.Max {
				t.Errorf("%s: %d bytes in %+v: %v bytes per second", name, s.Bytes, m, by)
			}
		}
		if doc.Kind != want.kind || doc.State != Complete || len(doc.Cases) != want.cases || samples != want.samples {
			t.Errorf("%s: a %s run, %s, %d cases, %d samples; want %+v", name, doc.Kind, doc.State, len(doc.Cases),
				samples, want)
		}
		if c := doc.Parameters.Conditions; c.Sync != want.sync || c.Timeout != 600 || !c.SpaceCheck {
			t.Errorf("%s: conditions %+v", name, c)
		}
		if i := (Identity{"node1", "/mnt/scratch", want.label}); doc.Identity != i || doc.Parameters.Hash() != i.Label {
			t.Errorf("%s: identity %+v, hash %s, want %+v", name, doc.Identity, doc.Parameters.Hash(), i)
		}
		if doc.SchemaVersion != Version || doc.Basis != BasisSlowest {
			t.Errorf("%s: read as version %d, basis %q", name, doc.SchemaVersion, doc.Basis)
		}
		if again, err := readText(t, text(t, doc)); err != nil || again.Basis != BasisSlowest {
			t.Errorf("%s: written and read again: basis %q, %v", name, again.Basis, err)
		}
	}
}

// Before the first release of version 3, each host and each of its bindings had an entry of its own, as in versions 1
// and 2.
func TestPlacementsOfEarlierDocumentsAreRead(t *testing.T) {
	doc := full()
	doc.Job.Placement = []Host{
		{Host: "n1", Ranks: "0-1", Count: 2, CPUs: 2},
		{Host: "n2", Ranks: "2-3", Count: 2, CPUs: 2},
		{Host: "n3", Ranks: "4-5", Count: 2, CPUs: 1.5},
		{Host: "n4", Ranks: "6", Count: 1},
	}
	doc.Job.Binding = []Binding{
		{"n1", "0", 1}, {"n1", "1", 1}, {"n2", "0", 1}, {"n2", "1", 1}, {"n3", "0,2,4", 2}, {"n9", "0", 1},
	}
	want := []Host{
		{
			Host: "n[1-2]", Nodes: 2, Ranks: "0-1", Lowest: "0,2", Count: 2, CPUs: 2,
			Bound: []placement.Bound{{Ranks: 1, CPUs: "0"}, {Ranks: 1, CPUs: "1"}},
		},
		{
			Host: "n3", Ranks: "4-5", Count: 2, CPUs: 1.5,
			Bound: []placement.Bound{{Local: "0-1", Ranks: 2, CPUs: "0-4:2"}},
		},
		{Host: "n4", Ranks: "6", Count: 1},
	}
	for range 2 {
		got, err := readText(t, text(t, doc))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got.Job.Placement); d != "" || got.Job.Binding != nil {
			t.Errorf("%+v, (-want +got)\n%s", got.Job.Binding, d)
		}
		doc = got // as it was read, it is written and read again
	}
	for _, version := range []string{"v1", "v2"} {
		doc, _ := readVersion(t, version, "parallel")
		hosts := doc.Job.Placement
		if len(hosts) != 1 || hosts[0].Host != "node1" || len(hosts[0].Bound) == 0 || doc.Job.Binding != nil {
			t.Errorf("%s: %+v", version, doc.Job)
		}
	}
}
