package launcher

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Source is where the traces of a launch are read from.
type Source struct {
	Getenv    Getenv
	Own       bool     // it is this process's own environment, not that of an ancestor
	Ancestors []string // the names of the processes above this one that launchers have, the nearest first
}

// Here is the source for this process: its own environment, or where a container or wrapper cleaned that, the environment of
// the nearest ancestor that shows a launch, as far as the system lets this process see it.
func Here() Source { return here("/proc", os.Getpid(), os.Getenv) }

// here is Here of a process below a directory like /proc.
func here(proc string, pid int, getenv Getenv) Source {
	s := Source{Getenv: getenv, Own: true}
	shown := len(Sizes(getenv)) > 0
	for pid = parent(proc, pid); pid > 1; pid = parent(proc, pid) {
		dir := filepath.Join(proc, strconv.Itoa(pid))
		comm, _ := os.ReadFile(filepath.Join(dir, "comm"))
		if name := strings.TrimSpace(string(comm)); isLauncher(name) {
			s.Ancestors = append(s.Ancestors, name)
		}
		if shown {
			continue
		}
		environ, _ := os.ReadFile(filepath.Join(dir, "environ")) // another user's cannot be read
		if above := lookup(environ); len(Sizes(above)) > 0 {
			s.Getenv, s.Own, shown = above, false, true
		}
	}
	return s
}

// isLauncher tells whether the name of a process is that of a launcher or of one of its daemons. The kernel keeps 15 bytes.
func isLauncher(name string) bool {
	for _, prefix := range []string{"mpiexec", "mpirun", "prte", "orted", "orterun", "hydra_", "slurmstepd", "srun", "palsd", "flux-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// parent is the process that made another; 0 where there is none to be seen.
func parent(proc string, pid int) int {
	status, _ := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "status"))
	for line := range strings.Lines(string(status)) {
		var n int
		if _, err := fmt.Sscanf(line, "PPid: %d", &n); err == nil {
			return n
		}
	}
	return 0
}

// lookup reads an environment as the kernel shows it.
func lookup(environ []byte) Getenv {
	all := map[string]string{}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		name, value, _ := strings.Cut(string(entry), "=")
		all[name] = value
	}
	return func(name string) string { return all[name] }
}
