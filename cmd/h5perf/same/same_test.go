//go:build same

// Package same_test compares what users see of two builds of h5perf. A fixed list of command lines must give the same
// texts, documents and exit statuses, after everything that depends on clocks, chance or place is masked. It tests
// refactorings. See pkg/test/README.md.
package same_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	oldDir   = flag.String("old", "", "directory with h5perf as it was")
	newDir   = flag.String("new", "", "directory with h5perf as it is")
	mpiexec  = flag.String("mpiexec", "mpiexec", "launcher of the MPI that both were built with")
	examples = flag.String("examples", "", "directory with documents that the command lines read")
)

// tries is the number of attempts of a command line. Some differences, such as marks of samples, are chance.
const tries = 3

// outcome holds what a user sees of a command line.
type outcome struct {
	Status         int
	Stdout, Stderr string
	Files          map[string]string
}

// side is one of the builds, with a directory of its own in which all command lines run, one after the other.
type side struct {
	program, work, examples string
}

func newSide(t *testing.T, program string) side {
	t.Helper()
	absolute, err := filepath.Abs(filepath.Join(program, "h5perf"))
	if err != nil {
		t.Fatal(err)
	}
	s := side{program: absolute, work: t.TempDir(), examples: *examples}
	for _, dir := range []string{"data", "out"} {
		if err := os.Mkdir(filepath.Join(s.work, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// run runs a command line: variables, the number of processes under a launcher or - for none, and arguments.
func (s side) run(t *testing.T, line, gateway string) outcome {
	t.Helper()
	expand := strings.NewReplacer("$WORK", s.work, "$EXAMPLES", s.examples, "$GATEWAY", gateway)
	words := strings.Fields(expand.Replace(line))
	environ := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "HDF5_") || strings.HasPrefix(entry, "H5PERF_")
	})
	environ = append(environ, "HDF5_PARAPREFIX="+s.work+"/data", "HDF5_PREFIX="+s.work+"/data",
		"H5PERF_SPOOL="+s.work+"/spool")
	for strings.Contains(words[0], "=") {
		environ, words = append(environ, words[0]), words[1:]
	}
	program := s.program
	if len(words) > 1 && words[1] == "h5perf_serial" {
		program, words = filepath.Join(filepath.Dir(s.program), words[1]), slices.Delete(words, 1, 2)
	}
	args := append([]string{program}, words[1:]...)
	if words[0] != "-" {
		args = append([]string{*mpiexec, "-n", words[0]}, args...)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.work, environ, &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	o := outcome{Status: cmd.ProcessState.ExitCode(), Files: map[string]string{}}
	o.Stdout, o.Stderr = s.masked(stdout.String()), s.masked(stderr.String())
	s.collect(t, &o)
	return o
}

// collect reads the files that the command line has left, and removes those that later command lines do not need.
func (s side) collect(t *testing.T, o *outcome) {
	t.Helper()
	left := map[string]bool{}
	err := filepath.WalkDir(s.work, func(path string, entry os.DirEntry, err error) error {
		name, _ := filepath.Rel(s.work, path)
		if err != nil || entry.IsDir() || strings.HasPrefix(name, "kept") {
			return err
		}
		shown := s.masked(name)
		left[path] = true
		data, err := os.ReadFile(path)
		switch {
		case err != nil:
			return err
		case strings.Contains(name, "data_"), strings.HasSuffix(name, ".png"):
			o.Files[shown] = fmt.Sprintf("%d bytes", len(data))
		default:
			o.Files[shown] = s.masked(string(data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range left {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	entries, _ := filepath.Glob(filepath.Join(s.work, "data", "*"))
	for _, path := range entries {
		_ = os.RemoveAll(path)
	}
}

// number matches a measured number with its unit.
const number = `[-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?`

// masks match what depends on chance, clocks and place. They are applied in order.
var masks = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`[0-9]{8}T[0-9]{6}Z-[0-9a-f]{10}`), "RUN"},
	{regexp.MustCompile(`data_[0-9a-f]+_`), "data_ID_"},
	{regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z| UTC)?`), "TIME"},
	{regexp.MustCompile(`(Sun|Mon|Tue|Wed|Thu|Fri|Sat) [A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8} [0-9]{4}`), "TIME"},
	{regexp.MustCompile(`127\.0\.0\.1:[0-9]+`), "GATEWAY"},
	{regexp.MustCompile(`\[\[?[^\[\]\s]+[:,][0-9]+\](,[0-9]+\])?`), "[PROCESS]"},
	{regexp.MustCompile(number + ` ?(?:MB/s|[KMGTPE]?i?B/s|sec|ns|µs|ms|s|min|h)\b`), "N"},
	{regexp.MustCompile(number + ` ?%`), "N%"},
	{regexp.MustCompile(`(?m)^(h5perf_\S+\{.*\}) \S+$`), "$1 N"},
	{regexp.MustCompile(`"(pid|start_time)": "?[0-9]+"?`), "$1"},
	{regexp.MustCompile(`\b[0-9]+\.[0-9]+\b`), "N"},
	{regexp.MustCompile(`(?i)(slowest[^\n]*rank|rank[^\n]*slowest)[^\n]*`), "SLOWEST"},
	{regexp.MustCompile(`has [0-9]+ free`), "has N free"},
	{regexp.MustCompile(`(?m)^\s*Note: In [0-9]+ of [0-9]+ result\(s\), throughput differs by.*\n`), ""},
	{regexp.MustCompile(`(?m)^.* marked (?:implausible|staggered|skewed|shared|disturbed)\..*\n`), ""},
	// which case was fastest
	{regexp.MustCompile(`(?m)^((?:POSIX|MPI-IO|HDF5) (?:write|read)\b[^\n]*?) +N .*$`), "$1 N HIGHEST"},
	{regexp.MustCompile(`, implausible|implausible, |implausible`), ""},
	{regexp.MustCompile(`(?m)[ \t]+`), " "},
	{regexp.MustCompile(`(?m)[-=]{3,}`), "---"},
	{regexp.MustCompile(`(?m) +$`), ""},
}

// masked returns a text, or a document, with its volatile parts masked.
func (s side) masked(text string) string {
	var document any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if strings.HasPrefix(text, "{") && decoder.Decode(&document) == nil {
		encoded, _ := json.MarshalIndent(maskValue("", document), "", " ")
		text = string(encoded)
	}
	text = strings.NewReplacer(s.work, "WORK", filepath.Dir(s.program), "BIN").Replace(text)
	for _, m := range masks {
		text = m.pattern.ReplaceAllString(text, m.instead)
	}
	return text
}

// volatile holds the names of fields in documents that differ between any two runs.
var volatile = []string{
	"free_bytes", "free_inodes", "seed", "slowest_rank", "histogram", "slowest_ranks", "longest_calls", "quantiles",
	"median", "low", "high",
	"min", "max", "ratio", "p", "corrected_p", "h5perf_revision", "h5perf_version", "max_resident_ratio",
	"mean_resident_ratio",
	"bytes_at_limit", "transfers_per_process", "marks", "ended_by", "go_version", "given",
}

// maskValue masks what is volatile in a named value. Numbers that the user gave stay.
func maskValue(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			if key == "parameters" || key == "parameters_given" {
				continue
			}
			v[key] = maskValue(key, member)
		}
		return v
	case []any:
		if slices.Contains(volatile, name) {
			return "LIST"
		}
		for i := range v {
			v[i] = maskValue(name, v[i])
		}
		return v
	case json.Number:
		if slices.Contains(volatile, name) || strings.HasSuffix(name, "seconds") ||
			strings.HasSuffix(name, "per_second") {
			return "N"
		}
	case string:
		if slices.Contains(volatile, name) {
			return "TEXT"
		}
	}
	return value
}

// lines returns the command lines by their line numbers. A # begins a comment.
func lines(t *testing.T) map[int]string {
	t.Helper()
	data, err := os.ReadFile("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[int]string{}
	for i, line := range strings.Split(string(data), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all[i+1] = line
		}
	}
	return all
}

// gateway is a Pushgateway that accepts everything and stores it.
func gateway(t *testing.T) (url string, taken func() string) {
	t.Helper()
	var all []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		all = append(all, r.Method+" "+r.URL.Path+" "+strconv.FormatBool(len(body) > 0))
	}))
	t.Cleanup(server.Close)
	return server.URL, func() string {
		defer func() { all = nil }()
		return strings.Join(all, "\n")
	}
}

func TestBothAreTheSame(t *testing.T) {
	if *oldDir == "" || *newDir == "" {
		t.Fatal("name the builds: make same OLD=REVISION")
	}
	before, after := newSide(t, *oldDir), newSide(t, *newDir)
	url, taken := gateway(t)
	all := lines(t)
	for _, at := range slices.Sorted(maps.Keys(all)) {
		difference := ""
		for range tries {
			want := before.run(t, all[at], url)
			want.Files["gateway"] = before.masked(taken())
			got := after.run(t, all[at], url)
			got.Files["gateway"] = after.masked(taken())
			if difference = cmp.Diff(want, got); difference == "" {
				t.Logf("line %d: status %d, %d + %d bytes, %d files: same: %s", at, got.Status, len(got.Stdout),
					len(got.Stderr), len(got.Files), all[at])
				break
			}
		}
		if difference != "" {
			t.Errorf("line %d: %s\n(-old +new)\n%s", at, all[at], difference)
		}
	}
	t.Logf("%d command lines", len(all))
}
