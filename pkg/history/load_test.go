package history_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

var day = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

// store writes a document to a path below dir. Its run started the given number of days after day.
func store(t testing.TB, dir, path string, days int, cluster string) string {
	t.Helper()
	path = filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	doc := result.Document{
		SchemaVersion: result.Version, RunID: filepath.Base(path), State: result.Complete,
		Started:  day.AddDate(0, 0, days),
		Identity: result.Identity{Cluster: cluster, Filesystem: "/scratch", Label: "nightly"},
	}
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
	return path
}

// write writes text to a path below dir.
func write(t testing.TB, dir, path, text string) string {
	t.Helper()
	path = filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// documentTree returns a directory with four documents and with other files.
func documentTree(t testing.TB) string {
	dir := t.TempDir()
	store(t, dir, "a/x/3.json", 3, "a")
	store(t, dir, "a/y/1.json", 1, "a")
	store(t, dir, "b/x/2.json", 2, "b")
	store(t, dir, "0.json", 0, "b")
	write(t, dir, "README.md", "no document")
	write(t, dir, "schema/v.schema.json", "{}")
	write(t, dir, "a/.3.json.ABC", "{")
	write(t, dir, "a/.half.json", "{")
	write(t, dir, ".git/x.json", "{")
	return dir
}

func names(records []history.Record) string {
	var all []string
	for _, r := range records {
		all = append(all, strings.TrimSuffix(filepath.Base(r.Path), ".json"))
	}
	return strings.Join(all, " ")
}

func TestLoadFindsDocumentsInTheOrderOfTheirStart(t *testing.T) {
	dir := documentTree(t)
	one := filepath.Join(dir, "a/x/3.json")
	for name, want := range map[string]string{
		one:                             "3",
		dir:                             "0 1 2 3",
		filepath.Join(dir, "a"):         "1 3",
		filepath.Join(dir, "*.json"):    "0",
		filepath.Join(dir, "*", "x"):    "2 3",
		filepath.Join(dir, "**", "x"):   "2 3",
		filepath.Join(dir, "{a,b}"):     "1 2 3",
		dir + "/**/*.json":              "0 1 2 3",
		filepath.Join(dir, "[ab]/?/**"): "1 2 3",
	} {
		got, _, err := history.Load(name)
		if err != nil || names(got) != want {
			t.Errorf("%s: %s (%v), want %s", name, names(got), err, want)
		}
	}
	if got, _, err := history.Load(one, dir, one); err != nil || names(got) != "0 1 2 3" {
		t.Errorf("several names: %s (%v), want each document once", names(got), err)
	}
}

func TestALinkToATreeIsOneAndLinksWithinAreNotFollowed(t *testing.T) {
	dir := documentTree(t)
	link := filepath.Join(t.TempDir(), "results")
	if err := errors.Join(os.Symlink(dir, link), os.Symlink(dir, filepath.Join(dir, "again"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{link, link + "/", filepath.Join(filepath.Dir(link), "*")} {
		got, skipped, err := history.Load(name)
		if err != nil || names(got) != "0 1 2 3" || filepath.Dir(got[0].Path) != link || len(skipped) != 0 {
			t.Errorf("%s: %s, skipped %v (%v)", name, names(got), skipped, err)
		}
	}
}

func TestALinkToAnotherTreeIsSkippedWithAReason(t *testing.T) {
	dir := documentTree(t)
	link := filepath.Join(dir, "other")
	if err := os.Symlink(documentTree(t), link); err != nil {
		t.Fatal(err)
	}
	got, skipped, err := history.Load(dir)
	if err != nil || names(got) != "0 1 2 3" || len(skipped) != 1 || skipped[0].Path != link ||
		!strings.Contains(skipped[0].Reason, "a symbolic link to a directory is not followed; name it to read it") {
		t.Errorf("%s, skipped %v (%v)", names(got), skipped, err)
	}
}

func TestAFileNamedLikeAPatternIsAFile(t *testing.T) {
	dir := t.TempDir()
	path := store(t, dir, "run[1].json", 0, "a")
	store(t, dir, "run1.json", 0, "a")
	if got, _, err := history.Load(path); err != nil || names(got) != "run[1]" {
		t.Errorf("%s (%v)", names(got), err)
	}
}

func TestCollectSelects(t *testing.T) {
	dir := documentTree(t)
	for name, c := range map[string]struct {
		selection history.Selection
		want      string
	}{
		"all":      {history.Selection{}, "0.json 1.json 2.json 3.json"},
		"since":    {history.Selection{Since: day.AddDate(0, 0, 1)}, "1.json 2.json 3.json"},
		"until":    {history.Selection{Until: day.AddDate(0, 0, 1)}, "0.json"},
		"between":  {history.Selection{Since: day.AddDate(0, 0, 1), Until: day.AddDate(0, 0, 3)}, "1.json 2.json"},
		"cluster":  {history.Selection{Identity: result.Identity{Cluster: "b"}}, "0.json 2.json"},
		"latest":   {history.Selection{Latest: 1}, "2.json 3.json"},
		"latest 3": {history.Selection{Latest: 3}, "0.json 1.json 2.json 3.json"},
	} {
		got, _, err := history.Collect(c.selection, func(r history.Record) string { return r.RunID }, dir)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v (%v), want %s", name, got, err, c.want)
		}
	}
}

func TestBadInputIsNamed(t *testing.T) {
	dir := documentTree(t)
	empty := t.TempDir()
	for name, c := range map[string]struct{ path, want string }{
		"cut short": {
			write(t, dir, "bad/cut.json", "{\n  \"schema_version\": 1,\n  \"run"), "bad/cut.json: line 3, column ",
		},
		"foreign": {
			write(t, dir, "foreign/package.json", `{"name": "left-pad"}`),
			"package.json: no schema_version of 1 or more: not a document of h5perf",
		},
		"newer": {
			write(t, dir, "newer/run.json", `{"schema_version": 1000}`),
			"run.json: schema_version is 1000, and this program reads only 1",
		},
		"empty tree": {empty, empty + ": no results found (h5perf looks for .json files and ignores schemas)"},
		"no match": {
			filepath.Join(dir, "z*"), "z*: no results found (h5perf looks for .json files and ignores schemas)",
		},
		"no such": {filepath.Join(dir, "none.json"), "none.json: no such file or directory"},
		"pattern": {filepath.Join(dir, "[a"), "[a: syntax error in pattern"},
	} {
		if _, _, err := history.Load(c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestFilesThatAreNoDocumentsAreSkipped(t *testing.T) {
	dir := documentTree(t)
	cut := write(t, dir, "bad/cut.json", "{\n  \"schema_version\": 1,\n  \"run")
	foreign := write(t, dir, "foreign/package.json", `{"name": "left-pad"}`)
	got, skipped, err := history.Load(dir)
	if err != nil || names(got) != "0 1 2 3" {
		t.Errorf("%s (%v), want all documents", names(got), err)
	}
	if len(skipped) != 2 || skipped[0].Path != cut || skipped[1].Path != foreign ||
		!strings.Contains(skipped[0].Reason, "cut.json: line 3, column ") ||
		!strings.Contains(skipped[1].Reason, "package.json: no schema_version") {
		t.Errorf("skipped %+v", skipped)
	}
	if _, skipped, err := history.Load(filepath.Join(dir, "bad"), filepath.Dir(foreign)); err == nil || skipped != nil {
		t.Errorf("no document at all: skipped %v, error %v", skipped, err)
	}
	if _, _, err := history.Load(dir, foreign); err == nil || !strings.Contains(err.Error(), "no schema_version") {
		t.Errorf("a file whose name is given: error %v", err)
	}
}

func TestAnythingButAFileIsSkipped(t *testing.T) {
	dir := documentTree(t)
	pipe, dangling := filepath.Join(dir, "a", "pipe.json"), filepath.Join(dir, "b", "dangling.json")
	if err := errors.Join(unix.Mkfifo(pipe, 0o600), os.Symlink("nowhere", dangling)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, dir + "/**/*.json"} {
		got, skipped, err := history.Load(name)
		if err != nil || names(got) != "0 1 2 3" || len(skipped) != 2 || skipped[0].Path != pipe ||
			skipped[1].Path != dangling || !strings.Contains(skipped[1].Reason, "no such file") {
			t.Errorf("%s: %s (%v), skipped %v", name, names(got), err, skipped)
		}
	}
}

func TestANameWithoutDocumentsIsNotBlamedOnAnother(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a/x.json", "{}")
	write(t, dir, "a/marked/"+history.NoResultsFile, "")
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	_, _, err := history.Load(filepath.Join(dir, "a"), empty)
	if err == nil || strings.Contains(err.Error(), "marked") || !strings.Contains(err.Error(), empty+": no results "+
		"found") {
		t.Errorf("error %v", err)
	}
}

func TestDirectoriesWithTheMarkerAreLeftOut(t *testing.T) {
	dir := documentTree(t)
	store(t, dir, "examples/deep/4.json", 4, "c")
	store(t, dir, "examples/5.json", 5, "c")
	marked := filepath.Join(dir, "examples")
	write(t, dir, "examples/"+history.NoResultsFile, "These are examples.")
	for name, want := range map[string]string{
		dir:                                "0 1 2 3",
		dir + "/**/*.json":                 "0 1 2 3",
		dir + "/*/*.json":                  "",
		dir + "/e*":                        "",
		dir + "/**/deep":                   "",
		marked:                             "4 5",
		marked + "/**/*.json":              "4 5",
		marked + "/5.json":                 "5",
		filepath.Join(marked, "deep"):      "4",
		dir + "/{a,b,examples}/**/*.json":  "1 2 3",
		filepath.Join(dir, "a") + "/../**": "0 1 2 3",
	} {
		got, _, err := history.Load(name)
		if names(got) != want || (err != nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), ": no results found. "+marked+" is skipped because") {
			t.Errorf("%s: %s (%v), want %s", name, names(got), err, want)
		}
	}
}

func TestARunInSeveralFilesIsReadOnce(t *testing.T) {
	dir := documentTree(t)
	text, err := os.ReadFile(filepath.Join(dir, "b/x/2.json"))
	if err != nil {
		t.Fatal(err)
	}
	again := write(t, dir, "a/2.json", string(text))
	for _, s := range []history.Selection{{}, {Latest: 9}} {
		got, skipped, err := history.LoadSelected(s, dir)
		if err != nil || names(got) != "0 1 2 3" || got[2].Path != again || len(skipped) != 1 ||
			skipped[0].Reason != "document "+filepath.Join(dir, "b/x/2.json")+": the same run as in "+again {
			t.Errorf("%+v: %s (%v), skipped %v", s, names(got), err, skipped)
		}
	}
	ended, err := result.Read(filepath.Join(dir, "b/x/2.json"))
	ended.Finished = new(ended.Started.Add(time.Minute))
	if err = errors.Join(err, result.Write(filepath.Join(dir, "b/x/2.json"), ended)); err != nil {
		t.Fatal(err)
	}
	if got, _, err := history.Load(dir); err != nil || got[2].Path == again {
		t.Errorf("%v: %s is read, which says that the run goes on", err, again)
	}
}

// Nobody knows which of two different documents of a run is right.
func TestDocumentsOfOneRunWithOtherResultsAreNotUsed(t *testing.T) {
	dir := documentTree(t)
	path := filepath.Join(dir, "b/x/2.json")
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	doc.Finished = new(doc.Started.Add(time.Minute))
	changed := filepath.Join(dir, "a/2.json")
	for _, at := range []string{path, changed} {
		if err := result.Write(at, doc); err != nil {
			t.Fatal(err)
		}
		doc.Job.Processes++
	}
	for _, s := range []history.Selection{{}, {Latest: 9}} {
		got, skipped, err := history.LoadSelected(s, dir)
		if err != nil || names(got) != "0 1 3" || len(skipped) != 2 ||
			!strings.Contains(skipped[0].Reason, path) || !strings.Contains(skipped[0].Reason, changed) {
			t.Errorf("%+v: %s (%v), skipped %v", s, names(got), err, skipped)
		}
	}
	for _, given := range [][]string{{path, changed}, {dir, changed}} {
		if got, _, err := history.Load(given...); err == nil || !strings.Contains(err.Error(), "has other results in") {
			t.Errorf("%v: %s, %v", given, names(got), err)
		}
	}
}

func TestARunInTheFutureIsNotTheLatest(t *testing.T) {
	dir := documentTree(t)
	path := filepath.Join(dir, "b/x/2.json")
	doc, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	doc.Started = time.Now().AddDate(70, 0, 0)
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
	for _, s := range []history.Selection{{}, {Latest: 9}} {
		got, skipped, err := history.LoadSelected(s, dir)
		if err != nil || names(got) != "0 1 3" || len(skipped) != 1 ||
			!strings.Contains(skipped[0].Reason, path+": the run started in the future, ") {
			t.Errorf("%+v: %s (%v), skipped %v", s, names(got), err, skipped)
		}
		if got, _, err := history.LoadSelected(s, path); err != nil || len(got) != 1 {
			t.Errorf("%+v, named: %s (%v)", s, names(got), err)
		}
	}
}

func TestASelectionOfNothingSaysWhatThereIs(t *testing.T) {
	dir := documentTree(t)
	for want, s := range map[string]history.Selection{
		`no run has the label "weekly"; labels here: nightly`: {
			Identity: result.Identity{Cluster: "b", Label: "weekly"},
		},
		`no run has the cluster "c"; clusters here: a, b`: {Identity: result.Identity{Cluster: "c"}},
		"no run started at 2026-03-04 00:00:00 or later; the first of 2 started at 2026-03-01 03:00:00, the last at " +
			"2026-03-03 03:00:00": {
			Since: day.AddDate(0, 0, 3).Add(-3 * time.Hour), Identity: result.Identity{Cluster: "b"},
		},
	} {
		if got, _, err := history.LoadSelected(s, dir); err == nil || err.Error() != want {
			t.Errorf("%s (%v), want %s", names(got), err, want)
		}
	}
	other, err := result.Read(store(t, dir, "c.json", 4, "c"))
	other.Identity.Label = "weekly"
	if err = errors.Join(err, result.Write(filepath.Join(dir, "c.json"), other)); err != nil {
		t.Fatal(err)
	}
	want := `no run has the cluster "b" and the label "weekly"; cluster, file system and label of the runs here: ` +
		"a /scratch nightly, b /scratch nightly, c /scratch weekly"
	s := history.Selection{Identity: result.Identity{Cluster: "b", Label: "weekly"}}
	if _, _, err := history.LoadSelected(s, dir); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A directory whose path is too long cannot be listed, not even by root.
func TestADirectoryThatCannotBeListedIsSkipped(t *testing.T) {
	dir := documentTree(t)
	name := strings.Repeat("d", 250)
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	for range 20 {
		below := -1
		if err == nil {
			err = unix.Mkdirat(at, name, 0o755)
		}
		if err == nil {
			below, err = unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		}
		err = errors.Join(err, unix.Close(at))
		at = below
	}
	if err = errors.Join(err, unix.Close(at)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, dir + "/**/*.json", dir + "/*"} {
		got, skipped, err := history.Load(name)
		if err != nil || names(got) != "0 1 2 3" {
			t.Errorf("%s: %s (%v), want all documents", name, names(got), err)
		}
		if len(skipped) != 1 || !strings.Contains(skipped[0].Reason, "file name too long") ||
			!strings.HasPrefix(skipped[0].Path, dir+"/"+strings.Repeat("d", 250)) {
			t.Errorf("%s: skipped %+v", name, skipped)
		}
	}
}

func TestManyDocumentsAreReadInOrder(t *testing.T) {
	dir := t.TempDir()
	const n = 300
	for i := range n {
		store(t, dir, fmt.Sprintf("%03d.json", i), -i, "a")
	}
	got, _, err := history.Collect(history.Selection{}, func(r history.Record) time.Time { return r.Started }, dir)
	if err != nil || len(got) != n || !slices.IsSortedFunc(got, time.Time.Compare) {
		t.Errorf("%d documents, in order: %v (%v)", len(got), slices.IsSortedFunc(got, time.Time.Compare), err)
	}
}

// A search of the source tree does not find test data.
func TestDataOfTestsAreNoResults(t *testing.T) {
	records, skipped, err := history.Load("..")
	if len(records) > 0 || len(skipped) > 0 || err == nil || !strings.Contains(err.Error(), "NO-RESULTS") {
		t.Errorf("%d documents, skipped %v, %v", len(records), skipped, err)
	}
}
