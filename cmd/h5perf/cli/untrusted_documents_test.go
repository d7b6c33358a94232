package cli_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// stage is a directory with a document from a stranger, and with the other inputs of commands.
type stage struct {
	testing.TB
	dir      string
	document string // path of the stranger's document
	tree     string // tree of results with this document and with good ones of earlier nights
	gateway  string
}

// reading holds command lines that read the stranger's document, and the formats of their outputs. DOCUMENT, GOOD,
// TREE, OUT and GATEWAY are replaced by paths and the URL of a stage.
var reading = []struct{ line, stdout, file string }{
	{line: "report DOCUMENT"},
	{line: "report --csv DOCUMENT", stdout: "csv"},
	{line: "report --html OUT DOCUMENT", file: "text"},
	{line: "report --html - TREE"},
	{line: "report --png OUT DOCUMENT", file: "picture"},
	{line: "compare GOOD DOCUMENT"},
	{line: "compare DOCUMENT GOOD"},
	{line: "compare --json GOOD DOCUMENT", stdout: "json"},
	{line: "compare --fail-on-worse 1 --latest TREE TREE"},
	{line: "compare --reference TREE DOCUMENT"},
	{line: "trend TREE"},
	{line: "trend --json --nightly TREE", stdout: "json"},
	{line: "trend --csv TREE", stdout: "csv"},
	{line: "trend --push --pushgateway GATEWAY --textfile OUT.prom TREE", file: "prom"},
	{line: "reference --in TREE set --note why --since 2000-01-01"},
	{line: "reference --in TREE show"},
	{line: "reference --in TREE show --json", stdout: "json"},
	{line: "push --pushgateway GATEWAY DOCUMENT"},
	{line: "push --delete --pushgateway GATEWAY DOCUMENT"},
	{line: "rerun DOCUMENT"},
	{line: "plan --assume DOCUMENT -A posix -e 1M"},
	{line: "report --export ndjson --partial DOCUMENT", stdout: "lines of json"},
	{line: "report --export influx --partial DOCUMENT", stdout: "influx"},
}

// influx matches a line of InfluxDB's line protocol. Its numbers are finite.
var influx = regexp.MustCompile(
	`^\w+(,\w+=(\\[,= ]|[^,= \\])+)* (,?\w+=("(\\["\\]|[^"\\])*"|[-+.e\d]+i?|true|false))+ -?\d+\n$`)

