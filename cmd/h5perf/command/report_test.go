package command_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"h5perf/pkg/page"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/plaintest"
)

// made writes invented documents to dir.
func made(t *testing.T, dir string) {
	t.Helper()
	for _, r := range []struct {
		name string
		doc  result.Document
	}{{"sweep.json", figurestest.Sweep().Document}, {"failed.json", figurestest.Failed().Document}} {
		if err := result.Write(filepath.Join(dir, r.name), r.doc); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReportOfAFileADirectoryAndAPattern(t *testing.T) {
	dir := t.TempDir()
	made(t, dir)
	for name, runs := range map[string]int{"sweep.json": 1, "": 2, "*.json": 2, "f*.json": 1} {
		status, stdout, stderr := said(t, "report", filepath.Join(dir, name))
		if status != 0 || stderr != "" || strings.Count(stdout, "\nrun ") != runs {
			t.Errorf("%q: status %d, %q, want %d runs in\n%s", name, status, stderr, runs, stdout)
		}
	}
}

func TestReportOfAFailedRunShowsReasonsAndMarkedFigures(t *testing.T) {
	dir := t.TempDir()
	made(t, dir)
	status, stdout, _ := said(t, "report", filepath.Join(dir, "failed.json"))
	if status != 0 || !strings.Contains(stdout, "failed: pwrite: no space left on device") {
		t.Errorf("status %d\n%s", status, stdout)
	}
	for line := range strings.Lines(plaintest.Unwrap(stdout)) {
		if strings.Contains(line, "iB/s") && !strings.Contains(line, "partial 3 of 8") {
			t.Errorf("a figure that is not marked: %s", line)
		}
	}
}

func TestReportAsSummaries(t *testing.T) {
	dir := t.TempDir()
	made(t, dir)
	status, stdout, stderr := said(t, "report", "--summary", dir)
	if status != 0 || stderr != "" || strings.Count("\n"+stdout, "\nSummary of run ") != 2 ||
		strings.Count(stdout, "\n\n") != 1 || !strings.HasSuffix(stdout, "Next: h5perf report "+dir+"/failed.json\n") {
		t.Errorf("status %d, %q\n%s", status, stderr, stdout)
	}
	if status, _, stderr = said(t, "report", "--summary", "--csv", dir); status != 2 {
		t.Errorf("--summary --csv: status %d, %q", status, stderr)
	}
}

func TestReportAsCSV(t *testing.T) {
	dir := t.TempDir()
	made(t, dir)
	status, stdout, _ := said(t, "report", "--csv", dir)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if want := 1 + 2*3*3*2*8 + 3*2 + 3; status != 0 || err != nil || len(rows) != want {
		t.Errorf("status %d, %v, %d rows, want %d", status, err, len(rows), want)
	}
}

func TestReportExportsSamplesAndPoints(t *testing.T) {
	dir := t.TempDir()
	made(t, dir)
	foreign := filepath.Join(dir, "foreign.json")
	if err := os.WriteFile(foreign, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, samples, _ := said(t, "report", "--csv", dir)
	const points, partial = 3 * 3 * 2 * 2, 3 + 2 // a partial case has two, the three other cases have one
	for _, c := range []struct {
		given string
		lines int
		note  string
	}{
		{"--export csv", strings.Count(samples, "\n"), ""},
		{"--export influx", 1 + points + 1, "2 results of runs that are not complete left out; use --partial"},
		{"--export ndjson", 1 + points + 1, "2 results of runs that are not complete left out; use --partial"},
		{"--export influx --partial", 1 + points + 1 + partial, ""},
		{"--export ndjson --partial", 1 + points + 1 + partial, ""},
		{"--export ndjson --label other", 0, "no run"},
		{"--export influx --min write=1T", 1 + points + 1, "floor of writes, 1.00 TiB/s: not met"},
	} {
		_, stdout, stderr := said(t, append(append([]string{"report"}, strings.Fields(c.given)...), dir)...)
		lines := strings.Count(stdout, "\n")
		if lines != c.lines || !strings.Contains(stderr, c.note) || c.lines > 0 && !strings.Contains(stderr, foreign) {
			t.Errorf("%s: %d lines, want %d; %q", c.given, lines, c.lines, stderr)
		}
		if c.given == "--export csv" && stdout != samples {
			t.Error("--export csv differs from --csv")
		}
		for line := range strings.Lines(stdout) {
			if strings.Contains(c.given, "influx") != strings.HasPrefix(line, "h5perf") ||
				strings.Contains(c.given, "ndjson") != json.Valid([]byte(line)) {
				t.Errorf("%s: %s", c.given, line)
			}
		}
	}
}

func TestReportWritesPageAndPictures(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	made(t, dir)
	page, picture := filepath.Join(out, "page.html"), filepath.Join(out, "all.png")
	for range 2 { // the second time, the files exist
		if status, stdout, stderr := said(t, "report", "--html", page, "--png", picture, dir); status != 0 ||
			stdout+stderr != "" {
			t.Fatalf("status %d, %q, %q", status, stdout, stderr)
		}
	}
	content, err := os.ReadFile(page)
	if err != nil || !strings.HasSuffix(string(content), "</html>\n") {
		t.Errorf("%v, %d bytes", err, len(content))
	}
	isPicture(t, picture)
	files(t, out, "all.png", "page.html")
	if status, stdout, _ := said(t, "report", "--html", "-", dir); status != 0 || stdout != string(content) {
		t.Errorf("status %d; standard output differs from the file", status)
	}
}

func TestReportWritesEachPictureToItsFile(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	made(t, dir)
	if status, _, stderr := said(t, "report", "--png", out, dir); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	names := []string{"layers.png", "throughput.png", "times.png"}
	files(t, out, names...)
	for _, name := range names {
		isPicture(t, filepath.Join(out, name))
	}
}

func isPicture(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.DecodeConfig(f); err != nil || img.Width < 600 || img.Height < 300 {
		t.Errorf("%s: %v, %+v", path, err, img)
	}
	_ = f.Close()
}

func files(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("%s holds %v, want %v", dir, names, want)
	}
}

func TestReportRefusesBadInput(t *testing.T) {
	dir := t.TempDir()
	made(t, dir)
	whole, err := os.ReadFile(filepath.Join(dir, "sweep.json"))
	if err != nil {
		t.Fatal(err)
	}
	var newer map[string]any
	if err := json.Unmarshal(whole, &newer); err != nil {
		t.Fatal(err)
	}
	newer["schema_version"] = 1000
	new1000, err := json.Marshal(newer)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ content, want string }{
		"truncated": {string(whole[:len(whole)/2]), "line "},
		"foreign":   {`{"packages": [1, 2]}`, "not a document of h5perf"},
		"text":      {"hello", "is not a JSON object: not a document of h5perf"},
		"NaN":       {strings.Replace(string(whole), `"iteration": 1`, `"iteration": NaN`, 1), "line "},
		"newer":     {string(new1000), "schema_version is 1000, and this program reads only 1"},
	} {
		path := filepath.Join(t.TempDir(), name+".json")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, given := range [][]string{
			{path},
			{filepath.Dir(path)},
			{"--csv", path},
			{"--html", filepath.Join(dir, "page.html"), path},
		} {
			status, stdout, stderr := said(t, append([]string{"report"}, given...)...)
			if status != 2 || stdout != "" || !strings.Contains(stderr, path) || !strings.Contains(stderr, c.want) {
				t.Errorf("%s %v: status %d, %q, %q; want the file and %q", name, given, status, stdout, stderr, c.want)
			}
		}
		status, stdout, stderr := said(t, "report", filepath.Join(dir, "sweep.json"), filepath.Dir(path)+"/*.json",
			dir)
		if status != 0 || !strings.Contains(stdout, "sweep.json") ||
			!strings.Contains(stderr, "skipped: document "+path) || !strings.Contains(stderr, c.want) {
			t.Errorf("%s beside a document: status %d, %q, %q; want its figures", name, status, stdout, stderr)
		}
	}
	empty := t.TempDir()
	for _, given := range [][]string{{empty}, {filepath.Join(empty, "none.json")}, {filepath.Join(empty, "*.json")}} {
		if status, _, stderr := said(t, append([]string{"report"}, given...)...); status != 2 ||
			!strings.Contains(stderr, given[0]) {
			t.Errorf("%v: status %d, %q", given, status, stderr)
		}
	}
	files(t, dir, "failed.json", "sweep.json")
}

func TestReportRefusesWrongUsage(t *testing.T) {
	dir := t.TempDir()
	made(t, dir)
	target := filepath.Join(dir, "target.html")
	if err := os.WriteFile(target, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.html")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	r := figurestest.Failed()
	r.Cases = r.Cases[:1]
	none := filepath.Join(t.TempDir(), "none.json")
	if err := result.Write(none, r.Document); err != nil {
		t.Fatal(err)
	}
	many := t.TempDir()
	for i := range 30 {
		r := figurestest.Sweep()
		r.RunID = fmt.Sprintf("run%02d", i)
		r.Identity.Label = r.RunID
		if err := result.Write(filepath.Join(many, r.RunID+".json"), r.Document); err != nil {
			t.Fatal(err)
		}
	}
	for want, given := range map[string][]string{
		"too many panels for one picture": {
			"--png", filepath.Join(dir, "a.png"),
			many,
		},
		"--csv and --html can't be used together":                              {"--csv", "--html", "a.html", dir},
		"--csv and --png can't be used together":                               {"--csv", "--png", "a.png", dir},
		"--csv and --export can't be used together":                            {"--csv", "--export", "influx", dir},
		"--export and --html can't be used together":                           {"--export", "csv", "--html", "-", dir},
		`--export "influxdb": must be one of csv, influx, ndjson, openmetrics`: {"--export", "influxdb", dir},
		"--partial only works with --export influx":                            {"--partial", "--export", "csv", dir},
		`no documents are given; give a file, a directory or a quoted pattern`: {},
		"no case has a complete iteration": {
			"--png", filepath.Join(dir, "a.png"),
			none,
		},
		"--html and --png would both write to": {
			"--html", "both", "--png", "both", filepath.Join(dir, "sweep.json"),
		},
		"--reference works only with --html, --png and --site": {"--reference", dir, dir},
		"--site cannot be used together with another form":     {"--site", dir, "--html", "a.html", dir},
		"--reference: stat ":            {"--reference", "missing", "--html", "a.html", dir},
		"link.html: is a symbolic link": {"--html", link, filepath.Join(dir, "sweep.json")},
	} {
		if status, _, stderr := said(t, append([]string{"report"}, given...)...); status != 2 ||
			!strings.Contains(stderr, want) {
			t.Errorf("%v: status %d, %q; want %q", given, status, stderr, want)
		}
	}
	if content, err := os.ReadFile(target); err != nil || string(content) != "mine" {
		t.Errorf("the target of the link holds %q, %v", content, err)
	}
}

func TestReportLeavesNothingWhereItCannotWrite(t *testing.T) {
	dir := t.TempDir()
	made(t, dir)
	path := filepath.Join(dir, "missing", "page.html")
	if status, _, stderr := said(t, "report", "--html", path, dir); status != 2 ||
		!strings.Contains(stderr, filepath.Dir(path)) {
		t.Errorf("status %d, %q", status, stderr)
	}
	files(t, dir, "failed.json", "sweep.json")
}

func TestASiteOnAFullDiskHasWholePagesOnly(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	made(t, dir)
	if err := unix.Mount("none", out, "tmpfs", 0, "size=128k"); err != nil {
		t.Skipf("no small file system can be mounted: %v", err)
	}
	defer func() { _ = unix.Unmount(out, 0) }()
	const wrong = "no space left on device"
	if status, _, stderr := said(t, "report", "--site", out, dir); status != 1 || strings.Count(stderr, wrong) != 1 {
		t.Errorf("status %d, %q, want once %q", status, stderr, wrong)
	}
	pages, err := os.ReadDir(out)
	for _, p := range pages {
		text, readErr := os.ReadFile(filepath.Join(out, p.Name()))
		if readErr != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "</html>") {
			t.Errorf("%s is no whole page, %v", p.Name(), readErr)
		}
	}
	if err != nil || len(pages) > 1 {
		t.Errorf("%d pages, %v", len(pages), err)
	}
}

func TestReportReplacesItsOwnFilesAlone(t *testing.T) {
	dir := t.TempDir()
	made(t, dir)
	for option, name := range map[string]string{"--html": "page.html", "--png": "a.png"} {
		path := filepath.Join(t.TempDir(), name)
		for range 2 { // the second time, the file exists
			if status, _, stderr := said(t, "report", option, path, dir); status != 0 {
				t.Errorf("%s: status %d, %q", option, status, stderr)
			}
		}
		if err := errors.Join(os.WriteFile(path, []byte("mine"), 0), os.Chmod(path, 0o600)); err != nil {
			t.Fatal(err)
		}
		if status, _, stderr := said(t, "report", option, path, dir); status != 2 ||
			!strings.Contains(stderr, path) || !strings.Contains(stderr, "--force") {
			t.Errorf("%s: status %d, %q", option, status, stderr)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
			t.Errorf("%s: the file holds %q, %v", option, text, err)
		}
		if status, _, stderr := said(t, "report", "--force", option, path, dir); status != 0 {
			t.Errorf("%s --force: status %d, %q", option, status, stderr)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 || info.Size() < 1000 {
			t.Errorf("%s --force: %v, %v", option, info, err)
		}
	}
}

func TestAPageOfTooMuchIsRefused(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	many := func(name string, runs, samples int) string {
		to := filepath.Join(dir, name)
		if err := os.Mkdir(to, 0o755); err != nil {
			t.Fatal(err)
		}
		doc := figurestest.Serial().Document
		doc.Cases = doc.Cases[:1]
		doc.Cases[0].Samples = slices.Repeat(doc.Cases[0].Samples[:1], samples)
		for i := range runs {
			doc.RunID = fmt.Sprint(i)
			doc.Identity.Label = doc.RunID // no run has a later one with the same conditions
			var text bytes.Buffer
			if err := result.Encode(&text, doc); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(to, doc.RunID+".json"), text.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return to
	}
	runs, samples := many("runs", page.MaxRuns+1, 1), many("samples", 2, page.MaxSamples/2+1)
	for _, c := range []struct {
		status int
		want   string
		words  []string
	}{
		{2, fmt.Sprintf("%d runs are too many: pages and pictures show at most", page.MaxRuns+1), []string{runs}},
		{2, fmt.Sprintf("more than %d samples", page.MaxSamples), []string{samples}},
		{2, "select some by --latest", []string{runs}},
		{0, "", []string{"--label", "1", runs}},
	} {
		for _, form := range []string{"--html", "--png"} {
			file := filepath.Join(out, "file")
			status, _, stderr := said(t, append([]string{"report", form, file}, c.words...)...)
			err := os.Remove(file)
			if status != c.status || !strings.Contains(stderr, c.want) || (err == nil) != (status == 0) {
				t.Errorf("%s %v: status %d, %q, %v; want %d and %q", form, c.words, status, stderr, err, c.status,
					c.want)
			}
		}
	}
	if status, stdout, _ := said(t, "report", runs); status != 0 || strings.Count(stdout, "\nrun ") != page.MaxRuns+1 {
		t.Errorf("the table: status %d, %d runs", status, strings.Count(stdout, "\nrun "))
	}
}

func TestReportShowsRunsOverTime(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	for i := range 30 {
		middle := 1e9
		if i >= 18 {
			middle = 0.8e9
		}
		stored(t, dir, i, steady(middle*(1+0.01*float64(i*7%5)), 5)...)
	}
	if status, _, stderr := said(t, "reference", "set", "--in", dir, "--note", "acceptance", "run00003"); status != 0 {
		t.Fatal(stderr)
	}
	document := func(night int) string { return filepath.Join(dir, fmt.Sprintf("run%05d.json", night)) }
	_, changes, _ := said(t, "trend", dir)
	if !strings.Contains(changes, "-20.") {
		t.Fatalf("no change in\n%s", changes)
	}
	for _, c := range []struct {
		words           []string
		over, reference bool
	}{
		{[]string{dir}, true, true},
		{[]string{filepath.Join(dir, "*.json")}, true, false},
		{[]string{"--reference", dir, filepath.Join(dir, "*.json")}, true, true},
		{[]string{document(3)}, false, false},
	} {
		status, stdout, stderr := said(t, append([]string{"report", "--html", "-"}, c.words...)...)
		if status != 0 || strings.Contains(stdout, `<section id="over-time"`) != c.over ||
			strings.Contains(stdout, ">-20.") != c.over || strings.Contains(stdout, ": acceptance") != c.reference ||
			strings.Count(stdout, `<section id="run-`) != 1 {
			t.Errorf("%v: status %d, %s", c.words, status, stderr)
		}
	}
	if status, _, stderr := said(t, "report", "--html", "-", "--reference", elsewhere, dir); status != 2 ||
		!strings.Contains(stderr, "no reference is set there") {
		t.Errorf("a tree without a reference: status %d, %s", status, stderr)
	}
	picture := filepath.Join(elsewhere, "all.png")
	if status, _, stderr := said(t, "report", "--png", picture, dir); status != 0 {
		t.Errorf("status %d, %s", status, stderr)
	}
	isPicture(t, picture)
}

func TestRunsThatWereMeasuredInTurnsAreNotShownOverTime(t *testing.T) {
	dir := t.TempDir()
	for i, arm := range result.ValuesOf[result.Arm]()[:2] {
		r := figurestest.Sweep()
		r.RunID, r.Pair = fmt.Sprint("arm", i), &result.Pair{Arm: arm, PartnerRunID: fmt.Sprint("arm", 1-i)}
		if err := result.Write(filepath.Join(dir, r.RunID+".json"), r.Document); err != nil {
			t.Fatal(err)
		}
	}
	status, stdout, stderr := said(t, "report", "--html", "-", dir)
	if status != 0 || strings.Contains(stdout, "over-time") || strings.Count(stdout, `<section id="run-`) != 2 {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func TestASiteHasAPageOfEachRunAndFileSystem(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	for i := range 20 {
		middle := 1e9
		if i >= 12 {
			middle = 0.5e9
		}
		stored(t, dir, i, steady(middle*(1+0.01*float64(i*7%5)), 5)...)
	}
	write := func(want string) {
		t.Helper()
		status, stdout, stderr := said(t, "report", "--site", out, dir)
		if status != 0 || stderr != "" || !strings.HasSuffix(stdout, want+"\n") {
			t.Errorf("status %d, %q, %q; want %q", status, stdout, stderr, want)
		}
	}
	write("index.html: 22 pages written, 0 not changed")
	write("index.html: 0 pages written, 22 not changed")
	index, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`href="([^"#:]+)"`).FindAllStringSubmatch(string(index), -1)
	seen := map[string]bool{}
	for _, link := range links {
		seen[link[1]] = true
		content, err := os.ReadFile(filepath.Join(out, link[1]))
		if err != nil || !strings.Contains(string(content), `<a href="index.html">all file systems</a>`) {
			t.Errorf("%s: %v, or no link to the index", link[1], err)
		}
	}
	if len(seen) != 21 {
		t.Errorf("links to %d pages, want one of each of 20 runs, and one of the file system", len(seen))
	}
	stored(t, dir, 20, steady(0.5e9, 5)...)
	write("index.html: 3 pages written, 20 not changed")
	mine := filepath.Join(out, "index.html")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	stored(t, dir, 21, steady(0.5e9, 5)...)
	before, _ := os.ReadDir(out)
	if status, _, stderr := said(t, "report", "--site", out, dir); status != 2 ||
		!strings.Contains(stderr, "--site "+out+": page "+mine+": exists, and is not a page of h5perf") {
		t.Errorf("a foreign file: status %d, %q", status, stderr)
	}
	if after, _ := os.ReadDir(out); len(after) != len(before) {
		t.Errorf("a foreign file: %d files, then %d", len(before), len(after))
	}
	if status, _, stderr := said(t, "report", "--site", filepath.Join(out, "missing"), dir); status != 2 ||
		!strings.Contains(stderr, "not a directory; create it") {
		t.Errorf("a missing directory: status %d, %q", status, stderr)
	}
}

func TestAReferenceAboveTheDocumentsIsUsed(t *testing.T) {
	tree := t.TempDir()
	dir := filepath.Join(tree, "cluster", "filesystem", "label")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		stored(t, dir, i, steady(1e9*(1+0.01*float64(i*7%5)), 5)...)
	}
	if status, _, stderr := said(t, "reference", "set", "--in", tree, "--note", "acceptance", "run00003"); status != 0 {
		t.Fatal(stderr)
	}
	for _, words := range [][]string{{"trend", dir}, {"report", "--html", "-", dir}} {
		if status, stdout, stderr := said(t, words...); status != 0 || !strings.Contains(stdout, "acceptance") {
			t.Errorf("%s: status %d, %s; no reference", words, status, stderr)
		}
	}
}

// writeVariants writes documents of variants that were measured in turns, in a stage of h5perf tune or in none. Their
// times are multiplied by factors.
func writeVariants(t *testing.T, dir string, stage result.TuneStage, iterations int, factors ...float64) {
	t.Helper()
	for i, factor := range factors {
		r := figurestest.Workload()
		r.RunID, r.Pair = fmt.Sprint(stage, "arm", i), &result.Pair{
			Arm:          result.ValuesOf[result.Arm]()[i],
			PartnerRunID: fmt.Sprint(stage, "arm0"), Variant: fmt.Sprint("variant", i),
			TunePart: result.TunePart{Stage: stage},
		}
		c := r.Cases[2]
		c.Samples = nil
		for n := range iterations {
			for _, s := range r.Cases[2].Samples[:2] {
				s.Iteration = n + 1
				s.Access.WindowSeconds *= factor * (1 + 0.01*float64(n*5%7))
				c.Samples = append(c.Samples, s)
			}
		}
		r.Cases, r.Parameters.Iterations = []result.Case{c}, iterations
		if err := result.Write(filepath.Join(dir, r.RunID+".json"), r.Document); err != nil {
			t.Fatal(err)
		}
	}
}

// A page about a search draws its races, without a conclusion, and concludes only from the hold-out.
func TestAPageOfATuningDrawsItsRaces(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	writeVariants(t, dir, result.TuneSearch, 12, 1, 0.5, 2)
	writeVariants(t, dir, result.TuneHoldOut, 12, 1, 0.8)
	writeVariants(t, dir, result.TuneHalf, 10, 1, 0.9)
	file := filepath.Join(out, "x.html")
	if status, _, stderr := said(t, "report", "--html", file, "--png", out, dir); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := html.UnescapeString(string(content))
	for _, want := range []string{
		"Tuning (search) of the workload ", "measured to the end", "mean time: compared with variant0 against round",
		"Tuning (hold-out) of the workload ", "Confirmed: variant1 takes 20.0 % less time (",
		"Tuning (half) of the workload ",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	for _, never := range []string{"-50.0 %", "+100.0 %", "B is "} {
		if strings.Contains(page, never) {
			t.Errorf("%q on the page", never)
		}
	}
}

func TestAPageOfManyVariantsRanksThem(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	writeVariants(t, dir, "", 12, 1, 0.5, 2)
	file := filepath.Join(out, "x.html")
	if status, _, stderr := said(t, "report", "--html", file, "--png", out, dir); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := html.UnescapeString(string(content))
	for _, want := range []string{"the fastest first", ">-50.0 % (-", ">+100.0 % ("} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	if n := strings.Count(page, "<h3>Throughput</h3>"); n != 3 || strings.Count(page, "<summary>Its "+
		"figures</summary>") != 3 {
		t.Errorf("%d runs in detail, want 3 folded ones", n)
	}
}

func TestTheTextOfATreeRanksVariantsLikeThePage(t *testing.T) {
	dir := t.TempDir()
	writeVariants(t, dir, "", 12, 1, 0.5, 2)
	status, stdout, stderr := said(t, "report", dir)
	text := plaintest.Unwrap(stdout)
	for _, want := range []string{"\nVariants of the ", ", the fastest first\n", "-50.0 % (-", "+100.0 % ("} {
		if status != 0 || strings.Count(text, want) != 1 {
			t.Errorf("status %d, %s, not once %q in\n%s", status, stderr, want, text)
		}
	}
	_, stdout, _ = said(t, "report", "--summary", dir)
	for _, want := range []string{"\nA: variant0, ", "\nB: variant1, ", "\nC: variant2, "} {
		if strings.Count(stdout, want) != 1 {
			t.Errorf("not once %q in\n%s", want, stdout)
		}
	}
}

func TestThePageOfAWorkloadDrawsWhoWritesWhat(t *testing.T) {
	const script = `"""A test."""
n = size(6, "columns")
def write(job):
    f = job.create("f")
    f.create_dataset("d", "i4", (job.ranks, n)).write(block(grid = (job.ranks, 1)))
    f.close()
`
	pageOf := func(text string, ranks ...int) string {
		dir := t.TempDir()
		for i, n := range ranks {
			doc := figurestest.Workload().Document
			doc.RunID, doc.Identity.Label = doc.RunID+fmt.Sprint(i), fmt.Sprint(i)
			doc.Job.Processes, doc.Job.Nodes = n, n/2
			doc.Parameters.Workload = &result.Workload{
				Name: "own", Text: text, Requested: []result.KeyValue{{Key: "n", Value: "9"}},
			}
			if err := result.Write(filepath.Join(dir, fmt.Sprint(i, ".json")), doc); err != nil {
				t.Fatal(err)
			}
		}
		status, stdout, stderr := said(t, "report", "--html", "-", dir)
		if status != 0 {
			t.Fatalf("status %d, %s", status, stderr)
		}
		return stdout
	}
	content := pageOf(script, 2, 2, 64)
	for want, n := range map[string]int{
		"<h2>Who writes what ": 1, "<h3>own, 2 ranks on 1 node</h3>": 1,
		"<h3>own, 4 ranks on 2 nodes instead of 64 on 32</h3>": 1, "f:/d [2, 9]:\n": 1, "f:/d [4, 9]:\n": 1,
		"  |01| 2": 1, "  |0123| 4": 1, "the rank that writes it": 2,
	} {
		if got := strings.Count(content, want); got != n {
			t.Errorf("%d times %q, want %d, in\n%s", got, want, n, content)
		}
	}
	if content := pageOf("not a script", 2); strings.Contains(content, "Who writes what") {
		t.Error("a drawing of a workload that cannot run")
	}
}
