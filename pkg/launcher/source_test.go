package launcher

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// process makes the folder of a process as /proc has it.
func process(t *testing.T, proc string, pid, parent int, name string, environ ...string) {
	t.Helper()
	dir := filepath.Join(proc, fmt.Sprint(pid))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"comm": name + "\n", "status": fmt.Sprintf("Name:\t%s\nPPid:\t%d\n", name, parent), "environ": strings.Join(environ, "\x00"),
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

	s := here(proc, 13, environment())
	if s.Own || s.Getenv("PMI_SIZE") != "2" || !slices.Equal(s.Ancestors, []string{"hydra_pmi_proxy", "mpiexec.mpich"}) {
		t.Errorf("in a cleaned environment: %+v, PMI_SIZE %q", s, s.Getenv("PMI_SIZE"))
	}
	s = here(proc, 13, environment("PMI_SIZE=3"))
	if !s.Own || s.Getenv("PMI_SIZE") != "3" {
		t.Errorf("with an environment of its own: %+v, PMI_SIZE %q", s, s.Getenv("PMI_SIZE"))
	}
	s = here(proc, 21, environment("HOME=/root"))
	if !s.Own || s.Ancestors != nil || s.Getenv("HOME") != "/root" {
		t.Errorf("without a launcher: %+v", s)
	}
}

func TestTheParentOfAProcess(t *testing.T) {
	if got := parent("/proc", os.Getpid()); got != os.Getppid() {
		t.Errorf("parent %d, want %d", got, os.Getppid())
	}
	if got := parent("/proc", 1<<30); got != 0 {
		t.Errorf("parent %d of no process", got)
	}
}
