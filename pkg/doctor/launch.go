package doctor

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"h5perf/pkg/launcher"
	"h5perf/pkg/units"
)

// Launch describes the launcher that started this process, and the processes that MPI sees.
type Launch struct {
	Launcher string `json:"launcher,omitempty"`         // from the environment; absent if the environment names none
	Version  string `json:"launcher_version,omitempty"` // absent if the environment does not have it
	// Protocol of the launcher, with its version if that is known.
	PMI string `json:"pmi,omitempty"`
	// Version of the PMIx library that the MPI of this program uses. Absent if it uses none.
	PMIx          string         `json:"library_pmix,omitempty"`
	SlurmMPI      string         `json:"slurm_mpi_type,omitempty"` // --mpi of srun
	SizeVariables []SizeVariable `json:"told"`                     // numbers of processes in the environment
	// SlowestRank of this process, from the launcher, or from its position among its sibling processes.
	Rank               int  `json:"rank"`
	EnvironmentCleaned bool `json:"environment_cleaned"` // the environment variables of the launcher are missing
	// Launchers and their daemons among the ancestors of this process, the nearest first.
	Ancestors []string       `json:"ancestors,omitempty"`
	Commands  []LauncherFile `json:"commands,omitempty"` // launchers on the search path
	Processes int            `json:"processes"`          // in MPI_COMM_WORLD; 1 without MPI
	Nodes     int            `json:"nodes"`
}

// SizeVariable is an environment variable in which a launcher passes the number of processes.
type SizeVariable struct {
	Variable  string `json:"variable"`
	Processes int    `json:"processes"`
}

// LauncherFile is a launcher found in PATH, with the path of its file after symbolic links are resolved.
type LauncherFile struct {
	Name string `json:"name"`
	File string `json:"file"`
}

// NewLaunch describes the launch of this process, from the process and its environment. It sets Processes and Nodes to
// 1, because MPI is not yet initialised.
func NewLaunch(from launcher.LaunchEvidence) Launch {
	l := Launch{
		Launcher: launcher.Name(from.Getenv), Version: launcher.Version(from.Getenv), PMI: launcher.PMI(from.Getenv),
		SlurmMPI: from.Getenv("SLURM_MPI_TYPE"), Rank: from.Rank(),
		EnvironmentCleaned: !from.OwnEnvironment || from.Siblings.Processes > 1,
		Ancestors:          from.Ancestors,
		SizeVariables:      []SizeVariable{}, Processes: 1, Nodes: 1,
	}
	for _, s := range launcher.LaunchSizes(from.Getenv) {
		l.SizeVariables = append(l.SizeVariables, SizeVariable(s))
	}
	for _, name := range []string{"mpiexec", "srun"} {
		if path, err := exec.LookPath(name); err == nil {
			if file, err := filepath.EvalSymlinks(path); err == nil {
				path = file
			}
			l.Commands = append(l.Commands, LauncherFile{name, path})
		}
	}
	return l
}

// Check returns the check of the launch. wrong is the error of launcher.CheckWorldSize, or nil.
func (l Launch) Check(wrong error) Check {
	c := Check{Name: "launch", Verdict: OK}
	if wrong != nil {
		c.Verdict = Problem
		c.Finding = wrong.Error()
		c.Advice = "each process sees only itself and would measure alone; start the program with the launcher " +
			"named above"
		return c
	}
	c.Finding = fmt.Sprintf("one job of %s on %s",
		units.Count(l.Processes, "process", "processes"), units.Count(l.Nodes, "node", "nodes"))
	switch {
	case l.Launcher != "":
		c.Finding += ", started by " + strings.TrimSpace(l.Launcher+" "+l.Version)
		if l.PMI != "" {
			c.Finding += ", which provides " + l.PMI
		}
		if l.PMIx != "" {
			c.Finding += "; this program uses PMIx " + l.PMIx
		}
	case len(l.Ancestors) > 0:
		c.Verdict = Warning
		c.Finding += fmt.Sprintf("; the environment names no launcher, but %s is an ancestor of this process",
			l.Ancestors[0])
		c.Advice = "if more processes were started, each sees only itself: let the container or wrapper keep the " +
			"environment variables of the launcher"
	default:
		c.Finding += ", started without a launcher"
		if len(l.Commands) > 0 {
			c.Advice = "start several processes with " + l.launchersText()
		}
	}
	return c
}

// CheckSerial returns the check of the launch for the serial tool, which runs as one process. wrong is the error of
// launcher.CheckWorldSize for one process, or nil.
func (l Launch) CheckSerial(wrong error) Check {
	found, several := errors.AsType[*launcher.WorldError](wrong)
	if !several {
		return Check{Name: "launch", Verdict: OK, Finding: "one process, without MPI"}
	}
	return Check{
		Name: "launch", Verdict: Warning,
		Finding: fmt.Sprintf("%d processes were launched (%s), and a serial run is one process",
			found.Launched, found.SizeSource),
		Advice: "start 'h5perf serial' once, without a launcher or with one process",
	}
}

// launchersText lists the launchers on the search path for people.
func (l Launch) launchersText() string {
	var all []string
	for _, command := range l.Commands {
		all = append(all, fmt.Sprintf("%s (%s)", command.Name, command.File))
	}
	return strings.Join(all, " or ")
}
