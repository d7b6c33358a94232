package mpi

import (
	"fmt"
	"strconv"
	"strings"
)

// LaunchError tells that a launcher started more processes than MPI sees: it belongs to another MPI library, so that each
// process is a job of its own.
type LaunchError struct {
	Launched int    // processes, says the launcher
	Variable string // in this environment variable
	Size     int    // processes, says MPI
	Library  string // of this program
	Launcher string // what starts programs of this library
}

func (e *LaunchError) Error() string {
	return fmt.Sprintf("%d processes were launched (%s), but MPI sees %d: this program is built with %s; start it with %s",
		e.Launched, e.Variable, e.Size, e.Library, e.Launcher)
}

// CheckLaunch compares the size of MPI_COMM_WORLD with what the launchers left in the environment of the process, read by
// getenv. library is the text of LibraryVersion. The error is a *LaunchError.
func CheckLaunch(getenv func(string) string, size int, library string) error {
	found := &LaunchError{Size: size, Library: firstLine(library)}
	for _, v := range launchSizes(getenv) {
		if v.processes == size {
			return nil // launchers can be nested, and leave their variables: one that is right is enough
		}
		if v.processes > size && found.Variable == "" {
			found.Launched, found.Variable = v.processes, v.name
		}
	}
	if found.Variable == "" {
		return nil
	}
	found.Launcher = launcherOf(library, getenv("SLURM_STEP_ID") != "")
	return found
}

type launchSize struct {
	name      string
	processes int
}

// launchSizes is what the launchers tell of the number of processes. A batch script of Slurm has SLURM_NTASKS too, but is
// no task: only a step counts.
func launchSizes(getenv func(string) string) []launchSize {
	var sizes []launchSize
	add := func(name string, more int) {
		if n, err := strconv.Atoi(getenv(name)); err == nil {
			sizes = append(sizes, launchSize{name, n + more})
		}
	}
	add("OMPI_COMM_WORLD_SIZE", 0)
	add("PMI_SIZE", 0)
	if getenv("SLURM_STEP_ID") != "" {
		add("SLURM_STEP_NUM_TASKS", 0)
	}
	if len(sizes) == 0 {
		add("PMIX_RANK", 1) // PMIx tells no size: there are at least so many
	}
	return sizes
}

// launcherOf is what starts programs of a library, in a step of Slurm or not.
func launcherOf(library string, step bool) string {
	openMPI := strings.HasPrefix(library, "Open MPI")
	mpich := strings.HasPrefix(library, "MPICH")
	switch {
	case openMPI && step:
		return "srun --mpi=pmix"
	case openMPI:
		return "Open MPI's mpiexec (mpiexec.openmpi)"
	case mpich && step:
		return "srun --mpi=pmi2"
	case mpich:
		return "MPICH's mpiexec (mpiexec.mpich or mpiexec.hydra)"
	}
	return "the mpiexec of that library"
}

// LaunchRank is the rank of this process as its launcher tells it, also before MPI is initialised; 0 without a launcher.
func LaunchRank(getenv func(string) string) int {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"} {
		if n, err := strconv.Atoi(getenv(name)); err == nil {
			return n
		}
	}
	return 0
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.Join(strings.Fields(line), " ")
}
