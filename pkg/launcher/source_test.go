package launcher

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// process creates a directory for a process, like those in /proc.
func process(t *testing.T, proc string, pid, parent int, name string, environ ...string) {
	t.Helper()
	dir := filepath.Join(proc, fmt.Sprint(pid))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"comm": name + "\n", "status": fmt.Sprintf("Name:\t%s\nPPid:\t%d\n", name, parent),
		"environ": strings.Join(environ, "\x00"),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhereTheLaunchIsSeen(t *testing.T) {
	proc := t.TempDir()
	process(t, proc, 1, 0, "init")
	process(t, proc, 10, 1, "mpiexec.mpich", "PATH=/bin")
	process(t, proc, 11, 10, "hydra_pmi_proxy", "PATH=/bin")
	process(t, proc, 12, 11, "starter", "PMI_SIZE=2", "PMI_RANK=1")
	process(t, proc, 13, 12, "h5perf")
	process(t, proc, 20, 1, "bash", "HOME=/")
	process(t, proc, 21, 20, "h5perf")

	s := sourceOfProcess(proc, 13, environment())
	if s.OwnEnvironment || s.Getenv("PMI_SIZE") != "2" ||
		!slices.Equal(s.Ancestors, []string{"hydra_pmi_proxy", "mpiexec.mpich"}) {
		t.Errorf("in a cleaned environment: %+v, PMI_SIZE %q", s, s.Getenv("PMI_SIZE"))
	}
	s = sourceOfProcess(proc, 13, environment("PMI_SIZE=3"))
	if !s.OwnEnvironment || s.Getenv("PMI_SIZE") != "3" {
		t.Errorf("with an environment of its own: %+v, PMI_SIZE %q", s, s.Getenv("PMI_SIZE"))
	}
	s = sourceOfProcess(proc, 21, environment("HOME=/root"))
	if !s.OwnEnvironment || s.Ancestors != nil || s.Getenv("HOME") != "/root" {
		t.Errorf("without a launcher: %+v", s)
	}
}

// A launcher starts four processes on two nodes, two of them on this node. A second launcher starts a job of one
// process from a shell.
func TestWhatIsSeenBesideAProcess(t *testing.T) {
	proc := t.TempDir()
	process(t, proc, 1, 0, "init")
	process(t, proc, 10, 1, "mpiexec.openmpi")
	process(t, proc, 11, 10, "ssh")
	process(t, proc, 12, 10, "starter")
	process(t, proc, 13, 10, "starter")
	process(t, proc, 14, 12, "h5perf")
	process(t, proc, 15, 13, "h5perf")
	process(t, proc, 20, 1, "slurmstepd")
	process(t, proc, 21, 20, "bash")
	process(t, proc, 22, 21, "h5perf")
	process(t, proc, 23, 21, "sleep")
	process(t, proc, 30, 1, "bash")
	process(t, proc, 31, 30, "h5perf")
	process(t, proc, 32, 30, "h5perf")

	for _, c := range []struct {
		pid  int
		env  string
		want Siblings
		rank int
	}{
		{14, "", Siblings{Processes: 2}, 0},
		{15, "", Siblings{Processes: 2, Index: 1}, 1},
		{15, "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3", Siblings{}, 3},
		{22, "", Siblings{Processes: 1}, 0},
		{22, "SLURM_JOB_ID=7", Siblings{}, 0},
		{31, "", Siblings{}, 0},
	} {
		s := sourceOfProcess(proc, c.pid, words(c.env))
		s.Siblings.Age = 0
		if s.Siblings != c.want || s.Rank() != c.rank {
			t.Errorf("process %d with %q: %+v, rank %d", c.pid, c.env, s.Siblings, s.Rank())
		}
	}
}

func TestTheAgeOfAProcess(t *testing.T) {
	c := exec.Command("cat")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	got, most := processAge("/proc", c.Process.Pid), time.Since(before)+20*time.Millisecond // two ticks
	if got < 0 || got > most {
		t.Errorf("it is %v old, was started at most %v ago", got, most)
	}
	if all := processAge("/proc", 1); all < got {
		t.Errorf("the first process is %v old, a later one %v", all, got)
	}
	_ = in.Close()
	_ = c.Wait()
}

func TestTheParentOfAProcess(t *testing.T) {
	if got := parentProcess("/proc", os.Getpid()); got != os.Getppid() {
		t.Errorf("parent %d, want %d", got, os.Getppid())
	}
	if got := parentProcess("/proc", 1<<30); got != 0 {
		t.Errorf("parent %d of no process", got)
	}
}
