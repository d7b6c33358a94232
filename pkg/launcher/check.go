package launcher

import (
	"fmt"
	"strings"
	"time"
)

// WorldError means that a launcher started more processes than MPI sees. Either the launcher does not use the
// protocol of the program's MPI library, or the process lacks the environment that the library needs. Each
// process is then an MPI world of its own.
type WorldError struct {
	Launched int    // number of processes that were started, at least
	Seen     string // how Launched is known: the name of an environment variable, or a description
	Size     int    // number of processes according to MPI
	Library  string // MPI library of this program
	Launcher string // launcher that started the process; "" if unknown
	PMI      string // protocol of that launcher; "" for none
	Right    string // launcher that starts programs of this library
	Kept     bool   // the process has the environment that its launcher set
}

// StayTime returns how long a process should live on after this error. It is more than 0 if a launch is only
// visible in processes side by side: those that start later must see this one.
func (e *WorldError) StayTime() time.Duration {
	if e.Seen == seenAsSiblings {
		return 10 * time.Second
	}
	return 0
}

func (e *WorldError) Error() string {
	speaks := e.Launcher + ", which provides " + e.PMI
	switch {
	case e.Launcher == "":
		speaks = "an unknown launcher"
	case e.PMI == "" && e.Seen == seenAsSiblings:
		speaks = e.Launcher
	case e.PMI == "":
		speaks = e.Launcher + ", which provides no PMI"
	}
	text := fmt.Sprintf("%d processes were launched (%s) by %s, but MPI sees %d: this program is built with %s; "+
		"start it with %s",
		e.Launched, e.Seen, speaks, e.Size, e.Library, e.Right)
	if !e.Kept {
		text += ", and let the container or wrapper around it keep the environment: the variables of the launcher " +
			"are missing"
	}
	return text
}

// seenAsSiblings is Error.Seen if no environment shows a launch, but other processes do.
const seenAsSiblings = "seen on this node"

// Check compares the size of MPI_COMM_WORLD with the number of processes that launchers left in the
// environment. If they left none, it compares a size of one with the number of processes that are seen
// beside this one. library is the result of MPI_Get_library_version. The error is an *Error.
func Check(from Source, size int, library string) error {
	found := &WorldError{Size: size, Library: LibraryName(library), Kept: from.Own}
	for _, s := range Sizes(from.Getenv) {
		if s.Processes == size {
			return nil // launchers can be nested, and their variables stay: one that agrees is enough
		}
		if s.Processes > size && found.Seen == "" {
			found.Launched, found.Seen = s.Processes, s.Variable
		}
	}
	found.Launcher, found.PMI = Name(from.Getenv), PMI(from.Getenv)
	if n := from.Siblings.Processes; size == 1 && n > 1 {
		found.Launched, found.Seen, found.Launcher, found.Kept = n, seenAsSiblings, from.Ancestors[0], false
	}
	if found.Seen == "" {
		return nil
	}
	found.Right = matchingLauncher(library, from.Getenv("SLURM_STEP_ID") != "")
	return found
}

// CheckBeforeInit is Check before MPI is initialised, for a library that supports PMIx only. If there is no
// PMIx server, some releases end the program in MPI_Init, and others make a world of one.
func CheckBeforeInit(from Source, library string) error {
	if from.Own && speaksPMIx(from.Getenv) || from.Getenv("FLUX_JOB_ID") != "" { // Open MPI has a component for Flux
		return nil
	}
	return Check(from, 1, library)
}

// matchingLauncher returns the launcher that starts programs of a library. step says whether the process is in a
// step of Slurm.
func matchingLauncher(library string, step bool) string {
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

// LibraryName returns the part of the result of MPI_Get_library_version that names the library. The rest
// describes how it was built.
func LibraryName(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line, _, _ = strings.Cut(line, ", package:")
	return strings.Join(strings.Fields(line), " ")
}
