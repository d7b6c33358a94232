//go:build cgo

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/resulttest"
)

// stored returns the only document in a tree of results, after its run has ended.
func stored(t *testing.T, l *launched, tree string) history.Record {
	t.Helper()
	var records []history.Record
	l.within(endsWithin, "the end of the stored document", func() bool {
		var err error
		records, _, err = history.Load(tree)
		return err == nil && records[0].State != result.Running
	})
	if len(records) != 1 {
		t.Fatalf("%d documents, want 1", len(records))
	}
	resulttest.Validate(t, records[0].Path)
	return records[0]
}

func TestRunsAreStoredInATreeOfResults(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(t.TempDir(), "new", "tree")
	l := launchSerial(t, smallDisk(t, "8M"), "-e", "1M", "--results", tree, "--label", "nightly", "--cluster", "blue")
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	doc, kept := l.document(), stored(t, l, tree)
	if doc.RunID != kept.RunID || kept.State != result.Complete || len(kept.Cases) != 2 {
		t.Errorf("--json has run %s, the tree %s, %s with %d cases", doc.RunID, kept.RunID, kept.State, len(kept.Cases))
	}
	want := result.Identity{Cluster: "blue", Filesystem: l.base, Label: "nightly"}
	if kept.Identity != want {
		t.Errorf("identity %+v, want %+v", kept.Identity, want)
	}
	if path := history.DocumentPath(tree, kept.Document); kept.Path != path ||
		!strings.HasSuffix(path, "/nightly/"+doc.RunID+".json") {
		t.Errorf("stored as %s, want %s", kept.Path, path)
	}

	t.Setenv("H5PERF_RESULTS", tree)
	if status := launchSerial(t, t.TempDir(), "-e", "1M", "--filesystem", "disk").wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	records, _, err := history.Load(filepath.Join(tree, host, "disk", "*"))
	if err != nil || len(records) != 1 || records[0].Identity.Label != records[0].Parameters.Hash() {
		t.Errorf("by H5PERF_RESULTS: %d documents (%v)", len(records), err)
	}
}

func TestFailedAndInterruptedRunsAreStored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base string
		kill syscall.Signal
		args []string
		want result.State
	}{
		"full disk": {
			base: smallDisk(t, "1M"), args: []string{"-e", "4M", "--space-check", "off"}, want: result.Failed,
		},
		"no directory": {base: filepath.Join(t.TempDir(), "no", "such"), want: result.Failed},
		"SIGTERM": {
			base: t.TempDir(), kill: syscall.SIGTERM, args: []string{"-i", "100000"}, want: result.Interrupted,
		},
		"SIGKILL": {base: t.TempDir(), kill: syscall.SIGKILL, args: []string{"-i", "100000"}, want: result.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			tree := t.TempDir()
			l := launchSerial(t, c.base, append(c.args, "--results", tree)...)
			if c.kill != 0 {
				l.working()
				if err := l.cmd.Process.Signal(c.kill); err != nil {
					t.Fatal(err)
				}
			}
			l.fails(startTime)
			if doc := stored(t, l, tree); doc.State != c.want || len(doc.Errors) == 0 {
				t.Errorf("the stored document is %s with errors %v, want %s", doc.State, doc.Errors, c.want)
			}
		})
	}
}

func TestTheDocumentGoesToStandardOutputAndToTheTree(t *testing.T) {
	tree := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	l := launchSerial(t, t.TempDir(), "-e", "1M", "--json", "-", "--results", tree)
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	path := stored(t, l, tree).Path
	if data, err := os.ReadFile(path); err != nil || string(data) != l.stdout.String() {
		t.Errorf("standard output is not what is stored (%v)", err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("temporary files are left: %v (%v)", left, err)
	}
}

func TestATreeThatCannotBeMadeIsToldBeforeAnyCase(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := launchSerial(t, t.TempDir(), "--results", filepath.Join(file, "tree"))
	if status := l.wait(startTime); status != result.ExitFailed ||
		strings.Count(l.stderr.String(), "tree of results: mkdir "+file+": not a directory") != 1 {
		t.Errorf("exit status %d, want %d and the reason, once", status, result.ExitFailed)
	}
	if doc := l.document(); doc.State != result.Failed || len(doc.Cases) != 0 {
		t.Errorf("document is %s with %d cases, want failed without", doc.State, len(doc.Cases))
	}
	l.cleaned()
}
