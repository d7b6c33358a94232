//go:build cgo && !nompi

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/mpitest"
)

// nobody is a user who owns no files.
const nobody = 65534

// attack is an endless shell script. It does to the private directories in $1 what only their owner may do.
const attack = `cd "$1" || exit
while :; do
	for d in h5perf-*; do
		[ -d "$d" ] || continue
		mv "$d" "$d.away"
		ln -s /etc "$d"
		mv -T --exchange "$d" ./trap
		: > "$d/data_1.posix"
		ln -s /etc/passwd "$d/data_1.h5"
	done
done`

func TestAnotherUserOfTheDirectoryCanChangeNothing(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	open(t, base)
	if err := os.Chmod(base, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", attack, "sh", base)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid: true, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}, Pdeathsig: syscall.SIGKILL,
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait() // killed
	})
	l := launch(t, 2, base, nil, nil, "-D", "v", "-p", "2", "-i", "20", "-e", "1M", "-x", "1M", "-X", "1M", "-B", "1M")
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if doc := l.document(); doc.State != result.Complete {
		t.Errorf("document is %s", doc.State)
	}
	l.cleaned()
}

// open gives all users access to the parent directories of dir.
func open(t *testing.T, dir string) {
	t.Helper()
	for dir = filepath.Dir(dir); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestADirectoryInWhichOthersMayWriteIsRefused(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	if err := os.Chmod(base, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, l := range []*launched{
		launch(t, 2, base, nil, nil, "-A", "posix"), launchSerial(t, base, "-A", "posix"),
	} {
		l.fails(startTime)
		if s := l.stderr.String(); !strings.Contains(s, "other users may write in "+base) ||
			!strings.Contains(s, "chmod go-w '"+base+"'") || strings.Count(s, "other users may write") != 1 {
			t.Errorf("stderr %q", s)
		}
		if doc := l.document(); doc.State != result.Failed {
			t.Errorf("document is %s", doc.State)
		}
		l.cleaned()
	}
}

// Open MPI names semaphores after data files. All users of a node share these semaphores.
func TestTwoUsersOfANodeDoNotMeet(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "h5perf")
	copyProgram(t, program)
	launcher, err := mpitest.Launcher(mpi.LibraryVersion())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*startTime)
	defer cancel()
	var runs []*exec.Cmd
	for i := range min(2*kills, 20) {
		uid := i % 2 // root and daemon
		own := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(own, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(own, uid, uid); err != nil {
			t.Fatal(err)
		}
		line := append([]string{"setpriv", "--reuid", fmt.Sprint(uid), "--regid", fmt.Sprint(uid), "--clear-groups"},
			launcher...)
		line = append(line, "-n", "2", program, "-A", "mpiio", "-p", "2", "-i", "20", "-D", "v", "--json",
			own+"/run.json")
		cmd := exec.CommandContext(ctx, line[0], line[1:]...)
		cmd.WaitDelay = time.Second
		cmd.Env = append(os.Environ(), mpitest.Environ(t)...)
		cmd.Env = append(cmd.Env, beTool+"=1", "HOME="+own, "TMPDIR="+own, "USER=", "LOGIN=",
			"OMPI_MCA_orte_tmpdir_base="+own, "PRTE_MCA_prte_tmpdir_base="+own, rundir.ParallelPrefix+"="+own)
		cmd.Dir = own
		runs = append(runs, cmd)
	}
	output := make([]captured, len(runs))
	for i, cmd := range runs {
		cmd.Stdout, cmd.Stderr = &output[i], &output[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, cmd := range runs {
		if err := cmd.Wait(); err != nil {
			t.Errorf("run %d: %v\n%s", i, err, output[i].String())
		}
	}
}

// copyProgram copies this program to a path where all users can run it.
func copyProgram(t *testing.T, to string) {
	t.Helper()
	in, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
