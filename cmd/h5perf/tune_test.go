//go:build cgo && !nompi

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
)

// A variant that cannot begin costs its turn, not the run.
func TestTuneLeavesOutWhatFails(t *testing.T) {
	t.Parallel()
	bin, json := t.TempDir(), filepath.Join(t.TempDir(), "t.json")
	lfs := `#!/bin/sh
case "$*" in
setstripe*-c\ 4*) echo "no such pool" >&2; exit 5;;
getstripe*) echo "stripe_count:  1 stripe_size:   1048576 pattern:       raid0 stripe_offset: -1";;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "lfs"), []byte(lfs), 0o755); err != nil {
		t.Fatal(err)
	}
	l := launch(t, 2, t.TempDir(), []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "H5PERF_STRIPE_TOOL=lfs"}, nil,
		"tune", "--json", json, "--try", "stripe=4", "--try", "stripe=2", "--try", "align=4K", "--try",
		"driver=nosuch", "--runs", "12", "--", "-p", "2", "-w")
	if status := l.wait(5 * startTime); status != 0 {
		t.Fatalf("exit status %d: %s", status, l.stderr.String())
	}
	out := plaintest.Unwrap(l.stdout.String())
	if !strings.Contains(out, "\nnot tried: driver=nosuch: --driver ") ||
		!strings.Contains(out, "\nnot tried: stripe=4: --stripe 4: ") || !strings.Contains(out, "no such pool") ||
		strings.Contains(out, "not tried: stripe=2") || strings.Contains(out, "not tried: align") {
		t.Errorf("the result is\n%s", out)
	}
	l.cleaned()
}

// An interrupted search ends with status 143, without a result and without data files.
func TestTuneIsInterrupted(t *testing.T) {
	t.Parallel()
	documents := t.TempDir()
	l := launch(t, 2, t.TempDir(), nil, nil, "tune", "--try", "align=4K,64K,1M", "--time", "0", "--runs", "100000",
		"--json", filepath.Join(documents, "t.json"), "--", "-p", "2")
	l.json = filepath.Join(documents, "t.json")
	document := filepath.Join(documents, "t-search-align=4K.json")
	l.within(2*startTime, "a document", func() bool {
		_, err := os.Stat(document)
		return err == nil
	})
	l.working()
	l.signal(0, syscall.SIGTERM)
	if status := l.wait(startTime + 10*time.Second); status != result.ExitStopped && !l.loses {
		t.Errorf("exit status %d", status)
	}
	if out := l.stdout.String(); out != "" {
		t.Errorf("it prints %s", out)
	}
	l.json = document
	if doc := l.document(); doc.State != result.Interrupted {
		t.Errorf("the document is %s", doc.State)
	}
	l.cleaned()
}

// Where nothing can be tried, tune says so before it measures.
func TestTuneRefusesWhatItCannotTry(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--try align=64K -- serial":                                  "for the serial tool, use vary",
		"--try alignn=64K -- -p 1":                                   `"alignn" is neither an option nor`,
		"--try align=64K -- -p 1 --sweep x=1K,2K":                    "--sweep: ",
		"--try evict-on-close=on -- -p 1":                            "no variant can be measured: evict-on-close=on: ",
		"nosuch --try align=64K":                                     "nosuch",
		"--try align=64K -- -p 1 --deadline 2020-01-01T00:00:00Z":    "this time has passed",
		"--try align=64K --time 1ms -- -p 1 -x 64K -X 64K -e 64K -w": "--time, --deadline: 1 ms are too short",
	} {
		json := filepath.Join(t.TempDir(), "t.json")
		l := launch(t, 1, t.TempDir(), nil, nil, append([]string{"tune", "--json", json}, strings.Fields(args)...)...)
		if status := l.wait(2 * startTime); status != result.ExitUsage {
			t.Errorf("%s: exit status %d: %s", args, status, l.stdout.String())
		}
		if said := plaintest.Unwrap(l.stderr.String()); !strings.Contains(said, want) {
			t.Errorf("%s: %s", args, said)
		}
	}
}
