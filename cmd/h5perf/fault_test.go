//go:build cgo && !nompi

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"h5perf/pkg/result"
)

// rankScript returns a wrapper that runs a shell command before the tool, on one rank only.
func rankScript(t *testing.T, rank, command string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wrapper")
	script := "#!/bin/sh\n" +
		"if [ \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = " + rank + " ]; then " + command + "; fi\n" +
		"exec \"$@\"\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return []string{path}
}

func TestAFullDiskIsAnErrorOfEveryAPI(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"-A posix,mpiio,phdf5", "-A mpiio -C -I", "-A phdf5 -C", "-A phdf5 -c", "-A phdf5 -m",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			l := launch(t, 2, smallDisk(t, "1M"), nil, nil,
				append(strings.Fields(args), "-p", "2", "-e", "2M", "-x", "256K", "-X", "256K", "-B", "64K",
					"--space-check", "off", "--timeout", "30s")...)
			l.fails(startTime + endsWithin)
			doc := l.document()
			if doc.State != result.Failed || len(doc.Errors) == 0 || len(doc.Cases) != 1+strings.Count(args, ",") {
				t.Fatalf("document is %s with %d cases and errors %v, want failed", doc.State, len(doc.Cases),
					doc.Errors)
			}
			for _, c := range doc.Cases {
				if c.State != result.Failed || len(c.Samples) != 0 {
					t.Errorf("%s is %s; a figure for what failed: %+v", c.API, c.State, c.Samples)
				}
			}
			if strings.Contains(l.stdout.String(), "Throughput") {
				t.Errorf("the report shows a figure")
			}
			l.cleaned()
		})
	}
}

func TestAFullDiskKeepsWhatWasMeasuredBefore(t *testing.T) {
	t.Parallel()
	// The first step, with two processes, needs twice as much space as the second one.
	l := launch(t, 2, smallDisk(t, "3M"), nil, nil, "-A", "posix", "-e", "2M", "-x", "2M", "-X", "2M", "-p", "1", "-P",
		"2", "--space-check", "off")
	l.fails(startTime + endsWithin)
	doc := l.document()
	if len(doc.Cases) != 2 || doc.Cases[0].State != result.Failed || doc.Cases[1].State != result.Complete ||
		len(doc.Cases[1].Samples) != 2 {
		t.Errorf("cases %+v, want one failed and one with its samples", doc.Cases)
	}
	if doc.State != result.Failed {
		t.Errorf("state %s, want failed", doc.State)
	}
	l.cleaned()
}

func TestADiskThatIsTooSmallIsRefused(t *testing.T) {
	t.Parallel()
	l := launch(t, 2, smallDisk(t, "1M"), nil, nil, "-A", "posix", "-g", "-e", "1K", "-p", "2", "-w") // 2 KiB × 2 KiB
	if status := l.wait(startTime); status != result.ExitUsage {
		t.Errorf("exit status %d, want %d", status, result.ExitUsage)
	}
	want := "the largest data file needs 4 MiB, but tmpfs on " + l.base + " has 1 MiB free"
	if strings.Count(l.stderr.String(), want) != 1 {
		t.Errorf("standard error does not say %q once", want)
	}
	if _, err := os.Lstat(l.json); !os.IsNotExist(err) {
		t.Errorf("there is a document: %v", err)
	}
	l.cleaned()
}

func TestAMissingPrefixIsAnErrorBeforeAnyCase(t *testing.T) {
	t.Parallel()
	l := launch(t, 2, filepath.Join(t.TempDir(), "no", "such"), nil, nil)
	l.fails(startTime + endsWithin)
	if !strings.Contains(l.stderr.String(), "no such file or directory") ||
		strings.Contains(l.stdout.String(), "Throughput") {
		t.Error("want the system's text and no figure")
	}
	if doc := l.document(); doc.State != result.Failed || len(doc.Cases) != 0 {
		t.Errorf("document is %s with %d cases, want failed without", doc.State, len(doc.Cases))
	}
}

