package launcher

import (
	"fmt"
	"strings"
	"time"
)

// WorldError is the error that MPI_COMM_WORLD has fewer processes than the launcher has started. Either the launcher
// does not use the protocol of the program's MPI library, or the process lacks the environment that the library needs.
// Each process then has its own MPI_COMM_WORLD.
type WorldError struct {
	Launched         int    // lower limit of the number of processes that were started
	SizeSource       string // source of Launched: the name of an environment variable, or seenAsSiblings
	Size             int    // size of MPI_COMM_WORLD
	Library          string // MPI library of this program
	Launcher         string // launcher that started the process; "" if unknown
	PMI              string // protocol of that launcher; "" for none
	RequiredLauncher string // launcher that should be used with this library
	EnvironmentKept  bool   // the process still has the environment that its launcher set
}

// ExitDelay returns how long the process should wait before it exits with this error. The delay is 0 unless a process
// can detect the error only by counting its sibling processes: then siblings that start later must still find this
// process.
func (e *WorldError) ExitDelay() time.Duration {
	if e.SizeSource == seenAsSiblings {
		return 10 * time.Second
	}
	return 0
}

func (e *WorldError) Error() string {
	speaks := e.Launcher + ", which provides " + e.PMI
	switch {
	case e.Launcher == "":
		speaks = "an unknown launcher"
	case e.PMI == "" && e.SizeSource == seenAsSiblings:
		speaks = e.Launcher
	case e.PMI == "":
		speaks = e.Launcher + ", which provides no PMI"
	}
	text := fmt.Sprintf("%d processes were launched (%s) by %s, but MPI sees %d: this program is built with %s; "+
		"start it with %s",
		e.Launched, e.SizeSource, speaks, e.Size, e.Library, e.RequiredLauncher)
	if !e.EnvironmentKept {
		text += ", and let the container or wrapper around it keep the environment: the variables of the launcher " +
			"are missing"
	}
	return text
}

// seenAsSiblings is WorldError.Seen if no environment variables, but only sibling processes show a launch.
const seenAsSiblings = "seen on this node"

// CheckWorldSize compares size, the size of MPI_COMM_WORLD, with the numbers of processes that launchers wrote into the
// environment. If size is 1 and from.Siblings is set, it also compares size with the number of siblings. It returns a
// *WorldError if the launchers started more processes. library is the result of MPI_Get_library_version.
func CheckWorldSize(from LaunchEvidence, size int, library string) error {
	found := &WorldError{Size: size, Library: LibraryName(library), EnvironmentKept: from.OwnEnvironment}
	for _, s := range LaunchSizes(from.Getenv) {
		if s.Processes == size {
			return nil // nested launchers leave several numbers: one that equals size is enough
		}
		if s.Processes > size && found.SizeSource == "" {
			found.Launched, found.SizeSource = s.Processes, s.Variable
		}
	}
	found.Launcher, found.PMI = Name(from.Getenv), PMI(from.Getenv)
	if n := from.Siblings.Processes; size == 1 && n > 1 {
		found.Launched, found.SizeSource, found.Launcher, found.EnvironmentKept = n, seenAsSiblings, from.Ancestors[0],
			false
	}
	if found.SizeSource == "" {
		return nil
	}
	found.RequiredLauncher = matchingLauncher(library, from.Getenv("SLURM_STEP_ID") != "")
	return found
}

// CheckBeforeInit is like Check, but works before MPI_Init, for a library that only supports PMIx. If there is no PMIx
// server, MPI_Init of such a library ends the program in some releases, and makes a world of one process in others.
func CheckBeforeInit(from LaunchEvidence, library string) error {
	// Open MPI has a component for Flux
	if from.OwnEnvironment && hasPMIxServer(from.Getenv) || from.Getenv("FLUX_JOB_ID") != "" {
		return nil
	}
	return CheckWorldSize(from, 1, library)
}

// matchingLauncher returns the launcher that should be used with a library. step says whether the process belongs to a
// Slurm job step.
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

// LibraryName returns the part of the result of MPI_Get_library_version that names the library, without the part that
// describes how it was built.
func LibraryName(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line, _, _ = strings.Cut(line, ", package:")
	return strings.Join(strings.Fields(line), " ")
}
