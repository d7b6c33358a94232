//go:build cgo

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/result"
)

func TestFilesThatCannotBeMeantAreRefusedBeforeTheRun(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-o", "/no/such/report"}, "-o: report /no/such/report: stat /no/such: no such file or directory"},
		{[]string{"--json", "/no/such/run.json"}, "/no/such/run.json: stat /no/such: no such file or directory"},
		{[]string{"--json", file + "/run.json"}, file + " is not a directory"},
		{[]string{"--textfile", "/no/such/h5perf.prom"}, "--textfile: textfile /no/such/h5perf.prom: stat /no/such: " +
			"no such file or directory"},
		{[]string{"--read-only", "/no/such/data_1.posix"}, "--read-only /no/such/data_1.posix: stat " +
			"/no/such/data_1.posix: no such file or directory"},
		{[]string{"--read-only", "/dev/null"}, "--read-only /dev/null: is not a regular file"},
	} {
		l := launchSerial(t, t.TempDir(), append(c.args, "-A", "posix")...)
		if status := l.wait(startTime); status != result.ExitUsage ||
			strings.Count(l.stderr.String(), "h5perf: ") != 1 ||
			!strings.Contains(l.stderr.String(), c.want) {
			t.Errorf("%v: exit status %d, want %d and once %q, got %s", c.args, status, result.ExitUsage, c.want,
				l.stderr.String())
		}
		if _, err := os.Lstat(l.json); l.stdout.String() != "" || !os.IsNotExist(err) {
			t.Errorf("%v: there is a report or a document: %v", c.args, err)
		}
		l.cleaned()
	}
}

func TestAFileOfSeveralIsReadByItsName(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	args := []string{"-e", "2M", "-x", "256K", "-A", "hdf5", "-v", "split"}
	if status := launchSerial(t, base, append(args, "--keep")...).wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	parts, err := filepath.Glob(filepath.Join(base, "*", "data_*_1-m.h5"))
	if err != nil || len(parts) != 1 {
		t.Fatalf("%v, %v", parts, err)
	}
	file := strings.Replace(parts[0], "-m.h5", ".h5", 1)
	if status := launchSerial(t, t.TempDir(), append(args, "--read-only", file)...).wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

func TestAnUnwritableReportIsRefused(t *testing.T) {
	t.Parallel()
	l := launchSerial(t, t.TempDir(), "-o", t.TempDir())
	if status := l.wait(startTime); status != result.ExitUsage {
		t.Errorf("exit status %d, want %d", status, result.ExitUsage)
	}
	if n := strings.Count(l.stderr.String(), ": is a directory"); n != 1 {
		t.Errorf("the reason is told %d times", n)
	}
	l.cleaned()
}

func TestATargetThatWillNotDoIsRefused(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-e 2M --keep":    "the data files, which are kept, need ",
		"--preset strict": "--preset strict: the data files would be on tmpfs, which is memory",
	} {
		l := launchSerial(t, smallDisk(t, "1M"), strings.Fields(args)...)
		if status := l.wait(startTime); status != result.ExitUsage || strings.Count(l.stderr.String(), want) != 1 {
			t.Errorf("%s: exit status %d, want %d and %q once", args, status, result.ExitUsage, want)
		}
		if _, err := os.Lstat(l.json); !os.IsNotExist(err) {
			t.Errorf("there is a document: %v", err)
		}
		l.cleaned()
	}
}
