package command_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/plaintest"
)

// stored writes the document of a run to dir. The run started days days after firstStart. It has one case with these
// throughputs.
func stored(t testing.TB, dir string, days int, throughputs ...float64) string {
	t.Helper()
	id := fmt.Sprintf("run%05d", days)
	started := firstStart.AddDate(0, 0, days)
	finished := started.Add(time.Hour)
	doc := result.Document{
		SchemaVersion: result.Version, RunID: id, Kind: "parallel", State: result.Complete, Started: started,
		Finished: &finished,
		Identity: result.Identity{Cluster: "c", Filesystem: "/scratch", Label: "nightly"},
		Cases: []result.Case{
			{
				Processes: 4, Nodes: 1, TransferSize: 1 << 20, BufferBytes: 1 << 20, API: "posix",
				State: result.Complete,
			},
		},
	}
	for i, rate := range throughputs {
		doc.Cases[0].Samples = append(doc.Cases[0].Samples, result.Sample{
			Operation: "write", Iteration: i + 1, Started: started.Add(time.Duration(i) * time.Second), Bytes: 1 << 30,
			Access: result.Interval{WindowSeconds: (1 << 30) / rate, Max: (1 << 30) / rate},
		})
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, id+".json")
	if err := result.Write(path, doc); err != nil {
		t.Fatal(err)
	}
	return path
}

// said runs a command, and returns its exit status, standard output and standard error.
func said(t testing.TB, words ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status, err := command.Run(words, "", form(words[0]), command.Env{
		Stdout: &out, Stderr: &errs, Lookup: func(string) (string, bool) { return "", false },
		Now: func() time.Time { return firstStart },
	})
	if err != nil {
		return result.ExitUsage, "", err.Error()
	}
	return status, out.String(), errs.String()
}

func form(name string) command.Handler {
	return map[string]command.Handler{
		"report": &command.Report{}, "compare": &command.Compare{}, "trend": &command.Trend{},
		"reference": &command.Reference{},
		"push":      &command.Push{}, "prune": &command.Prune{},
	}[name]
}

// steady returns n throughputs around middle, without drift.
func steady(middle float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = middle * (1 + 0.01*float64((i*7)%n-n/2)/float64(n))
	}
	return all
}

// storedEach stores one run for each throughput, and returns their directory.
func storedEach(t *testing.T, first int, throughputs ...float64) string {
	t.Helper()
	dir := t.TempDir()
	for i, throughput := range throughputs {
		stored(t, dir, first+i, throughput)
	}
	return dir
}

