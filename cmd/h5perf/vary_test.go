//go:build cgo && !nompi

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
)

func TestLayoutsAreMeasuredInTurns(t *testing.T) {
	t.Parallel()
	base, documents := t.TempDir(), t.TempDir()
	l := launch(t, 2, base, nil, nil, "layouts", "--size", "tiny", "-D", "v", "-i", "2", "--layout", "chunked",
		"--keep",
		"--json", filepath.Join(documents, "l.json"))
	if status := l.wait(3 * startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	first := ""
	for i, c := range []struct{ layout, objects string }{
		{"as-it-is", "/step=0/array=2 Dataset {10, 40}"},
		{"given-chunked-independent", "/step=1/array=0 Dataset {10, 40}"},
		{"given-chunked-collective", "/step=1/array=2 Dataset {10, 40}"},
		{"dumps-chunked-independent", "/array=1 Dataset {2, 10, 40}"},
		{"dumps-chunked-collective", "/array=2 Dataset {2, 10, 40}"},
		{"arrays-chunked-independent", "/step=1/arrays Dataset {3, 10, 40}"},
		{"arrays-chunked-collective", "/step=1/arrays Dataset {3, 10, 40}"},
		{"both-chunked-independent", "/arrays Dataset {2, 3, 10, 40}"},
		{"both-chunked-collective", "/arrays Dataset {2, 3, 10, 40}"},
	} {
		l.json = filepath.Join(documents, "l-"+c.layout+".json")
		doc := l.document()
		if i == 0 {
			first = doc.RunID
		}
		if doc.State != result.Complete || len(doc.Cases) != 1 || doc.FirstArmRunID() != first ||
			doc.Parameters.Workload == nil {
			t.Fatalf("%s: %s, %d cases, measured in turns with %s", c.layout, doc.State, len(doc.Cases),
				doc.FirstArmRunID())
		}
		one := doc.Cases[0]
		if one.API != result.PHDF5 || !one.Verified || len(one.Samples) != 4 || one.Samples[0].Bytes != 2*9600 {
			t.Errorf("%s: %s, verified %v, %d samples", c.layout, one.API, one.Verified, len(one.Samples))
		}
		_, id, _ := strings.Cut(doc.RunID, "-")
		file := filepath.Join(base, "h5perf-"+doc.RunID, "data_"+id+"_arrays.h5")
		out, err := exec.Command("h5ls", "-r", file).CombinedOutput()
		if text := strings.Join(strings.Fields(string(out)), " "); err != nil || !strings.Contains(text, c.objects) {
			t.Errorf("%s: no %q in %s, %v", c.layout, c.objects, text, err)
		}
	}
	stdout := l.stdout.String()
	for _, want := range []string{
		"Variants of the workload arrays: 2 processes on 1 node, 2 iterations of 9 variants in turns through HDF5\n",
		"both, chunked, collective",
		"Caution: With 2 iterations, no difference can be shown. Use -i ",
	} {
		if !strings.Contains(plaintest.Unwrap(stdout), want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if n := strings.Count(stdout, "\n"); n > 40 {
		t.Errorf("the comparison has %d lines", n)
	}
}
