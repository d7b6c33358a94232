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

// Source is what is visible of a launch.
type Source struct {
	Getenv    Getenv
	Own       bool     // Getenv reads this process's environment, not that of an ancestor
	Ancestors []string // names of the ancestors that are launchers, the nearest first
	Siblings  Siblings // processes beside this one, if no environment shows a launch
}

// Siblings describes this process among those that the nearest launcher above it started on this node, as far
// as they are visible.
type Siblings struct {
	Processes int           // number of processes, with this one; 0 if unknown
	Index     int           // index of this process in the order of process ids, from 0
	Age       time.Duration // time since the launcher started this process; it may start others later
}

// Rank returns the rank of this process according to its launcher. It works before MPI is initialised, too.
// If the rank is unknown, it returns the index of this process among those beside it, or 0 if there are
// none.
func (s Source) Rank() int {
	if n, known := lookupRank(s.Getenv); known {
		return n
	}
	return s.Siblings.Index
}

// ThisProcess returns the source for this process: its own environment or, if a container or a wrapper cleaned
// that, the environment of the nearest ancestor that shows a launch and may be read.
func ThisProcess() Source { return sourceOfProcess("/proc", os.Getpid(), os.Getenv) }

// startTime is the time within which a launcher is expected to start all its processes on a node.
const startTime = 3 * time.Second

// WaitForSiblings is Here after the launcher had time to start all its processes. It waits, for at most 3 s, only
// if processes beside this one are all that could show a launch.
func WaitForSiblings() Source {
	s := ThisProcess()
	if s.Siblings.Processes == 1 && s.Siblings.Age < startTime {
		time.Sleep(startTime - s.Siblings.Age)
		s = ThisProcess()
	}
	return s
}

// sourceOfProcess is Here for a process in a directory like /proc.
func sourceOfProcess(proc string, pid int, getenv Getenv) Source {
	s := Source{Getenv: getenv, Own: true}
	shown := len(Sizes(getenv)) > 0
	started, by := 0, 0 // by is the nearest launcher, started is the process that it started
	for child, pid := pid, parentProcess(proc, pid); pid > 1; child, pid = pid, parentProcess(proc, pid) {
		if name := processName(proc, pid); isLauncher(name) {
			s.Ancestors = append(s.Ancestors, name)
			batch := name == "slurmstepd" && getenv("SLURM_JOB_ID") != "" // a step has variables of its own
			if by == 0 && !batch {
				started, by = child, pid
			}
		}
		if shown {
			continue
		}
		// fails for other users' processes and across user namespaces
		environ, _ := os.ReadFile(procFile(proc, pid, "environ"))
		if above := parseEnviron(environ); len(Sizes(above)) > 0 {
			s.Getenv, s.Own, shown = above, false, true
		}
	}
	if by != 0 && !shown {
		s.Siblings = findSiblings(proc, started, by)
	}
	return s
}

// findSiblings finds the other processes that a launcher started on this node. Processes by which it reaches
// other nodes are not counted.
func findSiblings(proc string, started, by int) Siblings {
	b := Siblings{Processes: 1, Age: processAge(proc, started)}
	all, _ := filepath.Glob(filepath.Join(proc, "[0-9]*"))
	for _, dir := range all {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if pid == started || parentProcess(proc, pid) != by {
			continue
		}
		if name := processName(proc, pid); isLauncher(name) || name == "ssh" || name == "rsh" {
			continue
		}
		if b.Processes++; pid < started {
			b.Index++
		}
	}
	return b
}

// procFile returns the path of a process's file in proc.
func procFile(proc string, pid int, name string) string {
	return filepath.Join(proc, strconv.Itoa(pid), name)
}

// processAge returns the time since a process was started.
func processAge(proc string, pid int) time.Duration {
	stat, _ := os.ReadFile(procFile(proc, pid, "stat"))
	var now unix.Timespec
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // after the name
	if len(fields) < 20 || unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return startTime
	}
	ticks, _ := strconv.ParseInt(fields[19], 10, 64) // since boot, 100 per second
	return time.Duration(now.Nano()) - time.Duration(ticks)*(time.Second/100)
}

// processName returns the name of a process.
func processName(proc string, pid int) string {
	comm, _ := os.ReadFile(procFile(proc, pid, "comm"))
	return strings.TrimSpace(string(comm))
}

// isLauncher reports whether the name of a process is that of a launcher or of one of its daemons. The
// kernel keeps 15 bytes of a name.
func isLauncher(name string) bool {
	for _, prefix := range []string{
		"mpiexec", "mpirun", "prte", "orted", "orterun", "hydra_", "slurmstepd", "srun", "palsd", "flux-shell",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// parentProcess returns the id of a process's parent, or 0 if it is not visible.
func parentProcess(proc string, pid int) int {
	status, _ := os.ReadFile(procFile(proc, pid, "status"))
	for line := range strings.Lines(string(status)) {
		if text, found := strings.CutPrefix(line, "PPid:"); found {
			n, _ := strconv.Atoi(strings.TrimSpace(text))
			return n
		}
	}
	return 0
}

// parseEnviron returns a function that reads an environment in the form of /proc/PID/environ.
func parseEnviron(environ []byte) Getenv {
	all := map[string]string{}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		name, value, _ := strings.Cut(string(entry), "=")
		all[name] = value
	}
	return func(name string) string { return all[name] }
}