func TestCompareSaysWhatIsWorse(t *testing.T) {
	old, now := storedEach(t, 0, steady(1<<30, 10)...), storedEach(t, 10, steady(0.9*(1<<30), 10)...)
	status, stdout, stderr := said(t, "compare", old, now)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, want := range []string{
		"worse", "write, POSIX, 4 processes, 1 MiB", "921 MiB/s (-0.4 +0.4 %)", "-10.0 %", "10 + 10", "1 worse",
	} {
		if !strings.Contains(plaintest.Unwrap(stdout), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// One run on each side is not enough for a verdict, so --fail-on-worse must not succeed.
func TestCompareOfOneRunWithOneIsNotJudged(t *testing.T) {
	dir := t.TempDir()
	old, now := stored(t, dir, 0, steady(1<<30, 10)...), stored(t, dir, 1, steady(0.5*(1<<30), 10)...)
	status, stdout, stderr := said(t, "compare", old, now)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	for _, want := range []string{
		"not judged", "-50.0 %", "10 + 10", "0 worse", "1 not judged", "one run on each side",
	} {
		if !strings.Contains(plaintest.Unwrap(stdout), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "confidence") || strings.Contains(stdout, "too few") {
		t.Errorf("an interval is explained that is not there:\n%s", stdout)
	}
	status, _, stderr = said(t, "compare", "--fail-on-worse", "5", old, now)
	if status != result.ExitUsage || !strings.Contains(stderr, "no difference is judged; give more runs") {
		t.Errorf("as a gate: status %d, %q", status, stderr)
	}
}

func TestCompareSaysThatThereIsOneSample(t *testing.T) {
	dir := t.TempDir()
	one, other := stored(t, dir, 0, 1<<30), stored(t, dir, 1, 1<<30)
	if _, stdout, _ := said(t, "compare", one, other); strings.Count(stdout, "1.00 GiB/s (one sample)") != 2 {
		t.Errorf("of one sample\n%s", stdout)
	}
	several := storedEach(t, 2, steady(1<<30, 10)...)
	if _, stdout, _ := said(t, "compare", several, other); !strings.Contains(stdout, "1.00 GiB/s (one run)") {
		t.Errorf("of one run\n%s", stdout)
	}
}

func TestCompareHasNoColumnsWithoutValues(t *testing.T) {
	dir := t.TempDir()
	old, now := stored(t, dir, 0, 1<<30), saved(t, figurestest.Sweep())
	_, stdout, _ := said(t, "compare", old, now)
	for _, none := range []string{"difference  ", "interval", "would show", "p, corrected"} {
		if strings.Contains(stdout, none) {
			t.Errorf("%q in\n%s", none, stdout)
		}
	}
	if n := strings.Count(stdout, "only in NEW"); n != 1 ||
		!regexp.MustCompile(`(?m)^not comparable, \d+ points: only in NEW$`).MatchString(stdout) {
		t.Errorf("%d times the same reason in\n%s", n, stdout)
	}
	_, _, stderr := said(t, "compare", old, old, now)
	if !strings.Contains(stderr, "3 names are given: give OLD and NEW") || !strings.Contains(stderr, "in quotes") {
		t.Errorf("three names: %s", stderr)
	}
}

func TestCompareFailsOnWorse(t *testing.T) {
	old, worse := storedEach(t, 0, steady(1<<30, 10)...), storedEach(t, 10, steady(0.9*(1<<30), 10)...)
	like, dir := storedEach(t, 20, steady(1<<30, 10)...), t.TempDir()
	same := stored(t, dir, 30, 1<<30)
	bad := stored(t, dir, 31, 0.9*(1<<30))
	for _, c := range []struct {
		old, now, percent string
		want              int
	}{
		{old, worse, "5", 1},
		{old, worse, "0", 1},
		{old, worse, "15", 0},
		{old, like, "0", 0},
		{worse, old, "0", 0},
		{old, bad, "5", 1},
		{old, same, "0", 0},
	} {
		status, _, stderr := said(t, "compare", "--fail-on-worse", c.percent, c.old, c.now)
		if status != c.want ||
			(status == 1) != strings.Contains(stderr, "write, POSIX, 4 processes, 1 MiB: worse by ") {
			t.Errorf("%v: status %d, %q", c, status, stderr)
		}
	}
	doc, err := result.Read(same)
	if err != nil {
		t.Fatal(err)
	}
	doc.State, doc.Cases[0].State, doc.Cases[0].Error = result.Failed, result.Failed, &result.Error{
		Message: "no space left on device",
	}
	if err := result.Write(same, doc); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := said(t, "compare", "--fail-on-worse", "5", old, same)
	if status != 1 || !strings.Contains(stderr, "NEW failed: no space left on device") {
		t.Errorf("after a failure: status %d, %q", status, stderr)
	}
}

func TestCompareThatCannotCompareIsNoSuccess(t *testing.T) {
	dir := t.TempDir()
	old, now := stored(t, dir, 0, steady(1<<30, 10)...), stored(t, dir, 1, steady(1<<30, 10)...)
	doc, err := result.Read(now)
	if err != nil {
		t.Fatal(err)
	}
	doc.Parameters.Conditions.Sync = "close"
	if err := result.Write(now, doc); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := said(t, "compare", old, now)
	if status != 1 || !strings.Contains(stdout, "not comparable: sync none -> close") ||
		!strings.Contains(stderr, "no point") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	status, stdout, _ = said(t, "compare", "--allow", "sync", old, now)
	if status != 0 || !strings.Contains(stdout, "differs: sync none -> close") {
		t.Errorf("allowed: status %d, %s", status, stdout)
	}
}

func TestCompareAsJSON(t *testing.T) {
	dir := t.TempDir()
	old, now := stored(t, dir, 0, 1e9), stored(t, dir, 1, steady(0.9e9, 10)...)
	_, stdout, _ := said(t, "compare", "--json", old, now)
	var c history.Comparison
	if err := json.Unmarshal([]byte(stdout), &c); err != nil {
		t.Fatal(err)
	}
	p := c.Points[0]
	if c.Version != 1 || p.API != "posix" || p.Old.Low != nil || p.New.Low == nil ||
		p.Verdict != history.NotJudged || len(c.Cautions) == 0 {
		t.Errorf("%s", stdout)
	}
	for _, name := range []string{
		`"comparison_version": 1`, `"old_run_ids"`, `"median"`, `"corrected_p"`, `"ratio"`,
		`"verdict": "not judged"`,
	} {
		if !strings.Contains(stdout, name) {
			t.Errorf("no %s in\n%s", name, stdout)
		}
	}
}

func TestCompareRefusesBadInput(t *testing.T) {
	dir := t.TempDir()
	good := stored(t, dir, 0, 1e9)
	put := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	truncated := put("half.json", string(whole[:len(whole)/2]))
	foreign := put("foreign.json", "{\n \"name\": 3\n}")
	newer := put("newer.json", `{"schema_version": 99}`)
	nan := put("nan.json", strings.Replace(string(whole), `"bytes": 1073741824`, `"bytes": NaN`, 1))
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{good, truncated}, "NEW: document " + truncated + ": line "},
		{[]string{foreign, good}, "OLD: document " + foreign + ": no schema_version"},
		{[]string{good, newer}, newer + ": schema_version is 99, and this program reads only 1"},
		{[]string{good, nan}, "NEW: document " + nan + ": line "},
		{[]string{good, t.TempDir()}, "no results found (h5perf looks for .json files and ignores schemas)"},
		{
			[]string{good, filepath.Join(dir, "none*.json")},
			"no results found (h5perf looks for .json files and ignores schemas)",
		},
		{[]string{good, filepath.Join(dir, "missing")}, "no such file"},
		{[]string{good}, "give OLD and NEW, or --reference DIR and NEW"},
		{nil, "no documents are given; give OLD and NEW, each a file, a directory or a quoted pattern"},
		{[]string{"--fail-on-worse", "NaN", good, good}, "percentage"},
		{[]string{"--fail-on-worse", "x", good, good}, "--fail-on-worse"},
		{[]string{"--allow", "speed", good, good}, `"speed"`},
	} {
		status, stdout, stderr := said(t, append([]string{"compare"}, c.words...)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, %q, want 2 and %q", c.words, status, stdout+stderr, c.want)
		}
	}
}

func TestCompareSaysWhatItWouldHaveShown(t *testing.T) {
	_, stdout, _ := said(t, "compare", storedEach(t, 0, steady(1<<30, 10)...), storedEach(t, 10, steady(1<<30, 10)...))
	for _, want := range []string{"would show\n", "The intervals have a confidence of 95 %.\n", "Would show: the " +
		"smallest fall"} {
		if !strings.Contains(plaintest.Unwrap(stdout), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if !regexp.MustCompile(`no difference shown  write.* 10 \+ 10 +-0\.\d %\n`).MatchString(plaintest.Unwrap(stdout)) {
		t.Errorf("no fall that would show in\n%s", stdout)
	}
	_, stdout, _ = said(t, "compare", storedEach(t, 0, 1e9, 1e9), storedEach(t, 10, 1e9, 1e9))
	if !regexp.MustCompile(`2 \+ 2 +none\n`).MatchString(stdout) {
		t.Errorf("two runs would show a fall:\n%s", stdout)
	}
}
