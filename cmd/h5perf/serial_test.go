//go:build cgo

package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"h5perf/pkg/h5"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// launchSerial starts the serial tool, without a launcher.
func launchSerial(t *testing.T, base string, args ...string) *launched {
	t.Helper()
	return start(t, nil, base, []string{rundir.SerialPrefix + "=" + base}, append([]string{"serial"}, args...))
}

func TestASerialRunThatALauncherStartsSeveralTimesIsTold(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	l := start(t, nil, base, []string{rundir.SerialPrefix + "=" + base, "PMI_SIZE=2", "PMI_RANK=0"},
		[]string{"serial", "-A", "posix", "-e", "1M"})
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	const want = "A launcher started this program 2 times (PMI_SIZE): "
	is := func(c plain.Caution) bool { return strings.HasPrefix(c.Text, want) }
	if !strings.Contains(l.stderr.String(), "h5perf: Caution: "+want) ||
		!slices.ContainsFunc(l.document().Cautions, is) {
		t.Errorf("not told: %s", l.stderr.String())
	}
}

// drivers holds the file drivers that every HDF5 library has.
var drivers = []string{"sec2", "stdio", "core", "split", "multi", "family"}

func TestADriverThatTheLibraryLacksIsRefusedOnce(t *testing.T) {
	t.Parallel()
	if h5.CheckDirect() == nil {
		return // then the library has it
	}
	base := t.TempDir()
	l := launchSerial(t, base, "-A", "hdf5", "-v", "direct", "-i", "3")
	status, text := l.wait(startTime), l.stderr.String()
	if status != result.ExitUsage || strings.Count(text,
		"the file driver direct: not available in this library") != 1 ||
		!strings.Contains(text, "--enable-direct-vfd") ||
		l.stdout.String() != "" {
		t.Errorf("exit status %d: %s%s", status, text, l.stdout.String())
	}
	l.cleaned()
}

func TestTheSerialToolMeasuresEveryDriver(t *testing.T) {
	t.Parallel()
	for _, driver := range drivers {
		t.Run(driver, func(t *testing.T) {
			l := launchSerial(t, t.TempDir(), "-e", "2M", "-x", "256K", "-v", driver, "-D", "v", "-i", "2")
			if status := l.wait(startTime); status != 0 {
				t.Errorf("exit status %d", status)
			}
			doc := l.document()
			if doc.Kind != "serial" || doc.Software.MPI != "" || len(doc.Cases) != 2 {
				t.Fatalf("document of kind %s, MPI %q, %d cases", doc.Kind, doc.Software.MPI, len(doc.Cases))
			}
			c := doc.Cases[1]
			if c.API != "hdf5" || c.State != result.Complete || !c.Verified || len(c.Samples) != 4 ||
				c.Effective.Driver != driver {
				t.Errorf("case %+v", c)
			}
			var bytes uint64
			for _, f := range c.Effective.Files {
				bytes += f.Bytes
			}
			if bytes < 2<<20 || bytes > 3<<20 {
				t.Errorf("files %v hold %d bytes, want 2 MiB and some metadata", c.Effective.Files, bytes)
			}
			for _, c := range doc.Cases {
				p := plan.Case{Parameters: doc.Parameters, Processes: 1, TransferSize: c.TransferSize, API: c.API}
				if calls, files := p.DataCalls()*2*2, p.FileSpace().Inodes; c.Effective.Calls != calls ||
					uint64(len(c.Effective.Files)) > files {
					t.Errorf("%s: %d data calls and %d files, planned were %d and at most %d", c.API, c.Effective.Calls,
						len(c.Effective.Files), calls, files)
				}
			}
			l.cleaned()
		})
	}
}

func TestAPercentSignInThePrefixDoesNoHarm(t *testing.T) {
	t.Parallel()
	for _, driver := range drivers {
		base := filepath.Join(t.TempDir(), "100%d %s%n")
		if err := os.Mkdir(base, 0o755); err != nil {
			t.Fatal(err)
		}
		l := launchSerial(t, base, "-e", "2M", "-v", driver, "-D", "v", "-A", "hdf5")
		if status := l.wait(startTime); status != 0 {
			t.Errorf("%s: exit status %d", driver, status)
		}
		l.cleaned()
	}
}