// newStage writes text as the stranger's document, and starts an empty gateway.
func newStage(t testing.TB, text []byte) stage {
	t.Helper()
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"status": "success", "data": []}`)
		}
	}))
	t.Cleanup(gateway.Close)
	dir := t.TempDir()
	s := stage{t, dir, filepath.Join(dir, "tree", "stranger.json"), filepath.Join(dir, "tree"), gateway.URL}
	err := errors.Join(os.Mkdir(s.tree, 0o755), os.WriteFile(s.document, text, 0o600),
		os.WriteFile(filepath.Join(s.tree, "reference.jsonl"), []byte(references), 0o600))
	for name, text := range good {
		err = errors.Join(err, os.WriteFile(filepath.Join(s.tree, name), text, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// good holds the documents that are in the tree before the stranger's.
var good = func() map[string][]byte {
	all := map[string][]byte{}
	for night := range 4 {
		doc := small()
		doc.RunID = fmt.Sprintf("good%d", night)
		doc.Started = doc.Started.AddDate(0, 0, night-4)
		var b bytes.Buffer
		_ = result.Encode(&b, doc) // a test would notice a document without throughputs
		all[doc.RunID+".json"] = b.Bytes()
	}
	return all
}()

// references is a reference file as a stranger may write it.
var references = func() string {
	line, _ := json.Marshal(history.PinnedReference{
		Version: 1, Author: "me\u202e", Note: "a note\u2066\u200b of =1", Identity: small().Identity,
		Runs: []string{"good0"},
	})
	return string(line) + "\n"
}()

// small returns a small document in which most fields are set.
func small() result.Document {
	doc := figurestest.Sweep().Document
	doc.GivenParameters = []result.GivenParameter{{Name: "label", Value: "nightly"}, {Name: "USER", Value: "me"}}
	doc.Notes = []string{"a note"}
	doc.Errors = []result.Error{{Phase: "transfer", Host: "n1", Message: "no space"}}
	doc.Target.Stripe = &result.Stripe{System: result.StripeLustre, Count: -1, Pool: "flash"}
	doc.Cases = doc.Cases[:2]
	for i := range doc.Cases {
		c := &doc.Cases[i]
		c.Samples = slices.DeleteFunc(slices.Clone(c.Samples), func(s result.Sample) bool { return s.Iteration > 2 })
	}
	doc.Parameters.APIs = []string{doc.Cases[0].API, doc.Cases[1].API}
	return doc
}

func encoded(t testing.TB, doc result.Document) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := result.Encode(&b, doc); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// perform runs a command line, checks what must hold for every document, and returns the exit status.
func (s stage) perform(which int) (ended int) {
	s.Helper()
	of := reading[which]
	out := filepath.Join(s.dir, "out")
	words := strings.Fields(strings.NewReplacer("DOCUMENT", s.document, "GOOD", filepath.Join(s.tree, "good0.json"),
		"TREE", s.tree, "OUT", out, "GATEWAY", s.gateway).Replace("h5perf " + of.line))
	before := s.files()
	var stdout, stderr bytes.Buffer
	status := make(chan int, 1)
	var asked []string
	go func() {
		status <- cli.Run(words, variables(nil), &stdout, &stderr, cli.Tools{
			Parallel: func(p cli.Measurement) int {
				asked = []string{p.Output, p.JSON, p.Results, p.Pushgateway, p.Textfile}
				return result.ExitOK
			},
			Serial: func(p cli.Measurement) int {
				asked = []string{p.Output, p.JSON, p.Results, p.Pushgateway, p.Textfile}
				return result.ExitOK
			},
		})
	}()
	select {
	case ended = <-status:
		if ended != result.ExitOK && ended != result.ExitFailed && ended != result.ExitUsage ||
			ended != result.ExitOK && stderr.Len() == 0 {
			s.Errorf("%s: exit status %d, %q", of.line, ended, stderr.String())
		}
	case <-time.After(time.Minute):
		s.Fatalf("%s: no end within a minute", of.line)
	}
	if strings.Join(asked, "") != "" {
		s.Errorf("%s: results go to %q", of.line, asked)
	}
	s.harmless(of.line, stderr.String())
	s.harmless(of.line, strings.ReplaceAll(stdout.String(), "\r\n", "\n"))
	switch text := stdout.Bytes(); of.stdout {
	case "json":
		if len(text) > 0 && !json.Valid(text) {
			s.Errorf("%s: no JSON: %s", of.line, text)
		}
	case "csv":
		s.cells(of.line, text)
	case "lines of json":
		for line := range bytes.Lines(text) {
			if !json.Valid(line) {
				s.Errorf("%s: no JSON: %s", of.line, line)
			}
		}
	case "influx":
		for line := range bytes.Lines(text) {
			if !influx.Match(line) {
				s.Errorf("%s: no line of the protocol: %s", of.line, line)
			}
		}
	}
	s.written(of.line, of.file, before)
	return ended
}

// written checks that a command wrote only its output file, or nothing.
func (s stage) written(line, file string, before []string) {
	s.Helper()
	wanted := map[string]string{
		"text": "out", "picture": "out", "prom": "out.prom",
	}[file]
	for _, name := range s.files() {
		if slices.Contains(before, name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil || name != wanted {
			s.Errorf("%s: wrote %s (%v)", line, name, err)
		}
		if file == "text" {
			s.harmless(line, string(text))
		}
	}
}

func (s stage) files() (names []string) {
	s.Helper()
	err := filepath.WalkDir(s.dir, func(path string, _ os.DirEntry, err error) error {
		name, _ := filepath.Rel(s.dir, path)
		names = append(names, name)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return names
}

// harmless fails the test if text has characters that control a terminal.
func (s stage) harmless(line, text string) {
	s.Helper()
	for _, r := range text {
		if !unicode.IsGraphic(r) && r != '\n' && r != '\t' {
			s.Fatalf("%s: %q in %q", line, r, text)
		}
	}
	if !utf8.ValidString(text) {
		s.Fatalf("%s: no UTF-8: %q", line, text)
	}
}

// cells checks that numbers in a CSV are finite, and that no cell is a formula.
func (s stage) cells(line string, text []byte) {
	s.Helper()
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		s.Fatalf("%s: %v in %s", line, err, text)
	}
	for n, row := range rows {
		for i, cell := range row {
			x, err := strconv.ParseFloat(cell, 64)
			if cell != "" && strings.Contains("=+-@\t\r\n", cell[:1]) && (err != nil || math.IsInf(x, 0)) {
				s.Errorf("%s: a formula: %q", line, cell)
			}
			figure := strings.HasSuffix(rows[0][i], "seconds") || strings.HasSuffix(rows[0][i], "per_second")
			if figure && n > 0 && cell != "" && (err != nil || math.IsInf(x, 0) || math.IsNaN(x)) {
				s.Errorf("%s: %s is %q", line, rows[0][i], cell)
			}
		}
	}
}

// leaves returns a setter for each string and each number in a JSON value.
func leaves(value any, set func(any)) (all []func(any)) {
	switch v := value.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			all = append(all, leaves(v[name], func(x any) { v[name] = x })...)
		}
	case []any:
		for i := range v {
			all = append(all, leaves(v[i], func(x any) { v[i] = x })...)
		}
	case string, float64:
		return []func(any){set}
	}
	return all
}

// with returns the small document with one of its strings or numbers replaced by value.
func with(t testing.TB, leaf int, value any) []byte {
	t.Helper()
	var tree any
	if err := json.Unmarshal(encoded(t, small()), &tree); err != nil {
		t.Fatal(err)
	}
	all := leaves(tree, nil)
	all[leaf%len(all)](value)
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// steering has all kinds of characters that must not reach a terminal, a table, a spreadsheet or a page.
const steering = "=1+1\x1b]0;title\a\x1b[2J\n\rh5perf: forged\t\x00\u009b31m\u202e\u2066\u200b\x7f" +
	"</svg><script>\"'&\U000e0041"

func TestTextsOfStrangersAreHarmless(t *testing.T) {
	var tree any
	if err := json.Unmarshal(encoded(t, small()), &tree); err != nil {
		t.Fatal(err)
	}
	// Replaces all strings that may have any value. If the document would be refused, the old string stays.
	readable := func() bool {
		text, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "run.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = result.Read(path)
		return err == nil
	}
	changed := 0
	for _, set := range texts(tree) {
		undo := set(steering)
		if readable() {
			changed++
		} else {
			undo()
		}
	}
	if changed < 40 {
		t.Fatalf("%d texts are of the stranger", changed)
	}
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	for i := range reading {
		newStage(t, text).perform(i)
	}
}

// Scripts come from strangers, too: from colleagues, or in documents.
func TestTextsOfScriptsAreHarmless(t *testing.T) {
	text := strconv.QuoteToASCII(steering)
	name := strconv.QuoteToASCII(strings.NewReplacer("/", "", "\x00", "").Replace(steering))
	good := `"""` + strings.ReplaceAll(steering, "\x00", "") + `."""
