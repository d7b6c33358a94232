// Package reframe_test runs the tests for ReFrame with a stub of it, on real documents.
package reframe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/figures"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
)

// driven is what drive.py prints.
type driven struct {
	Command, After, Kept []string
	Environment          map[string]string
	Fault                string
	Values               map[string]float64
	Units                map[string]string
}

// drive runs a test in a directory with the files of its run.
func drive(t *testing.T, name, stage string, values map[string]any) (said driven) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatalf("%v: '.ci/setup test' installs it", err)
	}
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() // what Go has copied counts for whether a result of the test is still valid
	if err := os.CopyFS(dir, os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/drive.py", name, stage, string(text))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PYTHONPATH=testdata/stub:.")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return said
}

// example returns a real document, after edit has changed it.
func example(t *testing.T, name string, edit func(*result.Document)) result.Document {
	t.Helper()
	doc, err := result.Read(filepath.Join("../../results/examples", name))
	if err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		edit(&doc)
	}
	return doc
}

// staged returns a directory as a run leaves it.
func staged(t *testing.T, doc result.Document) string {
	t.Helper()
	dir := t.TempDir()
	if err := result.Write(filepath.Join(dir, "h5perf.json"), doc); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.WriteNDJSON(&b, []figures.Run{{Name: "h5perf.json", Document: doc}}, false); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "h5perf.ndjson"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestThePerformanceIsThatOfTheDocument(t *testing.T) {
	run := figures.Run{Document: example(t, "parallel.json", nil)}
	said := drive(t, "h5perf_transfer", staged(t, run.Document), map[string]any{
		"directory": "/scratch", "reference": map[string]any{
			"site:compute": map[string]any{"write_posix_2_1048576": []any{1e6, -0.1, nil, "B/s"}},
			"elsewhere":    map[string]any{"nothing": []any{1e6, -0.1, nil, "B/s"}},
		},
	})
	if said.Fault != "" {
		t.Fatal(said.Fault)
	}
	values, units := map[string]float64{}, map[string]string{}
	add := func(p figures.Point, over string, value float64, unit string) {
		name := fmt.Sprintf("%s_%s%s_%d_%d", p.Operation, p.Case.API, over, p.Case.Processes,
			figures.TransferBytes(p.Case))
		values[name], units[name] = value, unit
	}
	for _, p := range run.Points() {
		add(p, "", p.Rate.Median, "B/s")
	}
	for _, r := range run.LayerRatios() {
		add(r.Upper, "_over_"+r.Lower.Case.API, r.Value.Median, "ratio")
	}
	if len(values) < 10 {
		t.Fatalf("the document has only %v", values)
	}
	if d := cmp.Diff(values, said.Values); d != "" {
		t.Errorf("(-document +performance)\n%s", d)
	}
	if d := cmp.Diff(units, said.Units); d != "" {
		t.Errorf("units (-want +got)\n%s", d)
	}
}

func TestARunThatCannotBeTrustedFails(t *testing.T) {
	without := func(api string) func(*result.Document) {
		return func(doc *result.Document) {
			doc.Cases = slices.DeleteFunc(doc.Cases, func(c result.Case) bool { return c.API == api })
		}
	}
	for _, c := range []struct {
		name, document string
		edit           func(*result.Document)
		reference      map[string]any
		want           string
	}{
		{"failed", "failed.json", nil, nil, "the run is failed: "},
		{"interrupted", "interrupted.json", nil, nil, "the run is interrupted: "},
		{"killed", "parallel.json", func(doc *result.Document) {
			doc.State, doc.Finished, doc.ExitStatus = result.Running, nil, nil
		}, nil, "the run is running: no error is known"},
		{"braces", "failed.json", func(doc *result.Document) {
			doc.Errors[0].Message = "{x} {0} {"
		}, nil, "the run is failed: {x} {0} {"},
		{"without an API", "parallel.json", without("phdf5"), nil, "not measured: ['phdf5']"},
		{"without a figure", "parallel.json", func(doc *result.Document) {
			c := &doc.Cases[len(doc.Cases)-1]
			c.State, c.Reason, c.Samples = result.Skipped, "no time was left", nil
		}, nil, "no time was left"},
		{"a reference to nothing", "parallel.json", nil, map[string]any{
			"*": map[string]any{"write_posix": []any{1e6, -0.1, nil, "B/s"}},
		}, "references to ['write_posix']"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := staged(t, example(t, c.document, c.edit))
			said := drive(t, "h5perf_transfer", dir, map[string]any{"directory": "/scratch", "reference": c.reference})
			if !strings.Contains(said.Fault, c.want) || len(said.Values) > 0 {
				t.Errorf("%q, %v; want %q and no performance", said.Fault, said.Values, c.want)
			}
		})
	}
}

func TestARunWithoutItsFilesFails(t *testing.T) {
	if said := drive(t, "h5perf_transfer", t.TempDir(), map[string]any{"directory": "/scratch"}); !strings.Contains(
		said.Fault, "refused to run: see rfm_job.err") {
		t.Errorf("no document: %q", said.Fault)
	}
	dir, other := staged(t, example(t, "parallel.json", nil)), staged(t, example(t, "ab-a.json", nil))
	if err := os.Rename(filepath.Join(other, "h5perf.json"), filepath.Join(dir, "h5perf.json")); err != nil {
		t.Fatal(err)
	}
	if said := drive(t, "h5perf_transfer", dir, map[string]any{"directory": "/scratch"}); !strings.Contains(
		said.Fault, "is not of the run") {
		t.Errorf("another document: %q", said.Fault)
	}
}

func TestCommandLines(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		values map[string]any
		want   string
	}{
		"h5perf_transfer": {
			map[string]any{"transfer": "1M", "num_tasks": 8, "options": []string{"-C"}},
			"h5perf -e 64M -x 1M -X 1M -p 8 -A posix,mpiio,phdf5 -C --json h5perf.json",
		},
		"h5perf_workload": {
			map[string]any{"apis": []string{"phdf5"}},
			"h5perf run particles --size site -A phdf5 -i 6 --order random --sync close --cold --json h5perf.json",
		},
	} {
		maps.Copy(c.values, map[string]any{"directory": "/scratch", "results": "/results"})
		said := drive(t, name, dir, c.values)
		if got := strings.Join(said.Command, " "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
		want := driven{
			After: []string{"h5perf report --export ndjson h5perf.json > h5perf.ndjson"},
			Kept:  []string{"h5perf.json", "h5perf.ndjson"},
			Environment: map[string]string{
				"HDF5_PARAPREFIX": "/scratch", "H5PERF_RESULTS": "/results",
			},
		}
		said = driven{After: said.After, Kept: said.Kept, Environment: said.Environment}
		if d := cmp.Diff(want, said); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}
