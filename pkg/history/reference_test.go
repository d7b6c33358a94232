package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

func TestReferencesThatAreSetAtOnceAreAllKept(t *testing.T) {
	tree := t.TempDir()
	const writers = 20
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			p := history.PinnedReference{
				Note: "x", Identity: result.Identity{Label: fmt.Sprint(i)},
				Runs: []string{"a"},
			}
			if err := history.PinReferences(tree, p); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	pinned, err := history.ReadReferences(tree)
	if err != nil || len(history.CurrentReferences(pinned)) != writers {
		t.Errorf("%d of %d, %v", len(history.CurrentReferences(pinned)), writers, err)
	}
	if files, err := os.ReadDir(tree); err != nil || len(files) != 1 {
		t.Errorf("left: %v, %v", files, err)
	}
}

func TestAReferenceFileIsReadOnlyIfItCanBeOne(t *testing.T) {
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"FIFO":  {func(path string) error { return unix.Mkfifo(path, 0o600) }, "not a regular file"},
		"zeros": {func(path string) error { return os.Symlink("/dev/zero", path) }, "not a regular file"},
		"large": {func(path string) error {
			return os.WriteFile(path, make([]byte, 17<<20), 0o600)
		}, "more than 16777216 bytes"},
		"truncated": {func(path string) error {
			return os.WriteFile(path, []byte(`{"reference_version": 1, "note": "a`), 0o600)
		}, "line 1: unexpected end of JSON"},
		"escape sequences": {func(path string) error {
			return os.WriteFile(path, []byte(`{"reference_version": 1, "note": "\u001b[2J"}`), 0o600)
		}, `line 1: "\x1b[2J" has characters that cannot be shown`},
		"newer": {func(path string) error {
			return os.WriteFile(path, []byte("\n{\"reference_version\": 2}\n"), 0o600)
		}, "line 2: reference_version 2; this program reads version 1"},
	} {
		tree := t.TempDir()
		if err := c.make(filepath.Join(tree, history.ReferenceFile)); err != nil {
			t.Fatal(err)
		}
		if _, err := history.ReadReferences(tree); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err := history.PinReferences(tree, history.PinnedReference{Note: "x"}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: pinned: %v, want %q", name, err, c.want)
		}
	}
}
