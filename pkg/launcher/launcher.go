// Package launcher reads what launchers, such as mpiexec, leave in the environment of a process. It finds out which
// launcher started the process, with which protocol (PMI), and how many processes. Check compares this number with MPI.
package launcher

import (
	"slices"
	"strconv"
)

// Getenv returns the value of an environment variable, or "" if it is not set.
type Getenv func(name string) string

// Name returns the name of the launcher that started the process, or "" if it is unknown. If launchers are nested, it
// returns the inner one: mpiexec may start its daemons with srun.
func Name(getenv Getenv) string {
	for _, mark := range []struct{ variable, launcher string }{
		{"OMPI_COMM_WORLD_SIZE", "Open MPI mpiexec"},
		{"MPI_LOCALNRANKS", "Hydra mpiexec"}, // MPICH and its relatives; srun --mpi=pmi2 sets PMI_SIZE, but not this
		{"SLURM_STEP_ID", srun},
		{"PMIX_RANK", "PMIx"},
		{"PMI_RANK", "PMI"},
	} {
		if getenv(mark.variable) != "" {
			return mark.launcher
		}
	}
	return ""
}

// srun is the name of Slurm's launcher.
const srun = "srun"

// HasOwnTerminal reports whether the launcher may give its processes a terminal of its own as standard output, as the
// launcher of Open MPI does. Then the output may go to a file although standard output is a terminal. srun makes a
// terminal only if the user asks for it.
func HasOwnTerminal(getenv Getenv) bool {
	name := Name(getenv)
	return name != "" && name != srun
}

// PMI returns the name of the protocol between the launcher and the MPI library, such as PMIx, and the version of the
// protocol if it is known. It returns "" if the launcher offers no protocol.
func PMI(getenv Getenv) string {
	switch {
	case hasPMIxServer(getenv):
		if version := getenv("PMIX_VERSION"); version != "" {
			return "PMIx " + version
		}
		return "PMIx"
	case getenv("PALS_APID") != "":
		return "PMI of PALS"
	case getenv("PMI_FD") != "" && getenv("MPI_LOCALNRANKS") != "":
		return "PMI-1 and PMI-2 of Hydra"
	case getenv("PMI_FD") != "" && getenv("SLURM_STEP_ID") != "":
		return "PMI-2 of Slurm"
	case getenv("PMI_RANK") != "":
		return "PMI"
	}
	return ""
}

// hasPMIxServer reports whether the environment names a PMIx server for the process.
func hasPMIxServer(getenv Getenv) bool {
	return getenv("PMIX_NAMESPACE") != "" || getenv("PMIX_RANK") != ""
}

// Version returns the version of the launcher, or "" if the environment does not contain it. Only Open MPI 5 and later
// put the version there.
func Version(getenv Getenv) string {
	if getenv("OMPI_COMM_WORLD_SIZE") == "" {
		return ""
	}
	return getenv("OMPI_VERSION")
}

// Rank returns the rank of this process according to its launcher, or 0 if it is unknown. It also works before MPI is
// initialised.
func Rank(getenv Getenv) int {
	n, _ := lookupRank(getenv)
	return n
}

// lookupRank is like Rank, and also returns whether the rank is known.
func lookupRank(getenv Getenv) (n int, known bool) {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"} {
		if n, err := strconv.Atoi(getenv(name)); err == nil {
			return n, true
		}
	}
	return 0, false
}

// LaunchSize is the number of processes that a launcher started, according to an environment variable.
type LaunchSize struct {
	Variable  string // name of the environment variable
	Processes int
}

// lowerBoundVariable is a variable that gives only a lower limit of the number of processes.
const lowerBoundVariable = "PMIX_RANK"

// LaunchSizes returns the numbers of processes that launchers wrote into the environment, one per launcher. Slurm sets
// SLURM_NTASKS in batch scripts too, which are no MPI processes, so Sizes uses it only in Slurm job steps.
func LaunchSizes(getenv Getenv) []LaunchSize {
	var sizes []LaunchSize
	add := func(name string, more int) {
		if n, err := strconv.Atoi(getenv(name)); err == nil {
			sizes = append(sizes, LaunchSize{name, n + more})
		}
	}
	add("OMPI_COMM_WORLD_SIZE", 0)
	add("PMI_SIZE", 0)
	if getenv("SLURM_STEP_ID") != "" {
		add("SLURM_STEP_NUM_TASKS", 0)
	}
	if len(sizes) == 0 {
		add(lowerBoundVariable, 1) // PMIx sets no size: there are at least rank + 1 processes
	}
	return sizes
}

// MayHaveSiblings reports whether, according to the environment, the launcher may have started other processes too. The
// result is the same on all processes of a job. It also works before MPI is initialised.
func MayHaveSiblings(getenv Getenv) bool {
	sizes := LaunchSizes(getenv)
	if len(sizes) == 0 {
		return Name(getenv) != ""
	}
	return slices.ContainsFunc(sizes,
		func(s LaunchSize) bool { return s.Processes > 1 || s.Variable == lowerBoundVariable })
}
