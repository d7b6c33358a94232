package report

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/plaintest"
)

// The report of a run, its tables and its CSV tell how HDF5 executed collective transfers.
func TestTheTransfersOfHDF5AreTold(t *testing.T) {
	r := figurestest.Workload()
	if text := tables(t, r); strings.Contains(text, "marks  transfers") {
		t.Errorf("transfers of a run without collective ones:\n%s", text)
	}
	for i := range r.Cases {
		if c := &r.Cases[i]; c.API == result.PHDF5 {
			cause := []string{"H5D_MPIO_DATATYPE_CONVERSION"}
			c.Effective = &result.Effective{
				CollectiveWrites: &result.Collective{Collective: 9, Optimization: []string{"H5D_MPIO_LINK_CHUNK"}},
				CollectiveReads:  &result.Collective{Independent: 9, LocalCauses: cause, GlobalCauses: cause},
			}
		}
	}
	const written, read = "collective, linked chunks", "independent: type conversion"
	table := plaintest.Unwrap(tables(t, r))
	report := ofWorkload(t, r.Document)
	for _, want := range []string{
		"Collective reads of HDF5: " + read + ".", "Collective writes of HDF5: " + written + ".",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in the report:\n%s", want, report)
		}
	}
	if n := strings.Count(table, written); n != 1 || !strings.Contains(table, "marks  transfers") {
		t.Errorf("%d writes and no heading, or not one:\n%s", n, table)
	}
	var b bytes.Buffer
	if err := WriteCSV(&b, []figures.Run{r}); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at, texts := slices.Index(lines[0], "transfers"), map[string]bool{}
	for _, line := range lines[1:] {
		texts[line[slices.Index(lines[0], "api")]+" "+line[slices.Index(lines[0], "operation")]+" "+line[at]] = true
	}
	for _, want := range []string{"phdf5 write " + written, "phdf5 read " + read, "posix read "} {
		if !texts[want] {
			t.Errorf("no %q in the CSV: %v", want, texts)
		}
	}
}

func TestTheReportSaysHowHDF5Selects(t *testing.T) {
	for word, want := range map[option.SelectionMethod]string{
		"": "", "or": "Selections: HDF5 unites the blocks of a transfer (H5S_SELECT_OR)",
		"points": "Selections: HDF5 selects the bytes of a transfer as points (H5Sselect_elements)",
	} {
		p := parameters()
		p.Selection = word
		text := printed(t, run(p), CReportOptions{})
		if got := strings.Contains(text, "Selections: "); got != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%q: no %q in\n%s", word, want, text)
		}
	}
}
