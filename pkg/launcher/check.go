package launcher

import (
	"fmt"
	"strings"
	"time"
)

// Error tells that a launcher started more processes than MPI sees: it does not speak what the MPI library of the program
// asks, or the process was not left what it would ask with, so that each process is a world of its own.
type Error struct {
	Launched int    // processes, at least
	Seen     string // how this is known: the name of an environment variable of the launcher, or words
	Size     int    // processes, says MPI
	Library  string // of this program
	Launcher string // what started the process; "" is unknown
	PMI      string // what that speaks; "" is nothing
	Right    string // what starts programs of this library
	Kept     bool   // the process has the environment that its launcher made
}

// Stay is how long a process that was refused is to live on: where nothing but processes beside each other tell of a launch,
// those that come later are to see it.
func (e *Error) Stay() time.Duration {
	if e.Seen == seenBeside {
		return 10 * time.Second
	}
	return 0
}

func (e *Error) Error() string {
	speaks := e.Launcher + ", which speaks " + e.PMI
	switch {
	case e.Launcher == "":
		speaks = "an unknown launcher"
	case e.PMI == "" && e.Seen == seenBeside:
		speaks = e.Launcher
	case e.PMI == "":
		speaks = e.Launcher + ", which speaks no PMI"
	}
	text := fmt.Sprintf("%d processes were launched (%s) by %s, but MPI sees %d: this program is built with %s; start it with %s",
		e.Launched, e.Seen, speaks, e.Size, e.Library, e.Right)
	if !e.Kept {
		text += ", and let the container or wrapper around it keep the environment: it was cleaned of what the launcher put there"
	}
	return text
}

// seenBeside is how processes of a launch are known of which no environment tells.
const seenBeside = "seen beside this one"

// Check compares the size of MPI_COMM_WORLD with what the launchers left in the environment of the process, or where they left
// nothing, a world of one with what is seen beside it. library is the text of MPI_Get_library_version. The error is an *Error.
func Check(from Source, size int, library string) error {
	found := &Error{Size: size, Library: Library(library), Kept: from.Own}
	for _, s := range Sizes(from.Getenv) {
		if s.Processes == size {
			return nil // launchers can be nested, and leave their variables: one that is right is enough
		}
		if s.Processes > size && found.Seen == "" {
			found.Launched, found.Seen = s.Processes, s.Variable
		}
	}
	found.Launcher, found.PMI = Name(from.Getenv), PMI(from.Getenv)
	if n := from.Beside.Processes; size == 1 && n > 1 {
		found.Launched, found.Seen, found.Launcher, found.Kept = n, seenBeside, from.Ancestors[0], false
	}
	if found.Seen == "" {
		return nil
	}
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
