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

// LaunchEvidence holds what a process can find out about its launcher: from environment variables, its ancestors and
// its sibling processes.
type LaunchEvidence struct {
	Getenv         Getenv
	OwnEnvironment bool     // Getenv reads the environment of this process, not that of an ancestor
	Ancestors      []string // names of the ancestors that are launchers, the nearest first
	Siblings       Siblings // set only if no environment shows a launch
}

// Siblings describes the processes that the nearest launcher among the ancestors of this process started on this node,
// as far as they are visible. One of them is this process or its ancestor.
type Siblings struct {
	Processes int           // number of processes including this one; 0 if unknown
	Index     int           // index of this process among them, sorted by process id, from 0
	Age       time.Duration // time since the launcher started this process; others may start later
}

// Rank returns the rank of this process according to its launcher. If that is unknown, it returns the index of this
// process among its siblings, or 0 if it has none. It also works before MPI is initialised.
func (s LaunchEvidence) Rank() int {
	if n, known := lookupRank(s.Getenv); known {
		return n
	}
	return s.Siblings.Index
}

// ThisProcess returns the source for this process. It uses the environment of the process. If it contains no variables
// of a launcher, perhaps because a container or a wrapper script removed them, ThisProcess uses the environment of the
// nearest ancestor that has such variables and may be read.
func ThisProcess() LaunchEvidence { return sourceOfProcess("/proc", os.Getpid(), os.Getenv) }

// maxLaunchTime is the longest time that a launcher should need to start all its processes on a node.
const maxLaunchTime = 3 * time.Second

// WaitForSiblings is like ThisProcess, but gives the launcher time to start all its processes. It waits only if no
// environment contains variables of a launcher and no sibling is visible yet, and at most until maxLaunchTime after the
// start of this process.
func WaitForSiblings() LaunchEvidence {
	s := ThisProcess()
	if s.Siblings.Processes == 1 && s.Siblings.Age < maxLaunchTime {
		time.Sleep(maxLaunchTime - s.Siblings.Age)
		s = ThisProcess()
	}
	return s
}

// sourceOfProcess is ThisProcess for the process pid in proc, a directory like /proc.
func sourceOfProcess(proc string, pid int, getenv Getenv) LaunchEvidence {
	s := LaunchEvidence{Getenv: getenv, OwnEnvironment: true}
	shown := len(LaunchSizes(getenv)) > 0
	started, by := 0, 0 // by is the nearest launcher; started is its child among the ancestors, or pid
	for child, pid := pid, parentProcess(proc, pid); pid > 1; child, pid = pid, parentProcess(proc, pid) {
		if name := processName(proc, pid); isLauncher(name) {
			s.Ancestors = append(s.Ancestors, name)
			batch := name == "slurmstepd" && getenv("SLURM_JOB_ID") != "" // not a step, which has its own variables
			if by == 0 && !batch {
				started, by = child, pid
			}
		}
		if shown {
			continue
		}
		// fails for processes of other users and of other user namespaces
		environ, _ := os.ReadFile(procFile(proc, pid, "environ"))
		if above := parseEnviron(environ); len(LaunchSizes(above)) > 0 {
			s.Getenv, s.OwnEnvironment, shown = above, false, true
		}
	}
	if by != 0 && !shown {
		s.Siblings = findSiblings(proc, started, by)
	}
	return s
}

// findSiblings counts the processes that the launcher with the process id launcherPID started on this node. started is
// the one among them that is this process or its ancestor. findSiblings does not count processes that the launcher uses
// to reach other nodes, such as ssh.
func findSiblings(proc string, started, launcherPID int) Siblings {
	b := Siblings{Processes: 1, Age: processAge(proc, started)}
	all, _ := filepath.Glob(filepath.Join(proc, "[0-9]*"))
	for _, dir := range all {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if pid == started || parentProcess(proc, pid) != launcherPID {
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

func procFile(proc string, pid int, name string) string {
	return filepath.Join(proc, strconv.Itoa(pid), name)
}

// processAge returns the time since a process was started, or maxLaunchTime if it is unknown.
func processAge(proc string, pid int) time.Duration {
	stat, _ := os.ReadFile(procFile(proc, pid, "stat"))
	var now unix.Timespec
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // fields after the process name
	if len(fields) < 20 || unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return maxLaunchTime
	}
	ticks, _ := strconv.ParseInt(fields[19], 10, 64) // ticks since boot, 100 per second
	return time.Duration(now.Nano()) - time.Duration(ticks)*(time.Second/100)
}

// processName returns the name of a process, cut to 15 bytes by the kernel, or "" if it is not visible.
func processName(proc string, pid int) string {
	comm, _ := os.ReadFile(procFile(proc, pid, "comm"))
	return strings.TrimSpace(string(comm))
}

// isLauncher reports whether a process name, see processName, belongs to a launcher or to one of its daemons.
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

// parentProcess returns the process id of a process's parent, or 0 if the process is not visible.
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

// parseEnviron returns a Getenv for the content of a file /proc/PID/environ.
func parseEnviron(environ []byte) Getenv {
	all := map[string]string{}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		name, value, _ := strings.Cut(string(entry), "=")
		all[name] = value
	}
	return func(name string) string { return all[name] }
}
