package rundir_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"h5perf/pkg/rundir"
)

func TestOtherRunsOfATreeAreSeen(t *testing.T) {
	now := time.Now()
	top := t.TempDir()
	make1 := func(base, id string, owner bool) rundir.Dir {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(top, base), 0o755); err != nil {
			t.Fatal(err)
		}
		d, err := rundir.NewDir(filepath.Join(top, base), false, id)
		if err != nil {
			t.Fatal(err)
		}
		held, err := d.Make()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = held.Close() }()
		if owner {
			if err := held.WriteOwner(rundir.NewOwner(d, false)); err != nil {
				t.Fatal(err)
			}
		}
		return d
	}
	own := make1("me", "20260101T000000Z-0000000001", true)
	if got := own.OtherRuns(top, now); len(got) > 0 {
		t.Errorf("alone: %q", got)
	}
	beside := make1("me", "20260101T000000Z-0000000002", true) // of this process, which still runs
	other := make1("you", "20260101T000000Z-0000000003", false)
	above := make1("", "20260101T000000Z-0000000004", false)
	want := []string{above.Path, beside.Path, other.Path}
	if got := own.OtherRuns(top, now); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := own.OtherRuns("", now); !slices.Equal(got, []string{beside.Path}) {
		t.Errorf("without a tree: %q", got)
	}
	// Runs without an owner count as ended if their directories have not changed for a long time.
	if got := own.OtherRuns(top, now.Add(time.Hour)); !slices.Equal(got, []string{beside.Path}) {
		t.Errorf("an hour later: %q", got)
	}
}
