package report

import (
	"bytes"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// filteredRun returns a run with filters on data whose ratio of compression is not known, in files of 3 MiB.
func filteredRun() figures.Run {
	r := figurestest.Workload()
	for i := range r.Cases {
		c := &r.Cases[i]
		c.Filtered = &result.Filtered{Bytes: 1 << 20, RequestedBytes: 1 << 20, NoRatioBytes: 1 << 20, Files: 1}
		c.Effective = &result.Effective{Files: []result.FileSize{{Bytes: 3 << 20}}}
		c.FilterTimes = []result.FilterTime{{
			Dataset: "field", Filters: []string{"shuffle", "deflate"}, Bytes: 1 << 20, Write: 0.26, WriteWithout: 0.01,
			Read: 0.03, ReadWithout: 0.04,
		}}
	}
	return r
}

// Throughput through filters depends on the data, so all outputs say what is known of them.
func TestExportsSayWhatFiltersMadeOfTheData(t *testing.T) {
	r := filteredRun()
	var table bytes.Buffer
	if err := WriteCSV(&table, []figures.Run{r}); err != nil {
		t.Fatal(err)
	}
	const word = "filters on data that hardly compress"
	for name, c := range map[string]struct{ text, size string }{
		"CSV":           {table.String(), ",3145728,"},
		"NDJSON":        {exported(t, WriteNDJSON, false, r), `"file_bytes":3145728`},
		"line protocol": {exported(t, WriteInflux, false, r), "file_bytes=3145728i"},
	} {
		if !strings.Contains(c.text, word) || !strings.Contains(c.text, c.size) {
			t.Errorf("%s: no %q or no %q in\n%s", name, word, c.size, c.text)
		}
	}
	text := tables(t, r) + summary(t, r)
	if strings.Count(text, word) != 1 || !strings.Contains(text, "3 MiB") {
		t.Error(text)
	}
	if !strings.Contains(strings.Join(strings.Fields(text), " "),
		"field shuffle, deflate 1 MiB 250 ms, 4.00 MiB/s no measurable time") {
		t.Errorf("no times of filters in %s", text)
	}
}
