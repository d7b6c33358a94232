package command_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
)

// falling returns a tree with 30 daily runs. From the 21st run on, throughput is lower by 20 %.
func falling(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 30 {
		middle := 1e9 * (1 + 0.001*float64(i*7%30))
		if i >= 20 {
			middle *= 0.8
		}
		stored(t, dir, i, steady(middle, 5)...)
	}
	return dir
}

// failed changes the document of a run to that of a failed run.
func failed(t *testing.T, path string) {
	t.Helper()
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	doc.State, doc.Errors = result.Failed, []result.Error{{Message: "no space left on device"}}
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
}

func TestTrendAsText(t *testing.T) {
	dir := falling(t)
	bad := filepath.Join(dir, "run00007.json")
	failed(t, bad)
	status, stdout, stderr := said(t, "trend", dir)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, want := range []string{
		"29 runs from 2026-03-01 02:00 to 2026-03-30 02:00; 1 not used", bad + " no space left on device",
		"worse", "write, POSIX, 4 processes, 1 MiB, c, /scratch, nightly", "2026-03-21 02:00", "-20.",
		"1 series: 1 with a lasting change, 0 with an incident. 0 groups",
	} {
		if !strings.Contains(plaintest.Unwrap(stdout), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestATrendOfTooFewRunsHasNoTable(t *testing.T) {
	_, stdout, _ := said(t, "trend", stored(t, t.TempDir(), 0, 1<<30))
	if !strings.Contains(stdout, "\n1 series: too few runs to look for a change; the longest has 1 run, and needs "+
		"9 more.\n") ||
		strings.Contains(stdout, "verdict") || strings.Contains(stdout, "Would show") {
		t.Errorf("a table without changes\n%s", stdout)
	}
	_, stdout, _ = said(t, "trend", "--nightly", stored(t, t.TempDir(), 0, 1<<30))
	if !strings.Contains(stdout, "the longest has 1 run, and needs 13 more.\n") {
		t.Errorf("the number for a nightly search is wrong\n%s", stdout)
	}
	_, stdout, _ = said(t, "trend", falling(t))
	for line := range strings.Lines(stdout) {
		if strings.HasPrefix(line, "worse") && strings.Contains(line, "-20 % after") {
			t.Errorf("what could be shown beside what was found: %s", line)
		}
	}
}

// swept returns a tree with 30 daily runs of writes and reads. From the 21st run on, reads are slower by a third.
func swept(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 30 {
		middle := 1e9 * (1 + 0.01*float64(i*7%30)/30)
		path := stored(t, dir, i, steady(middle, 5)...)
		doc, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range doc.Cases[0].Samples {
			sample.Operation = result.OperationRead
			if i >= 20 {
				sample.Access.WindowSeconds *= 1.5
				sample.Access.Max *= 1.5
			}
			doc.Cases[0].Samples = append(doc.Cases[0].Samples, sample)
		}
		if err := result.Write(path, doc); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTrendTellsOfGroups(t *testing.T) {
	status, stdout, stderr := said(t, "trend", "--nightly", swept(t))
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, want := range []string{
		"all 2 series, c, /scratch, nightly", "read, POSIX, 4 processes, 1 MiB, c, /scratch", "would show",
		"%; -20 % after 2 runs",
		"2 series: 1 with a lasting change, 0 with an incident. 1 group of series: 1 with a lasting change, 0 with an",
		"If nothing changes, the probability of a false alarm in a year is at most 5 %",
	} {
		if !strings.Contains(plaintest.Unwrap(stdout), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

func TestTrendFailsOnWorse(t *testing.T) {
	dir := swept(t)
	for percent, want := range map[string]int{"30": 1, "40": 0, "101": 2, "-1": 2} {
		status, _, stderr := said(t, "trend", "--fail-on-worse="+percent, dir)
		if status != want {
			t.Errorf("--fail-on-worse %s: status %d, want %d: %s", percent, status, want, stderr)
		}
		if want == 1 && (!strings.Contains(stderr, "h5perf: read, POSIX") ||
			!strings.Contains(stderr, "worse by 33.3 % since 2026-03-21 02:00")) {
			t.Errorf("stderr: %s", stderr)
		}
	}
	rising := t.TempDir()
	for i := range 30 {
		stored(t, rising, i, steady(1e9*(1+float64(i/20)), 5)...)
	}
	if status, _, stderr := said(t, "trend", "--fail-on-worse=0", rising); status != 0 {
		t.Errorf("a rise: status %d, %s", status, stderr)
	}
}

// A reference accepts only the changes before its last run. It must not hide a later fall. It must not hide a fall in
// series with other conditions either: no run of the reference belongs to them.
func TestAReferenceDoesNotHideALaterFall(t *testing.T) {
	same := t.TempDir()
	for i := range 40 {
		middle := 1e9
		if i >= 24 {
			middle = 0.6e9
		}
		stored(t, same, i, steady(middle*(1+0.01*float64(i%3)), 5)...)
	}
	status := func(dir string, runs ...string) (int, string) {
		words := append([]string{"reference", "set", "--in", dir, "--note", "x"}, runs...)
		code, _, stderr := said(t, words...)
		if code != 0 {
			t.Fatal(stderr)
		}
		code, _, stderr = said(t, "trend", "--fail-on-worse=10", dir)
		return code, stderr
	}
	if code, stderr := status(same, "run00003"); code != 1 {
		t.Errorf("a fall after the reference, which has one run: status %d, %s", code, stderr)
	}
	for _, runs := range [][]string{{"run00030", "run00031"}, {"run00039"}} {
		if code, stderr := status(same, runs...); code != 0 {
			t.Errorf("a fall before the runs %v of the reference: status %d, %s", runs, code, stderr)
		}
	}
	other := t.TempDir()
	for i := range 40 { // half of the nights have other conditions, and the fall is in these
		middle := 1e9
		if i%2 > 0 && i > 20 {
			middle = 0.5e9
		}
		path := stored(t, other, i, steady(middle*(1+0.01*float64(i%3)), 5)...)
		if i%2 == 0 {
			continue
		}
		doc, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		doc.Parameters.Conditions.Sync = "close"
		if err := result.Write(path, doc); err != nil {
			t.Fatal(err)
		}
	}
	code, stderr := status(other, "run00002", "run00004", "run00006")
	if code != 1 || !strings.Contains(stderr, "worse by") {
		t.Errorf("a fall in series that have no run of the reference: status %d, %s", code, stderr)
	}
}

func TestTrendAsJSON(t *testing.T) {
	status, stdout, _ := said(t, "trend", "--json", falling(t))
	var got history.Trend
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != 0 {
		t.Fatalf("status %d, %v", status, err)
	}
	if got.Version != 1 || got.Runs != 30 || got.Series[0].ChangePoints[0].RunID != "run00020" ||
		got.Series[0].Verdict != history.Worse {
		t.Errorf("%+v", got)
	}
}

// TestTrendAsCSV checks the format that Apache Otava reads: ISO 8601 times, and a number in each cell of a metric.
func TestTrendAsCSV(t *testing.T) {
	_, stdout, _ := said(t, "trend", "--csv", falling(t))
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0],
		" "); got != "time run_id cluster filesystem label write_posix_4_1048576_bytes_per_second" {
		t.Errorf("columns %s", got)
	}
	if len(rows) != 31 {
		t.Fatalf("%d rows, want a header and 30", len(rows))
	}
	for i, row := range rows[1:] {
		at, err := time.Parse(time.RFC3339, row[0])
		if err != nil || !at.Equal(firstStart.AddDate(0, 0, i)) {
			t.Errorf("row %d: time %s, %v", i, row[0], err)
		}
		if f, err := strconv.ParseFloat(row[5], 64); err != nil || f < 0.7e9 || f > 1.1e9 {
			t.Errorf("row %d: %s, %v", i, row[5], err)
		}
	}
}

func TestTrendOfFailedRunsAloneIsNoSuccess(t *testing.T) {
	dir := t.TempDir()
	path := stored(t, dir, 0, 1e9)
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	doc.State = result.Failed
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := said(t, "trend", dir); status != 1 || !strings.Contains(stdout, "not used") ||
		!strings.Contains(stderr, "no run has throughputs") || strings.Contains(stdout, "verdict") ||
		!strings.Contains(plaintest.Unwrap(stdout), path+"; use --partial") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}

func TestTrendTakesWhatIsPartialWhereAsked(t *testing.T) {
	dir := falling(t)
	path := stored(t, dir, 100, 1e9)
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	doc.State, doc.Cases[0].State = result.Interrupted, result.Interrupted
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
	figures := len(doc.Cases[0].Points())
	for option, want := range map[string]bool{"--nightly": true, "--partial": false} {
		status, stdout, stderr := said(t, "trend", option, dir)
		told := fmt.Sprintf("; use --partial to include its %d figure", figures)
		stdout = plaintest.Unwrap(stdout)
		used := strings.Contains(stdout, "partial: 2") && strings.Contains(stdout, " interrupted "+path+": ")
		if status != 0 || strings.Contains(stdout, told) != want || used == want || figures == 0 {
			t.Errorf("%s: status %d, %s%s", option, status, stdout, stderr)
		}
	}
}

func TestTrendSelects(t *testing.T) {
	status, _, stderr := said(t, "trend", "--cluster", "other", falling(t))
	if status != 2 || !strings.Contains(stderr, `no run has the cluster "other"; clusters here: c`) {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func TestTrendRefusesBadInput(t *testing.T) {
	dir := t.TempDir()
	if status, _, stderr := said(t, "trend", dir); status != 2 ||
		!strings.Contains(stderr, dir+": no results found (h5perf looks for .json files and ignores schemas)") {
		t.Errorf("an empty tree: status %d, %s", status, stderr)
	}
	stored(t, dir, 0, 1e9)
	if status, _, stderr := said(t, "trend", "--reference", dir, dir); status != 2 ||
		!strings.Contains(plaintest.Unwrap(stderr), "--reference "+dir+": no reference is set there; 'h5perf "+
			"reference set") {
		t.Errorf("a tree without a reference: status %d, %s", status, stderr)
	}
	bad := filepath.Join(dir, "x.json")
	if err := os.WriteFile(bad, []byte("{\n\"schema_version\": 1, oops"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := said(t, "trend", dir); status != 0 ||
		!strings.Contains(plaintest.Unwrap(stdout), "; 1 file skipped\n") ||
		!strings.Contains(stderr, "skipped: document "+bad+": line 2, column") {
		t.Errorf("a broken document beside a good one: status %d, %s%s", status, stdout, stderr)
	}
	if status, _, stderr := said(t, "trend", bad); status != 2 || !strings.Contains(stderr, bad+": line 2, column") {
		t.Errorf("a broken document: status %d, %s", status, stderr)
	}
	if status, stdout, _ := said(t, "trend", filepath.Join(dir, "run00000.json")); status != 0 ||
		!strings.Contains(stdout, "too few runs") {
		t.Errorf("one run: status %d, %s", status, stdout)
	}
}

// TestColumnsOfPointsThatDiffer stores runs that differ in conditions other than those of the tests above.
func TestColumnsOfPointsThatDiffer(t *testing.T) {
	dir := t.TempDir()
	for i, change := range []func(*result.Document){
		func(*result.Document) {},
		func(d *result.Document) { d.Cases[0].Nodes = 2 },
		func(d *result.Document) { d.Parameters.Conditions.Direct = true },
		func(d *result.Document) { d.Cases[0].BufferBytes = 1 << 22 },
		func(d *result.Document) { d.Parameters.ChunkSize = []uint64{1 << 40, 1 << 40, 1 << 40} },
	} {
		path := stored(t, dir, i, steady(1e9, 5)...)
		doc, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		change(&doc)
		if err := result.Write(path, doc); err != nil {
			t.Fatal(err)
		}
	}
	_, stdout, _ := said(t, "trend", "--csv", dir)
	header, _, _ := strings.Cut(stdout, "\n")
	names := strings.Split(header, ",")[5:]
	for _, name := range names {
		if !regexp.MustCompile(`^write_posix_4_1048576_[a-z0-9_]+_bytes_per_second$`).MatchString(name) {
			t.Errorf("column %q", name)
		}
	}
	if len(names) != 5 || len(slices.Compact(slices.Sorted(slices.Values(names)))) != 5 ||
		!strings.Contains(header, "_2_nodes_") || !strings.Contains(header, "_1_nodes_direct_") ||
		!regexp.MustCompile("_1_nodes_chunk_bytes_[0-9a-f]{6}_no_direct_bytes_per_second").MatchString(header) {
		t.Errorf("columns %q", names)
	}
}

func TestColumnsHaveNamesThatToolsTake(t *testing.T) {
	dir := swept(t)
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := result.Read(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range doc.Cases[0].Samples {
		if s := &doc.Cases[0].Samples[i]; s.Operation == result.OperationRead {
			s.Marks = []result.Mark{result.MarkWarm}
		}
	}
	if err := result.Write(paths[0], doc); err != nil {
		t.Fatal(err)
	}
	_, stdout, stderr := said(t, "trend", "--csv", dir)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil || len(rows) != 31 {
		t.Fatalf("%d rows, %v, %s", len(rows), err, stderr)
	}
	want := "time run_id cluster filesystem label write_posix_4_1048576_bytes_per_second " +
		"read_posix_4_1048576_warm_bytes_per_second read_posix_4_1048576_bytes_per_second"
	if got := strings.Join(rows[0], " "); got != want {
		t.Errorf("columns %s", got)
	}
}