n = size(4, ` + text + `)
mode = choice("b", ` + text + `, about = ` + text + `)
about(true_to = [` + text + `], leaves_out = [` + text + `])
def write(job):
    job.dump()
    f = job.create("f")
    d = f.create_dataset("d", "f8", 16)
    d.attrs[` + name + `] = 1
    f.create_group(` + name + `)
    d.write(block())
    f.close()
`
	bad := good + "    f.flush() # " + strings.NewReplacer("\x00", "", "\n", "", "\r", "").Replace(steering) + "\n"
	path := filepath.Join(t.TempDir(), "mine\x1b[2J.star")
	for line, c := range map[string]struct {
		script string
		status int
	}{
		"workload about":  {good, 0},
		"workload check":  {good, 0},
		"workload show":   {good, 0},
		"plan run -P 2":   {good, 0},
		"workload check ": {bad, result.ExitUsage},
		"plan run -P 2 ":  {bad, result.ExitUsage},
		"workload  show":  {"fail(" + text + ")", result.ExitUsage},
		"workload  check": {`"""A."""` + "\n" + strings.ReplaceAll(steering, "\x00", ""), result.ExitUsage},
	} {
		if err := os.WriteFile(path, []byte(c.script), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		words := append([]string{"h5perf"}, append(strings.Fields(line), path)...)
		if status := cli.Run(words, variables(nil), &out, &out, cli.Tools{}); status != c.status {
			t.Errorf("%s: exit status %d, %s", line, status, &out)
		}
		stage{TB: t}.harmless(line, out.String())
	}
}

// texts returns a setter for each string in a JSON value. A setter returns a function that restores the old string.
// Names of states and APIs are left out, since without them there are no results.
func texts(value any) (all []func(string) (undo func())) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			was, text := member.(string)
			if text && !slices.Contains([]string{"state", "operation", "api", "kind"}, name) {
				all = append(all, func(s string) func() {
					v[name] = s
					return func() { v[name] = was }
				})
			}
			if name != "apis" {
				all = append(all, texts(member)...)
			}
		}
	case []any:
		for _, element := range v {
			all = append(all, texts(element)...)
		}
	}
	return all
}

func TestEveryCommandReadsWhatIsGood(t *testing.T) {
	for i, of := range reading {
		if status := newStage(t, encoded(t, small())).perform(i); status != result.ExitOK {
			t.Errorf("%s: exit status %d", of.line, status)
		}
	}
}

// Commands refuse or skip files of strangers at once, whatever they are.
func TestFilesOfStrangersAreReadWithinBounds(t *testing.T) {
	text := func(text []byte, size int64) func(string) error {
		return func(path string) error {
			return errors.Join(os.WriteFile(path, text, 0o600), os.Truncate(path, max(size, int64(len(text)))))
		}
	}
	link := func(to string) func(string) error {
		return func(path string) error { return os.Symlink(to, path) }
	}
	for name, put := range map[string]func(path string) error{
		"a FIFO":   func(path string) error { return unix.Mkfifo(path, 0o600) },
		"a device": link("/dev/zero"), "a loop": link("stranger.json"), "a link": link("/proc/self/environ"),
		"long": text(nil, 3<<30), "holes": text([]byte("{"), 64<<20), "a directory's": link(".."),
		"deep": text(bytes.Repeat([]byte(`{"a":`), 1<<20), 0), "deep list": text(bytes.Repeat([]byte("["), 1<<20), 0),
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, nil)
			if err := errors.Join(os.Remove(s.document), put(s.document)); err != nil {
				t.Fatal(err)
			}
			for i := range reading {
				s.perform(i)
				if err := errors.Join(os.RemoveAll(filepath.Join(s.dir, "out")),
					os.RemoveAll(filepath.Join(s.dir, "out.prom"))); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestTimesOfStrangers replaces all times by the earliest and the latest possible time.
func TestTimesOfStrangers(t *testing.T) {
	text := encoded(t, small())
	times := regexp.MustCompile(`"2026-[^"]*Z"`)
	if len(times.FindAll(text, -1)) < 4 {
		t.Fatalf("no times in %s", text)
	}
	for _, first := range []bool{true, false} {
		for i := range reading {
			n := 0
			newStage(t, times.ReplaceAllFunc(text, func([]byte) []byte {
				if n++; (n%2 == 0) == first {
					return []byte(`"0001-01-01T00:00:00Z"`)
				}
				return []byte(`"9999-12-31T23:59:59.999999999Z"`)
			})).perform(i)
		}
	}
}

// FuzzDocuments runs a command with arbitrary bytes as its document.
func FuzzDocuments(f *testing.F) {
	good := encoded(f, small())
	for i := range reading {
		f.Add(good, uint8(i))
	}
	for leaf := range 40 {
		f.Add(with(f, 7*leaf, steering), uint8(leaf))
		f.Add(with(f, 5*leaf, 1e18), uint8(leaf))
	}
	f.Add([]byte("{}"), uint8(0))
	f.Add(good[:len(good)/2], uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, command uint8) {
		newStage(t, text).perform(int(command) % len(reading))
	})
}

// FuzzValues runs a command with a document in which one string or number is replaced by an arbitrary value.
func FuzzValues(f *testing.F) {
	for i := range 8 * len(reading) {
		text := []string{steering, "5e-324", "1e308", "1e-18", "1e18", "18446744073709551615", "0", "-1"}[i%8]
		f.Add(uint16(i*37), text, uint8(i/8))
	}
	f.Fuzz(func(t *testing.T, leaf uint16, text string, command uint8) {
		var value any = text
		if json.Valid([]byte(text)) {
			value = json.RawMessage(text)
		}
		newStage(t, with(t, int(leaf), value)).perform(int(command) % len(reading))
	})
}