func TestOneRankWithAnUnwritableDirectoryFailsTheRun(t *testing.T) {
	t.Parallel()
	for _, api := range []string{"posix", "mpiio", "phdf5"} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			// Rank 1 sees the directory as read-only, in its own mount namespace.
			wrapper := rankScript(t, "1",
				`exec unshare -m sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"' `+base+
					` "$@"`)
			l := launch(t, 2, base, nil, wrapper, "-A", api, "-p", "2", "--timeout", "30s")
			l.fails(startTime + endsWithin)
			if !strings.Contains(l.stderr.String(), "ead-only") && !strings.Contains(l.stderr.String(), "READ_ONLY") {
				t.Error("the reason is not told")
			}
			if doc := l.document(); doc.State != result.Failed || len(doc.Errors) == 0 {
				t.Errorf("document is %s with errors %v", doc.State, doc.Errors)
			}
			l.cleaned()
		})
	}
}

func TestRanksWithDifferentDirectoriesAreRefused(t *testing.T) {
	t.Parallel()
	l := launch(t, 2, t.TempDir(), nil, rankScript(t, "1", "HDF5_PARAPREFIX=/dev; export HDF5_PARAPREFIX"))
	l.fails(startTime + endsWithin)
	if s := l.stderr.String(); !strings.Contains(s, "rank 1") || !strings.Contains(s, "/dev") {
		t.Error("the rank and its directory are not told")
	}
	l.cleaned()
}

// endless returns the arguments of a run that does not end by itself during a test.
func endless(args ...string) []string {
	return append(args, "-p", "2", "-i", "100000", "-e", "1M", "-x", "64K", "-X", "64K", "-B", "4K")
}

func TestSignalsInterruptTheRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		rank   bool // sent to one rank, not to the launcher
		args   string
	}{
		{"SIGTERM to one rank", syscall.SIGTERM, true, "-A phdf5 -C"},
		{"SIGINT to one rank", syscall.SIGINT, true, "-A posix"},
		{"SIGTERM to the launcher", syscall.SIGTERM, false, "-A mpiio -C -I"},
		{"SIGINT to the launcher", syscall.SIGINT, false, "-A phdf5 -C"},
	} {
		t.Run(c.name+" "+c.args, func(t *testing.T) {
			t.Parallel()
			l := launch(t, 2, t.TempDir(), nil, nil, endless(strings.Fields(c.args)...)...)
			l.working()
			if c.rank {
				l.signal(1, c.signal)
			} else if err := l.cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			l.broken()
		})
	}
}

func TestAKilledRankEndsTheRun(t *testing.T) {
	t.Parallel()
	for victim, args := range []string{"-A posix", "-A mpiio -C", "-A phdf5"} {
		victim %= 2
		t.Run(fmt.Sprintf("%s rank %d", args, victim), func(t *testing.T) {
			t.Parallel()
			l := launch(t, 2, t.TempDir(), nil, nil, endless(strings.Fields(args)...)...)
			l.working()
			l.signal(victim, syscall.SIGKILL)
			l.broken()
		})
	}
}

// broken checks what holds for every run that a signal has ended.
func (l *launched) broken() {
	l.t.Helper()
	l.fails(endsWithin)
	l.cleaned()
	doc := l.document()
	if doc.State != result.Interrupted && doc.State != result.Failed || len(doc.Errors) == 0 {
		l.t.Errorf("document is %s with errors %v", doc.State, doc.Errors)
	}
}

func TestForeignFilesSurvive(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	precious := filepath.Join(t.TempDir(), "precious")
	for _, name := range []string{precious, filepath.Join(base, "data_1.posix")} {
		if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"#pio_tmp_1.h5", "#pio_tmp_1.mpio", "#pio_tmp_1.posix", "data_1.h5", "data_1.mpio"}
	for _, name := range names {
		if err := os.Symlink(precious, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	l := launch(t, 2, base, nil, nil)
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	for _, name := range []string{precious, filepath.Join(base, "data_1.posix")} {
		if data, err := os.ReadFile(name); err != nil || string(data) != "mine" {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
	}
	l.cleaned(append(names, "data_1.posix")...)
}

func TestTwoRunsInOneDirectoryDoNotMeet(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	var runs [2]*launched
	var wg sync.WaitGroup
	for i := range runs {
		runs[i] = launch(t, 2, base, nil, nil, "-D", "v", "-i", "20", "-p", "2")
	}
	for _, l := range runs {
		wg.Go(func() { <-l.ended })
	}
	wg.Wait()
	for _, l := range runs {
		if status := l.wait(startTime); status != 0 {
			t.Errorf("exit status %d", status)
		}
		if doc := l.document(); doc.State != result.Complete {
			t.Errorf("document is %s", doc.State)
		}
	}
	runs[0].cleaned()
}