func TestForeignFilesSurviveTheSerialTool(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	names := []string{
		"#sio_tmp-m.h5", "#sio_tmp.h5", "#sio_tmp.posix", "#sio_tmp00000.h5", "data_1-00000.h5", "data_1.h5",
		"data_1.posix",
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(base, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, driver := range drivers {
		l := launchSerial(t, base, "-v", driver, "-e", "2M")
		if status := l.wait(startTime); status != 0 {
			t.Errorf("%s: exit status %d", driver, status)
		}
		l.cleaned(names...)
	}
	for _, name := range names {
		if data, err := os.ReadFile(filepath.Join(base, name)); err != nil || string(data) != "mine" {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
	}
}

func TestAFullDiskFailsTheSerialTool(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-A", "posix"},
		{"-A", "hdf5"},
		{"-A", "hdf5", "-v", "core"},
		{"-A", "hdf5", "-v", "split"},
		{"-A", "hdf5", "-v", "family"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			l := launchSerial(t, smallDisk(t, "1M"), append(args, "-e", "4M", "--space-check", "off")...)
			if status := l.wait(startTime); status != result.ExitFailed {
				t.Errorf("exit status %d, want %d", status, result.ExitFailed)
			}
			if s := l.stderr.String(); !strings.Contains(s, "o space left on device") &&
				!strings.Contains(s, "errno = 28") {
				t.Error("the system's text is missing")
			}
			if doc := l.document(); doc.State != result.Failed || len(doc.Cases) != 1 ||
				len(doc.Cases[0].Samples) != 0 {
				t.Errorf("document is %s with cases %+v", doc.State, doc.Cases)
			}
			if strings.Contains(l.stdout.String(), "Throughput") {
				t.Error("the report shows a figure")
			}
			l.cleaned()
		})
	}
}

func TestAnUnwritableDirectoryFailsTheSerialTool(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	if err := unix.Mount("tmpfs", base, "tmpfs", unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(base, unix.MNT_DETACH) })
	l := launchSerial(t, base)
	if status := l.wait(startTime); status != result.ExitFailed ||
		!strings.Contains(l.stderr.String(), "read-only file system") {
		t.Errorf("exit status %d, want %d and the system's text", status, result.ExitFailed)
	}
}

func TestSignalsEndTheSerialTool(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		status int
		state  []result.State
	}{
		{syscall.SIGTERM, result.ExitStopped, []result.State{result.Interrupted}},
		{syscall.SIGINT, result.ExitStopped, []result.State{result.Interrupted}},
		{syscall.SIGKILL, -1, []result.State{result.Failed}}, // the watcher ends the document and removes files
	} {
		t.Run(c.signal.String(), func(t *testing.T) {
			l := launchSerial(t, t.TempDir(), "-i", "100000", "-v", "family")
			l.working()
			if err := l.cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if status := l.wait(endsWithin); status != c.status {
				t.Errorf("exit status %d, want %d", status, c.status)
			}
			if doc := l.document(); !slices.Contains(c.state, doc.State) || len(doc.Errors) == 0 {
				t.Errorf("document is %s with errors %v, want %v", doc.State, doc.Errors, c.state)
			}
			l.cleaned()
		})
	}
}

func TestNothingIsLeftOfARunThatIsKilledAtItsStart(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if s == syscall.SIGHUP && signal.Ignored(s) {
			continue // the tests run under nohup, and so does the tool
		}
		l := launchSerial(t, t.TempDir(), "-i", "100000")
		l.within(startTime, "the private directory", func() bool {
			made, _ := filepath.Glob(filepath.Join(l.base, "*"))
			return len(made) > 0
		})
		if err := l.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if status := l.wait(endsWithin); s != syscall.SIGKILL && status != result.ExitStopped {
			t.Errorf("%v: exit status %d, want %d", s, status, result.ExitStopped)
		}
		l.cleaned()
	}
}

func TestTwoSerialRunsInOneDirectoryDoNotMeet(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	var runs [2]*launched
	for i := range runs {
		runs[i] = launchSerial(t, base, "-D", "v", "-i", "6", "-v", "family")
	}
	for _, l := range runs {
		if status := l.wait(startTime); status != 0 || l.document().State != result.Complete {
			t.Errorf("exit status %d", status)
		}
	}
	runs[0].cleaned()
}

func TestAUsageErrorOfTheSerialToolMakesNoFile(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-e 16,16 -x 4": "-x", "-e 10 -x 3": "dimension 1", "-r 1,1 -e 4,4 -x 2,2": "-r", "-t": "-c", "-v mpio": "mpio",
	} {
		l := launchSerial(t, t.TempDir(), strings.Fields(args)...)
		if status := l.wait(startTime); status != result.ExitUsage || !strings.Contains(l.stderr.String(), want) {
			t.Errorf("%s: exit status %d, want %d and %q", args, status, result.ExitUsage, want)
		}
		l.cleaned()
	}
}

func TestExtensionsOfADatasetAreCounted(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-e 16,16 -x 2,4 -r 2,1 -c 4,4 -t", "-e 16,16 -x 4,2 -r 1,2 -c 4,4 -t"} {
		l := launchSerial(t, t.TempDir(), append(strings.Fields(args), "-D", "v", "-A", "hdf5")...)
		if status := l.wait(startTime); status != 0 {
			t.Errorf("exit status %d", status)
		}
		if c := l.document().Cases[0]; c.Effective.Extensions != 10 || !c.Verified {
			t.Errorf("%s: %d extensions, verified %v; want 10", args, c.Effective.Extensions, c.Verified)
		}
	}
}

func TestTheSerialToolNeverInitialisesMPI(t *testing.T) {
	// With these variables, MPI_Init fails: Open MPI finds no messaging layer with that name, MPICH no launcher at its
	// socket.
	for _, v := range []string{"OMPI_MCA_pml=none_such", "PMI_FD=77", "PMI_RANK=0", "PMI_SIZE=1"} {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	l := launchSerial(t, t.TempDir(), "-e", "16,16", "-x", "4,4", "-c", "4,4")
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	parallel := start(t, nil, t.TempDir(), nil, []string{"-A", "posix"})
	if status := parallel.wait(startTime); status == 0 {
		t.Error("the parallel tool runs, so nothing is shown here")
	}
}
