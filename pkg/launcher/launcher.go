// Package launcher reads what launchers leave in the environment of a process: who started it, by which protocol (PMI), and
// as one of how many. It tells whether that agrees with what MPI sees.
package launcher

import "strconv"

// Getenv looks a variable of an environment up; "" is one that is not set.
type Getenv func(name string) string

// Name tells what started the process; "" if nothing that is known. Where launchers are nested, the inner one counts: mpiexec
// starts its own daemons by srun.
func Name(getenv Getenv) string {
	for _, mark := range []struct{ variable, launcher string }{
		{"OMPI_COMM_WORLD_SIZE", "Open MPI mpiexec"},
		{"MPI_LOCALNRANKS", "Hydra mpiexec"}, // MPICH and its relatives; srun --mpi=pmi2 sets PMI_SIZE, but not this
		{"SLURM_STEP_ID", "srun"},
		{"PMIX_RANK", "PMIx"},
		{"PMI_RANK", "PMI"},
	} {
		if getenv(mark.variable) != "" {
			return mark.launcher
		}
	}
	return ""
}

// PMI tells by which protocol the launcher waits for MPI to ask, with the version of its side where that is told; "" is none.
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

// speaksPMIx tells whether a server of PMIx waits for the process.
func speaksPMIx(getenv Getenv) bool {
	return getenv("PMIX_NAMESPACE") != "" || getenv("PMIX_RANK") != ""
}

// Version is that of the launcher, where its environment tells: Open MPI from release 5 on.
func Version(getenv Getenv) string {
	if getenv("OMPI_COMM_WORLD_SIZE") == "" {
		return ""
	}
	return getenv("OMPI_VERSION")
}

// Rank is the number of this process as its launcher tells it, also before MPI is initialised; 0 where nothing tells.
func Rank(getenv Getenv) int {
	n, _ := rank(getenv)
	return n
}

// Ranked tells whether the launcher tells the number of this process.
func Ranked(getenv Getenv) bool {
	_, told := rank(getenv)
	return told
}

func rank(getenv Getenv) (n int, told bool) {
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"} {
		if n, err := strconv.Atoi(getenv(name)); err == nil {
			return n, true
		}
	}
	return 0, false
}

// Size is how many processes a launcher tells that it started.
type Size struct {
	Variable  string // of the environment
	Processes int
}

// Sizes are what the launchers tell of the number of processes. A batch script of Slurm has SLURM_NTASKS too, but is no task:
// only a step counts.
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
		add("PMIX_RANK", 1) // PMIx tells no size: there are at least so many
	}
	return sizes
}
