package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/plaintest"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

func tables(t *testing.T, runs ...figures.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteTables(&b, runs); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	golden(t, "sweep.txt", tables(t, figurestest.Sweep()))
	golden(t, "workload-tables.txt", tables(t, figurestest.Workload(), figurestest.WorkloadFailed()))
	golden(t, "several.txt", tables(t, figurestest.Serial(), figurestest.Failed()))
}

func TestTextFitsATerminal(t *testing.T) {
	for _, r := range all(t) {
		text := tables(t, r) + summary(t, r)
		if r.IsWorkload() {
			text += ofWorkload(t, r.Document)
		}
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > plain.MaxLineWidth {
				t.Errorf("%s: a line of %d characters: %s", r.Name, n, line)
			}
		}
	}
}

// summary returns the summary of a run. It checks that the summary is neither too long nor too wide.
func summary(t *testing.T, r figures.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSummary(&b, &r, "h5perf report "+r.Name); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) > 12 {
		t.Errorf("%s: %d lines, want 12 at most\n%s", r.Name, len(lines), b.String())
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > plain.MaxLineWidth {
			t.Errorf("%s: a line of %d characters, want %d at most: %s", r.Name, n, plain.MaxLineWidth, line)
		}
	}
	return b.String()
}

func TestSummary(t *testing.T) {
	all := summary(t, figurestest.Sweep()) + "\n" + summary(t, figurestest.Failed())
	golden(t, "summary.txt", all+"\n"+summary(t, figurestest.Serial()))
	for _, name := range []string{"parallel", "serial", "workload", "failed", "interrupted", "ab-a"} {
		doc, err := result.Read(filepath.Join("..", "..", "results", "examples", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		summary(t, figures.Run{Name: name + ".json", Document: doc})
	}
}

func TestUnitsPerSecondAreAColumn(t *testing.T) {
	r := figurestest.Workload()
	for k := range r.Cases[0].Samples {
		s := &r.Cases[0].Samples[k]
		s.OpenClose.WindowSeconds, s.Handled = 2, []result.HandledUnits{{Unit: "samples", Number: 246}}
	}
	row := regexp.MustCompile(`(?m)^4 +(\S+) +.* (\S+)$`)
	text := tables(t, r)
	heading := regexp.MustCompile(`  samples per second\n`).FindStringIndex(text)
	if heading == nil {
		t.Fatalf("no column\n%s", text)
	}
	for _, cells := range row.FindAllStringSubmatch(text[heading[1]:], 6) {
		if want := map[bool]string{true: "123", false: "-"}[cells[1] == "POSIX"]; cells[2] != want {
			t.Errorf("%q, want %s", cells[0], want)
		}
	}
}

func TestSummaryOfAWorkload(t *testing.T) {
	golden(t, "workload-summary.txt", summary(t, figurestest.Workload())+"\n"+summary(t, figurestest.WorkloadFailed()))
}

func TestTheSummaryOfAWorkloadWithManySizesHasItsName(t *testing.T) {
	r := figurestest.Workload()
	for _, name := range []string{"first_size", "second_size", "third_size", "fourth_size"} {
		r.Parameters.Workload.Sizes = append(r.Parameters.Workload.Sizes, result.KeyValue{Key: name, Value: "1048576"})
	}
	if text := summary(t, r); !strings.Contains(text, "\nworkload vpic, not synced, cold reads, 4 processes\n") {
		t.Error(text)
	}
}

// However long its name is, a workload is named in whole, also with --sweep.
func TestASummaryHasTheWholeNameOfAWorkload(t *testing.T) {
	for _, swept := range []bool{false, true} {
		for _, name := range []string{"particles", "checkpoint_of_" + strings.Repeat("a_very_large_", 5) + "code"} {
			r := figurestest.Workload()
			r.Parameters.Workload.Name = name
			if swept {
				values := []result.KeyValue{{Key: "filter", Value: "none"}, {Key: "values", Value: "smooth"}}
				for i := range r.Cases {
					r.Cases[i].Values = values
				}
				r.Swept = []result.SweptCases{{Values: values, Parameters: r.Parameters}}
			}
			if text := summary(t, r); !strings.Contains(text, "workload "+name+",") {
				t.Errorf("swept %t: no %s in\n%s", swept, name, text)
			}
		}
	}
}

func TestASummaryNamesTheSettingsThatAreNotTheDefaults(t *testing.T) {
	hint := func(r *figures.Run) {
		r.Parameters.Hints = []units.KeyValue{{Key: "cb_nodes", Value: "2"}}
	}
	long := strings.Repeat("x", 60)
	for name, c := range map[string]struct {
		run    figures.Run
		change func(*figures.Run)
		want   string
	}{
		"sweep": {
			figurestest.Sweep(), hint,
			"2 more settings, synced before each file is closed, warm reads, 4 processes, best of 6 cases",
		},
		"workload": {figurestest.Workload(), hint, ", hint cb_nodes=2, not synced, cold reads, 4 processes"},
		"many": {figurestest.Sweep(), func(r *figures.Run) {
			r.Parameters.Hints = []units.KeyValue{{Key: "cb_nodes", Value: long}, {Key: "cb_buffer_size", Value: "4"}}
		}, "3 more settings, synced before each file is closed, warm reads, 4 processes, best of 6 cases"},
	} {
		c.change(&c.run)
		if line := strings.Split(summary(t, c.run), "\n")[1]; !strings.HasSuffix(line, c.want) {
			t.Errorf("%s: %q, want %q", name, line, c.want)
		}
	}
}

func TestNothingIsSaidOfTransferSizesOfAWorkload(t *testing.T) {
	r := figurestest.Workload()
	var lines bytes.Buffer
	if err := WriteLines(&lines, []figures.Run{r}); err != nil {
		t.Fatal(err)
	}
	content, rows := csvRecords(t, r)
	cells := map[string]string{}
	for i, name := range rows[0] {
		cells[name] = rows[1][i]
	}
	for name, want := range map[string]string{
		"transfer_bytes": "", "workload": "vpic", "workload_sha256": r.Parameters.Workload.Hash, "bytes": "1073741824",
		"planned_compute_seconds": "2", "class_file_open_seconds": "0.01", "class_compute_seconds": "2.001",
		"class_attribute_seconds": "", "sync": "none",
	} {
		if cells[name] != want {
			t.Errorf("%s is %q, want %q", name, cells[name], want)
		}
	}
	for _, told := range []string{tables(t, r), summary(t, r), lines.String(), content} {
		for _, nonsense := range []string{"0 B", "transfers of", "NaN", "Inf", " pattern"} {
			if strings.Contains(told, nonsense) {
				t.Errorf("%q in %s", nonsense, told)
			}
		}
	}
	if !strings.Contains(lines.String(), "\nphdf5 read 4 vpic 1.249 ") {
		t.Errorf("%s", lines.String())
	}
}

func TestAWorkloadThatMovesNoDataHasTimesOnly(t *testing.T) {
	r := figurestest.Workload()
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Bytes = 0
		}
	}
	got := tables(t, r)
	for _, want := range []string{
		"HDF5    write      no rate: the workload moves no data\n", "HDF5 took 700 ms longer than MPI-IO",
		"HDF5    write      1.6 s    46.8 %",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(summary(t, r), "B/s") {
		t.Error("a summary of rates that are not there")
	}
}

// A table of objects per second has the writes or the reads of APIs that have objects, and the classes that these have.
func TestTablesOfObjectsHaveNoEmptyLinesAndColumns(t *testing.T) {
	r := figurestest.Workload()
	r.Cases = slices.Clone(r.Cases)
	of := map[result.Operation][]result.Class{
		result.OperationWrite: {"create", "object close"}, result.OperationRead: {"open", "object close"},
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		if c.API == result.MPIIO {
			continue
		}
		c.Samples = slices.Clone(c.Samples)
		for k := range c.Samples {
			s := &c.Samples[k]
			for _, class := range of[s.Operation] {
				s.Classes = append(slices.DeleteFunc(slices.Clone(s.Classes),
					func(t result.ClassTime) bool { return t.Class == class }), result.ClassTime{
					Class: class, Objects: 1000, Interval: result.Interval{Max: 0.5, Mean: 0.5},
				})
			}
		}
	}
	_, text, _ := strings.Cut(tables(t, r), "\n\nObjects per second")
	text, _, _ = strings.Cut(text, "\n\nTime of each class")
	_, text, _ = strings.Cut(text, "objects have none.\n")
	const want = `processes  API    operation  created, to the close  create/s             object close/s
4          POSIX  write      990 (990 to 990)       2000 (2000 to 2000)  2000 (2000 to 2000)
4          HDF5   write      717 (717 to 723)       2000 (2000 to 2000)  2000 (2000 to 2000)

processes  API    operation  open/s               object close/s
4          POSIX  read       2000 (2000 to 2000)  2000 (2000 to 2000)
4          HDF5   read       2000 (2000 to 2000)  2000 (2000 to 2000)`
	if text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
}

// Cautions are more important than the advice how to avoid them.
func TestTheCautionsOfASummaryAreWhole(t *testing.T) {
	cautions := func(change func(*figures.Run, *result.Sample)) string {
		r := figurestest.Sweep()
		for i := range r.Cases {
			for j := range r.Cases[i].Samples {
				change(&r, &r.Cases[i].Samples[j])
			}
		}
		_, text, _ := strings.Cut(summary(t, r), "\nCaution: ")
		line, _, _ := strings.Cut(text, "\n")
		return line
	}
	marks := []result.Mark{
		result.MarkWarm, result.MarkShort, result.MarkImplausible, result.MarkStaggered,
		result.MarkShared, result.MarkDisturbed,
	}
	for _, c := range []struct {
		change func(*figures.Run, *result.Sample)
		want   string
	}{
		{func(*figures.Run, *result.Sample) {}, "warm, unpaired ratios. Use --cold, --order random."},
		{func(r *figures.Run, s *result.Sample) {
			r.Target.Type, s.Marks = "tmpfs", []result.Mark{result.MarkWarm}
		}, "target in memory, warm, unpaired ratios. Use a directory on storage (HDF5_PARAPREFIX)."},
		{func(r *figures.Run, s *result.Sample) {
			r.Target.Type, s.Marks, r.Parameters.Conditions.Sync = "tmpfs", marks, option.SyncNone
			figurestest.SetTime(s, workload.Sync, result.Interval{})
		}, "target in memory, warm, short, implausible, staggered, shared, disturbed, and 2 more."},
		{func(r *figures.Run, s *result.Sample) {
			r.Target.Type, s.Marks = "tmpfs", append(marks, result.MarkSkewed)
			r.Parameters.Conditions.Sync = option.SyncNone
			figurestest.SetTime(s, workload.Sync, result.Interval{})
			r.Cases[0].EndedBy, r.Cases[1].EndedBy = result.EndedByCap, result.EndedByDeadline
		}, "target in memory, warm, short, implausible, staggered, skewed, shared, and 5 more."},
	} {
		if got := cautions(c.change); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestASummarySaysWhereRatiosAreOfPairs(t *testing.T) {
	r := figurestest.Sweep()
	for _, c := range []struct {
		order option.CaseOrder
		want  bool
	}{{option.OrderRandom, true}, {option.OrderGiven, false}} {
		r.Parameters.Conditions.Order = c.order
		if got := strings.Contains(summary(t, r), "  in same pairs  "); got != c.want {
			t.Errorf("order %s: %v, want %v", c.order, got, c.want)
		}
	}
}

func TestFilesOfEachTransferSizeAreToldApart(t *testing.T) {
	r := figurestest.Sweep()
	for i := range r.Cases {
		r.Cases[i].Effective = &result.Effective{Files: []result.FileSize{{Name: "f", Bytes: r.Cases[i].Bytes}}}
	}
	const heading = "\nData of an iteration, and the files that rank 0 made; sizes include parts never written\n"
	_, after, _ := strings.Cut(tables(t, r), heading)
	table, _, _ := strings.Cut(after, "\n\n")
	seen := map[string]bool{}
	for line := range strings.Lines(table) {
		if seen[line] {
			t.Errorf("twice: %s", line)
		}
		seen[line] = true
	}
	if len(seen) != 1+2*3*3 {
		t.Errorf("%d lines, want those of 2 numbers of processes, 3 sizes and 3 APIs\n%s", len(seen), table)
	}
}

func TestTheReasonInATableIsTheCause(t *testing.T) {
	r := figurestest.Failed()
	r.Cases[0].Error.Message = "pwrite /a/long/path/" + strings.Repeat("d", 90) +
		".posix: 1048576 bytes at offset 25165824, 0 moved: file too large"
	const want = "  failed: pwrite: file too large\n"
	if got := plaintest.Unwrap(tables(t, r)); !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

func TestARunWithoutCases(t *testing.T) {
	r := figurestest.Failed()
	r.Cases = nil
	if got := tables(t, r); !strings.Contains(got, "\nNo case was started.\n") ||
		!strings.Contains(got, "no space left on device") {
		t.Errorf("want a word about the cases, and the error, in\n%s", got)
	}
	r = figurestest.Sweep()
	for i := range r.Cases {
		r.Cases[i].Samples = nil
	}
	if got := tables(t, r); !strings.Contains(got, "\nNo case has samples.\n") || strings.Contains(got, "started") {
		t.Errorf("of cases without samples:\n%s", got)
	}
}

func TestTextOfADocumentDoesNotSteerTheTerminal(t *testing.T) {
	r := figurestest.Failed()
	r.Machine.Host, r.Notes[0] = "n1\x1b[2J\nrun complete", "a\x1b]0;title\x07"
	r.Cases[0].Error.Message = "b\x1b[31m\r\nc"
	r.Name, r.Cases[1].API = "x\x1b[1m.json", "\x1b[5m"
	if got := tables(t, r); strings.ContainsAny(got, "\x1b\x07\r") || strings.Contains(got, "\nrun complete") {
		t.Errorf("%q", got)
	}
}

func csvRecords(t *testing.T, runs ...figures.Run) (string, [][]string) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteCSV(&b, runs); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), all
}

func TestCSV(t *testing.T) {
	short := figurestest.Sweep()
	short.Cases = short.Cases[:1]
	short.Cases[0].Samples[0].Limit = &result.ReachedTimeLimit{
		PlannedBytes: 8 << 20, LimitBytes: 1 << 20, AtLimit: result.Interval{WindowSeconds: 0.125, Max: 0.0625},
		Transfers: 2,
	}
	short.Cases[0].BarrierSkew = 2e-6
	content, _ := csvRecords(t, short, figurestest.Serial(), figurestest.Failed())
	golden(t, "samples.csv", content)
}

func TestCSVHasARowForEachSample(t *testing.T) {
	content, rows := csvRecords(t, figurestest.Sweep())
	if want := 1 + 2*3*3*2*8; len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	if n := strings.Count(content, "\r\n"); n != len(rows) {
		t.Errorf("%d ends of lines as RFC 4180 has them, want %d", n, len(rows))
	}
}

func TestCSVMakesWhatADocumentSaysHarmless(t *testing.T) {
	r := figurestest.Serial()
	r.Machine.Host, r.Identity.Label, r.Identity.Cluster = "a\"b,c", "d\ne\x1b", "=1+1"
	_, rows := csvRecords(t, r)
	want := map[string]string{"host": `a"b,c`, "label": `d; e\x1b`, "cluster": "'=1+1"}
	for i, name := range rows[0] {
		if text, there := want[name]; there && rows[1][i] != text {
			t.Errorf("%s is %q, want %q", name, rows[1][i], text)
		}
	}
}

func TestACaseWithoutFiguresHasNoneInCSV(t *testing.T) {
	r := figurestest.Failed()
	r.Cases[1].Samples = nil
	_, rows := csvRecords(t, r)
	if len(rows) != 5 {
		t.Fatalf("%d rows, want one for each case", len(rows))
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if name := rows[0][i]; (strings.HasSuffix(name, "_seconds") || strings.HasSuffix(name, "_per_second") ||
				name == "bytes") && cell != "" {
				t.Errorf("%s is %q in a case that is %s", name, cell, row[19])
			}
			if rows[0][i] == "case_reason" && cell == "" {
				t.Errorf("no reason in %q", row)
			}
		}
	}
}

func TestAnInterruptedCaseIsMarkedAsPartialInCSV(t *testing.T) {
	_, rows := csvRecords(t, figurestest.Failed())
	n := 0
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for i, name := range rows[0] {
			cells[name] = row[i]
		}
		if cells["throughput_bytes_per_second"] == "" {
			continue
		}
		n++
		if cells["case_state"] != "interrupted" || cells["complete_iterations"] != "3" ||
			cells["planned_iterations"] != "8" || !strings.Contains(cells["case_reason"], "SIGTERM") {
			t.Errorf("%q", row)
		}
	}
	if n != 6 {
		t.Errorf("%d samples, want those of 3 iterations", n)
	}
}

func TestATimeOfNothingGivesNoThroughputInTables(t *testing.T) {
	r := figurestest.Serial()
	r.Cases[0].Samples[0].Access = result.Interval{}
	content, _ := csvRecords(t, r)
	if strings.Contains(content, "Inf") || strings.Contains(content, "NaN") {
		t.Errorf("%s", content)
	}
	if text := summary(t, r); !strings.Contains(text, "Caution: 1 result without throughput, ") {
		t.Errorf("the summary does not say that a result is missing\n%s", text)
	}
	if text := summary(t, figurestest.Failed()); strings.Contains(text, "without throughput") {
		t.Errorf("a case that failed is told twice\n%s", text)
	}
}

// fullDisk is a writer whose writes fail, as on a full disk.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestAWriterOfTablesThatFails(t *testing.T) {
	runs := []figures.Run{figurestest.Sweep()}
	if err := WriteTables(fullDisk{}, runs); err == nil || !strings.Contains(err.Error(), "table: disk full") {
		t.Errorf("text: %v", err)
	}
	if err := WriteCSV(fullDisk{}, runs); err == nil || !strings.Contains(err.Error(), "CSV: disk full") {
		t.Errorf("CSV: %v", err)
	}
}
