package doctor

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"h5perf/pkg/launcher"
)

// Launch is who started the process, on the side of the launcher, and what MPI made of it.
type Launch struct {
	Launcher  string    `json:"launcher,omitempty"`         // what the environment says; absent without one
	Version   string    `json:"launcher_version,omitempty"` // where the environment tells it
	PMI       string    `json:"pmi,omitempty"`              // the protocol that the launcher speaks, with its version where it tells it
	PMIx      string    `json:"library_pmix,omitempty"`     // the version of the PMIx library by which MPI of this program asks; absent where it does not
	SlurmMPI  string    `json:"slurm_mpi_type,omitempty"`   // --mpi of srun
	Told      []Told    `json:"told"`                       // numbers of processes
	Rank      int       `json:"rank"`                       // of this process, as the launcher tells it, or as it is seen among those beside it
	Cleaned   bool      `json:"environment_cleaned"`        // the process does not have what its launcher told
	Ancestors []string  `json:"ancestors,omitempty"`        // launchers and their daemons above this process, the nearest first
	Commands  []Command `json:"commands,omitempty"`         // launchers that a user would find here
	Processes int       `json:"processes"`                  // that MPI sees; 1 without MPI
	Nodes     int       `json:"nodes"`
}

// Told is a number of processes in a variable of the environment.
type Told struct {
	Variable  string `json:"variable"`
	Processes int    `json:"processes"`
}

// Command is a launcher on the search path, and the file that it is after all links.
type Command struct {
	Name string `json:"name"`
	File string `json:"file"`
}

// NewLaunch reads the traces of a launch.
func NewLaunch(from launcher.Source) Launch {
	l := Launch{
		Launcher: launcher.Name(from.Getenv), Version: launcher.Version(from.Getenv), PMI: launcher.PMI(from.Getenv),
		SlurmMPI: from.Getenv("SLURM_MPI_TYPE"), Rank: from.Rank(), Cleaned: !from.Own || from.Beside.Processes > 1, Ancestors: from.Ancestors,
		Told: []Told{}, Processes: 1, Nodes: 1,
	}
	for _, s := range launcher.Sizes(from.Getenv) {
		l.Told = append(l.Told, Told(s))
	}
	for _, name := range []string{"mpiexec", "srun"} {
		if path, err := exec.LookPath(name); err == nil {
			if file, err := filepath.EvalSymlinks(path); err == nil {
				path = file
			}
			l.Commands = append(l.Commands, Command{name, path})
		}
	}
	return l
}

// Check judges the launch; wrong is the error of launcher.Check.
func (l Launch) Check(wrong error) Check {
	c := Check{Name: "launch", Verdict: OK}
	if wrong != nil {
		c.Verdict = Problem
		c.Found = wrong.Error()
		c.Advice = "each process is a world of one and would measure by itself; the text names the launcher that this program needs"
		return c
	}
	c.Found = fmt.Sprintf("one world of %d process(es) on %d node(s)", l.Processes, l.Nodes)
	switch {
	case l.Launcher != "":
		c.Found += ", started by " + strings.TrimSpace(l.Launcher+" "+l.Version)
		if l.PMI != "" {
			c.Found += ", which speaks " + l.PMI
		}
		if l.PMIx != "" {
			c.Found += "; this program asks by PMIx " + l.PMIx
		}
	case len(l.Ancestors) > 0:
		c.Verdict = Warning
		c.Found += fmt.Sprintf("; the environment tells of no launcher, but above this process runs %s", l.Ancestors[0])
		c.Advice = "if more processes were started, each is a world of one: let the container or wrapper keep the environment of the launcher"
	default:
		c.Found += ", started without a launcher"
		if len(l.Commands) > 0 {
			c.Advice = "start several processes with " + l.commands()
		}
	}
	return c
}

// commands names the launchers on the search path.
func (l Launch) commands() string {
	var all []string
	for _, command := range l.Commands {
		all = append(all, fmt.Sprintf("%s (%s)", command.Name, command.File))
	}
	return strings.Join(all, " or ")
}
