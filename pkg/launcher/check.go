package launcher

import (
	"fmt"
	"strings"
)

// Error tells that a launcher started more processes than MPI sees: it does not speak what the MPI library of the program
// asks, so that each process is a world of its own.
type Error struct {
	Launched int    // processes, says the launcher
	Variable string // in this environment variable
	Size     int    // processes, says MPI
	Library  string // of this program
	Launcher string // what started the process; "" is unknown
	PMI      string // what that speaks; "" is nothing
	Right    string // what starts programs of this library
	Kept     bool   // the process has the environment that its launcher made
}

func (e *Error) Error() string {
	speaks := e.Launcher + ", which speaks " + e.PMI
	switch {
	case e.Launcher == "":
		speaks = "an unknown launcher"
	case e.PMI == "":
		speaks = e.Launcher + ", which speaks no PMI"
	}
	text := fmt.Sprintf("%d processes were launched (%s) by %s, but MPI sees %d: this program is built with %s; start it with %s",
		e.Launched, e.Variable, speaks, e.Size, e.Library, e.Right)
	if !e.Kept {
		text += ", and let the container or wrapper around it keep the environment: it was cleaned of what the launcher put there"
	}
	return text
}

// Check compares the size of MPI_COMM_WORLD with what the launchers left in the environment of the process. library is the
// text of MPI_Get_library_version. The error is an *Error.
func Check(from Source, size int, library string) error {
	found := &Error{Size: size, Library: Library(library), Kept: from.Own}
	for _, s := range Sizes(from.Getenv) {
		if s.Processes == size {
			return nil // launchers can be nested, and leave their variables: one that is right is enough
		}
		if s.Processes > size && found.Variable == "" {
			found.Launched, found.Variable = s.Processes, s.Variable
		}
	}
	if found.Variable == "" {
		return nil
	}
	found.Launcher, found.PMI = Name(from.Getenv), PMI(from.Getenv)
	found.Right = launcherOf(library, from.Getenv("SLURM_STEP_ID") != "")
	return found
}

// CheckBefore is Check before MPI is initialised, for a library that speaks PMIx alone: where no server of PMIx waits, some
// releases end the program in MPI_Init and others make a world of one.
func CheckBefore(from Source, library string) error {
	if from.Own && speaksPMIx(from.Getenv) || from.Getenv("FLUX_JOB_ID") != "" { // Flux has its own component
		return nil
	}
	return Check(from, 1, library)
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

// Library is what of the text of MPI_Get_library_version names the library: the rest is how it was built.
func Library(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line, _, _ = strings.Cut(line, ", package:")
	return strings.Join(strings.Fields(line), " ")
}
