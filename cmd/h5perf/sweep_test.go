//go:build cgo && !nompi

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
)

// Each combination of values is a case of one document, with its own parameters, and reports know the values.
func TestValuesOfAWorkloadAreSwept(t *testing.T) {
	t.Parallel()
	documents := t.TempDir()
	l := launch(t, 2, t.TempDir(), nil, nil, "run", "particles", "--size", "tiny", "--sweep", "mode", "--sweep",
		"dumps=1,2,3", "-A", "phdf5", "-i", "6", "--json", filepath.Join(documents, "v.json"))
	if status := l.wait(3 * startTime); status != 0 {
		t.Fatalf("exit status %d: %s", status, l.stderr.String())
	}
	l.json = filepath.Join(documents, "v.json")
	doc := l.document()
	if doc.State != result.Complete || len(doc.Cases) != 6 || doc.PlannedCases != 6 || len(doc.Swept) != 6 {
		t.Fatalf("%s, %d of %d cases, %d combinations", doc.State, len(doc.Cases), doc.PlannedCases, len(doc.Swept))
	}
	written := map[string]uint64{}
	for _, c := range doc.Cases {
		p := doc.ParametersOf(c)
		for _, kv := range c.Values {
			if !strings.Contains(strings.Join([]string{
				result.ValuesText(p.Workload.Sizes), result.ValuesText(p.Workload.Chosen),
			}, ", "), kv.Key+"="+kv.Value) {
				t.Errorf("case %v: parameters %+v", c.Values, p.Workload)
			}
		}
		written[result.ValuesText(c.Values)] = c.Samples[0].Bytes
	}
	if a, b := written["mode=collective, dumps=1"], written["mode=collective, dumps=3"]; a == 0 || b != 3*a {
		t.Errorf("bytes %v", written)
	}
	stdout := plaintest.Unwrap(l.stdout.String())
	for _, want := range []string{
		"workload particles, size=tiny, different dumps, mode", "mode         dumps  processes", "independent  3  ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"report":                           "independent  3 ",
		"report --csv":                     "size=tiny, dumps=3, mode=independent",
		"report --html -":                  "Throughput against values of --sweep",
		"report --export openmetrics":      `variant="size=tiny, dumps=3, mode=independent"`,
		"compare " + l.json:                "all 2 points, dumps=3, mode=independent",
		"report --lines":                   "size=tiny,dumps=3,mode=independent",
		"report --export ndjson --partial": `"variant":"size=tiny, dumps=3, mode=independent"`,
	} {
		report := exec.Command(exe, append(strings.Fields(line), l.json)...)
		report.Env = append(os.Environ(), beTool+"=1")
		out, err := report.CombinedOutput()
		if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended ||
			!strings.Contains(plaintest.Unwrap(string(out)), want) || strings.Contains(string(out), "workload.sizes") {
			t.Errorf("%s: %v, no %q in %.3000s", line, err, want, out)
		}
	}
}
