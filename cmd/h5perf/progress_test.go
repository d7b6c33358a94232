//go:build cgo && !nompi

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/rundir"
)

// timeLeft matches the text of the bar: current case, time left, API, transfer rate and processes.
var timeLeft = regexp.MustCompile(`case 1 of 1, about [0-9][^,]* left, POSIX, [0-9.]+ .iB/s, 1 process +[0-9]+% \|`)

// terminal opens a new pseudo-terminal of 100 columns.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0),
		unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100}))
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	return master, slave
}

func TestATerminalShowsTheCaseAndTheTimeLeft(t *testing.T) {
	t.Parallel()
	master, slave := terminal(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-A", "posix", "-i", "100000", "-e", "1M", "-x", "64K", "-X", "64K", "-B", "64K")
	cmd.Env = append(os.Environ(), beTool+"=1", rundir.ParallelPrefix+"="+t.TempDir(),
		"OMPI_MCA_ess_singleton_isolated=1")
	var report bytes.Buffer
	cmd.Stdout, cmd.Stderr = &report, slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	defer time.AfterFunc(startTime, func() { _ = cmd.Process.Kill() }).Stop() // the bar may show something else
	var seen strings.Builder
	interrupted := false
	for buf := make([]byte, 4096); ; {
		n, err := master.Read(buf)
		seen.Write(buf[:n])
		if s := seen.String(); !interrupted && timeLeft.MatchString(s) {
			interrupted = true
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
		if err != nil { // EIO: the program has closed its end
			break
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("exit status 0 of an interrupted run")
	}
	if !interrupted {
		t.Errorf("no progress bar on the terminal: %q", seen.String())
	}
	if strings.ContainsAny(report.String(), "\x1b\r") || timeLeft.MatchString(report.String()) {
		t.Errorf("the bar is in the report: %q", report.String())
	}
}

func TestARunInAJobSaysWhatItWillDo(t *testing.T) {
	t.Parallel()
	args := []string{"-A", "posix", "-p", "2", "-x", "256K", "--report", "none"}
	for option, want := range map[string]string{
		"--progress=1m": "h5perf: Note: 1 case: writes 512 KiB, reads 512 KiB\n", // a short run prints only this line
		"--progress=0":  "",
		"--quiet":       "",
	} {
		l := launch(t, 2, t.TempDir(), nil, nil, append(args, option)...)
		if status := l.wait(startTime); status != 0 || strings.Count(l.stderr.String(), "h5perf: ") > 1 ||
			strings.Contains(l.stderr.String(), "1 case: ") != (want != "") ||
			!strings.Contains(l.stderr.String(), want) {
			t.Errorf("%s: exit status %d, standard error %q, want %q", option, status, l.stderr.String(), want)
		}
		l.cleaned()
	}
}
