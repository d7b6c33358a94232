package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/plaintest"
)

// clean runs clean with a clock that is one hour ahead.
func clean(t *testing.T, user string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status, err := Run(append([]string{"clean"}, args...), "", &Clean{}, Env{
		Stdout: &out, Stderr: &errs, Now: func() time.Time { return time.Now().Add(time.Hour) },
		Lookup: func(name string) (string, bool) { return user, name == "USER" },
	})
	if err != nil {
		return result.ExitUsage, "", err.Error()
	}
	return status, out.String(), errs.String()
}

// left creates a private directory with two data files, without information about its run.
func left(t *testing.T, base string) rundir.Dir {
	t.Helper()
	d, err := rundir.NewDir(base, false, rundir.NewRunID(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	held, err := d.Make()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = held.Close() })
	for _, path := range []string{d.DataPath("1", "posix"), d.DataPath("2", "phdf5")} {
		if err := os.WriteFile(path, make([]byte, 8192), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func exists(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Lstat(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return err == nil
}

func TestCleanListsAndRemovesOnlyWhenAsked(t *testing.T) {
	base := t.TempDir()
	d := left(t, base)
	own := filepath.Join(base, "anna")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	below := left(t, own)
	status, out, errs := clean(t, "anna", base)
	if status != 0 || errs != "" || !strings.Contains(out, filepath.Base(d.Path)) ||
		!strings.Contains(out, "anna/"+filepath.Base(below.Path)) ||
		strings.Count(plaintest.Unwrap(out), "left: the run may be active on another node") != 2 {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	if status, out, _ = clean(t, "anna", base, "--remove"); status != 0 || !exists(t, d.Path) {
		t.Errorf("status %d, and within the default of --older-than it exists: %v\n%s", status, exists(t, d.Path), out)
	}
	if status, out, _ = clean(t, "anna", base, "--older-than", "30m"); status != 0 ||
		strings.Count(plaintest.Unwrap(out), "can be removed (--remove)") != 2 || !exists(t, d.Path) {
		t.Errorf("status %d\n%s", status, out)
	}
	if status, out, _ = clean(t, "anna", base, "--older-than", "30m", "--remove"); status != 0 ||
		strings.Count(out, "removed\n") != 2 ||
		exists(t, d.Path) || exists(t, below.Path) {
		t.Errorf("status %d\n%s", status, out)
	}
	if status, out, _ = clean(t, "anna", base); status != 0 || out != "no run has left anything in "+base+"\n" {
		t.Errorf("status %d\n%s", status, out)
	}
}

func TestCleanNamesForeignFilesAndLeavesThem(t *testing.T) {
	base := t.TempDir()
	d := left(t, base)
	precious := filepath.Join(d.Path, "thesis.h5")
	if err := os.WriteFile(precious, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, _ := clean(t, "", base, "--older-than", "0s", "--remove")
	const told = "left: it holds files that no run creates: thesis.h5"
	if status != 0 || !strings.Contains(plaintest.Unwrap(out), told) || !exists(t, precious) ||
		!exists(t, d.DataPath("1", "posix")) {
		t.Errorf("status %d\n%s", status, out)
	}
}

func TestCleanPrintsJSON(t *testing.T) {
	base := t.TempDir()
	if _, out, _ := clean(t, "", base, "--json"); out != "[]\n" {
		t.Errorf("nothing left is %q", out)
	}
	d := left(t, base)
	status, out, _ := clean(t, "", base, "--json", "--remove", "--older-than", "1s")
	var found []map[string]any
	if err := json.Unmarshal([]byte(out), &found); err != nil || status != 0 || len(found) != 1 {
		t.Fatalf("status %d, %v\n%s", status, err, out)
	}
	if f := found[0]; f["path"] != d.Path || f["run_id"] != d.RunID || f["state"] != "unknown" ||
		f["data_files"] != 2.0 || f["bytes"] == 0.0 || f["removed"] != true {
		t.Errorf("found %v", f)
	}
}

func TestCleanOfADirectoryThatIsNotThereIsWrongUsage(t *testing.T) {
	if status, _, errs := clean(t, "", "/no/such"); status != result.ExitUsage ||
		!strings.Contains(errs, "/no/such: no such file") {
		t.Errorf("status %d: %s", status, errs)
	}
}

func TestCleanShowsNothingThatSteersATerminal(t *testing.T) {
	base := t.TempDir()
	d := left(t, base)
	owner := `{"run_id":"` + d.RunID + `","host":"\u001b[31mn1\nn2","boot_id":"b","pid_namespace":"p","start_time":"1"}`
	for name, text := range map[string]string{"run.json": owner, "thesis\x1b[2J.h5": ""} {
		if err := os.WriteFile(filepath.Join(d.Path, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{base}, {base, "--json"}, {base, "--remove", "--older-than", "1ns"}} {
		if _, out, errs := clean(t, "", args...); strings.Contains(out+errs, "\x1b") ||
			len(args) == 1 && len(regexp.MustCompile(`(?m)^\S`).FindAllString(out, -1)) != 2 {
			t.Errorf("%v: %q, %q", args, out, errs)
		}
	}
	if !exists(t, d.Path) {
		t.Error("a directory with a file that is not the run's was removed")
	}
}
