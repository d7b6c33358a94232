// Package launcher reads what launchers, such as mpiexec, leave in the environment of a process. That is which launcher
// started it, by which protocol (PMI), and how many processes it started. Check compares this with what MPI sees.
package launcher

import (
	"slices"
	"strconv"
)

// Getenv returns the value of an environment variable, or "" if it is not set.
type Getenv func(name string) string

// Name returns the name of the launcher that started the process, or "" if none is known. If launchers are
// nested, the inner one is returned: mpiexec starts its own daemons with srun.
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

// HasOwnTerminal reports whether a terminal that is standard output of the process is one that its launcher made, as
// that of Open MPI does. What the process writes may then end in a file. srun makes one only if the user asks for it.
func HasOwnTerminal(getenv Getenv) bool {
	name := Name(getenv)
	return name != "" && name != srun
}

// PMI returns the protocol by which the launcher expects MPI to contact it, with the launcher's version of
// it if that is known. It returns "" if there is none.
func PMI(getenv Getenv) string {
	switch {
	case speaksPMIx(getenv):
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

// speaksPMIx reports whether a PMIx server waits for the process.
func speaksPMIx(getenv Getenv) bool {
	return getenv("PMIX_NAMESPACE") != "" || getenv("PMIX_RANK") != ""
}

// Version returns the version of the launcher, or "" if the environment does not hold it. Open MPI sets it
// from release 5 on.
func Version(getenv Getenv) string {
	if getenv("OMPI_COMM_WORLD_SIZE") == "" {
		return ""
	}
	return getenv("OMPI_VERSION")
}

// Rank returns the rank of this process according to its launcher, or 0 if it is unknown. It works before
// MPI is initialised, too.
func Rank(getenv Getenv) int {
	n, _ := lookupRank(getenv)
	return n
}

// lookupRank returns the rank of this process according to its launcher, and whether it is known.
func lookupRank(getenv Getenv) (n int, known bool) {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"} {
		if n, err := strconv.Atoi(getenv(name)); err == nil {
			return n, true
		}
	}
	return 0, false
}

// Size is the number of processes that a launcher started, according to an environment variable.
type Size struct {
	Variable  string // name of the environment variable
	Processes int
}

// minSizeVariable is the variable from which only the least number of processes is known.
const minSizeVariable = "PMIX_RANK"

// Sizes returns the numbers of processes in the environment, one for each launcher that left one. In a
// batch script of Slurm, SLURM_NTASKS is set too, but the script is not a task: only steps are considered.
func Sizes(getenv Getenv) []Size {
	var sizes []Size
	add := func(name string, more int) {
		if n, err := strconv.Atoi(getenv(name)); err == nil {
			sizes = append(sizes, Size{name, n + more})
		}
	}
	add("OMPI_COMM_WORLD_SIZE", 0)
	add("PMI_SIZE", 0)
	if getenv("SLURM_STEP_ID") != "" {
		add("SLURM_STEP_NUM_TASKS", 0)
	}
	if len(sizes) == 0 {
		add(minSizeVariable, 1) // PMIx sets no size: there are at least rank + 1 processes
	}
	return sizes
}

// MayHaveSiblings reports whether the launcher of the process may have started others, too, according to the
// environment. It is the same on all processes of a job, and works before MPI is initialised.
func MayHaveSiblings(getenv Getenv) bool {
	sizes := Sizes(getenv)
	if len(sizes) == 0 {
		return Name(getenv) != ""
	}
	return slices.ContainsFunc(sizes, func(s Size) bool { return s.Processes > 1 || s.Variable == minSizeVariable })
}
