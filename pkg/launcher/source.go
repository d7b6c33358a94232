package launcher

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Source is where the traces of a launch are read from.
type Source struct {
	Getenv    Getenv
	Own       bool     // it is this process's own environment, not that of an ancestor
	Ancestors []string // the names of the processes above this one that launchers have, the nearest first
	Beside    Beside   // what shows a launch where no environment does
}

// Beside is this process among those that the nearest launcher above it started on this node, as far as they are seen.
type Beside struct {
	Processes int           // 0 is unknown
	Index     int           // of this one, from 0, in the order of their ids
	Age       time.Duration // since the launcher started this one; it may yet start others
}

// Rank is the number of this process as its launcher tells it, also before MPI is initialised, and else its index among those
// beside it, which is 0 where none are seen.
func (s Source) Rank() int {
	if n, told := rank(s.Getenv); told {
		return n
	}
	return s.Beside.Index
}

// Here is the source for this process: its own environment, or where a container or wrapper cleaned that, the environment of
// the nearest ancestor that shows a launch, as far as the system lets this process see it.
func Here() Source { return here("/proc", os.Getpid(), os.Getenv) }

// startTime is how long a launcher may start processes on a node, one after the other.
const startTime = 3 * time.Second

// Settled is Here, when a launcher of which only the processes beside this one could tell had time to start them.
func Settled() Source {
	s := Here()
	if s.Beside.Processes == 1 && s.Beside.Age < startTime {
		time.Sleep(startTime - s.Beside.Age)
		s = Here()
	}
	return s
}

// here is Here of a process below a directory like /proc.
func here(proc string, pid int, getenv Getenv) Source {
	s := Source{Getenv: getenv, Own: true}
	shown := len(Sizes(getenv)) > 0
	started, by := 0, 0 // the nearest launcher, and the process that it started
	for child, pid := pid, parent(proc, pid); pid > 1; child, pid = pid, parent(proc, pid) {
		if name := name(proc, pid); isLauncher(name) {
			s.Ancestors = append(s.Ancestors, name)
			batch := name == "slurmstepd" && getenv("SLURM_JOB_ID") != "" // of which a step would tell
			if by == 0 && !batch {
				started, by = child, pid
			}
		}
		if shown {
			continue
		}
		environ, _ := os.ReadFile(file(proc, pid, "environ")) // not that of another user, or of one outside a user namespace
		if above := lookup(environ); len(Sizes(above)) > 0 {
			s.Getenv, s.Own, shown = above, false, true
		}
	}
	if by != 0 && !shown {
		s.Beside = beside(proc, started, by)
	}
	return s
}

// beside finds the other processes that a launcher started on this node. Those by which it reaches other nodes are none of them.
func beside(proc string, started, by int) Beside {
	b := Beside{Processes: 1, Age: age(proc, started)}
	all, _ := filepath.Glob(filepath.Join(proc, "[0-9]*"))
	for _, dir := range all {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if pid == started || parent(proc, pid) != by {
			continue
		}
		if name := name(proc, pid); isLauncher(name) || name == "ssh" || name == "rsh" {
			continue
		}
		if b.Processes++; pid < started {
			b.Index++
		}
	}
	return b
}

// file is what the system tells of a process, by its name there.
func file(proc string, pid int, name string) string {
	return filepath.Join(proc, strconv.Itoa(pid), name)
}

// age is the time since a process was started.
func age(proc string, pid int) time.Duration {
	stat, _ := os.ReadFile(file(proc, pid, "stat"))
	var now unix.Timespec
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // behind the name
	if len(fields) < 20 || unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return startTime
	}
	ticks, _ := strconv.ParseInt(fields[19], 10, 64) // since the system was started, 100 in a second
	return time.Duration(now.Nano()) - time.Duration(ticks)*(time.Second/100)
}

// name is the name of a process.
func name(proc string, pid int) string {
	comm, _ := os.ReadFile(file(proc, pid, "comm"))
	return strings.TrimSpace(string(comm))
}

// isLauncher tells whether the name of a process is that of a launcher or of one of its daemons. The kernel keeps 15 bytes.
func isLauncher(name string) bool {
	for _, prefix := range []string{"mpiexec", "mpirun", "prte", "orted", "orterun", "hydra_", "slurmstepd", "srun", "palsd", "flux-shell"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// parent is the process that made another; 0 where there is none to be seen.
func parent(proc string, pid int) int {
	status, _ := os.ReadFile(file(proc, pid, "status"))
	for line := range strings.Lines(string(status)) {
		if text, found := strings.CutPrefix(line, "PPid:"); found {
			n, _ := strconv.Atoi(strings.TrimSpace(text))
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
