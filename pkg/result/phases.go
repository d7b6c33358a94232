package result

// Phase is what a process was doing when it failed. It does not implement Enumerated, so that the schema allows phases
// that later releases add.
type Phase string

// Phases of a run as a whole.
const (
	PhaseStart     Phase = "start"     // before the first case
	PhaseCaseEnd   Phase = "turn"      // agreeing with all processes on how a case ended
	PhaseAgreement Phase = "agreement" // waiting for the other processes outside the phases of a case
	PhaseOutput    Phase = "output"    // writing documents
	PhaseClean     Phase = "clean"     // removing the directory of the data files
	PhaseSignal    Phase = "signal"    // a signal ended the run, in any phase
	PhaseProcess   Phase = "process"   // the process ended without a report
)

// BelongsToRun reports whether the phase belongs to a run as a whole, and not to a case. It treats unknown phases, from
// later releases, as phases of cases.
func (p Phase) BelongsToRun() bool {
	switch p {
	case PhaseStart, PhaseCaseEnd, PhaseAgreement, PhaseOutput, PhaseClean, PhaseSignal, PhaseProcess:
		return true
	}
	return false
}

// Phases of a case, in the order in which they happen.
const (
	PhasePrepare      Phase = "prepare"
	PhaseCold         Phase = "cold"       // dropping files from page caches, and querying the page caches
	PhasePageCache    Phase = "page cache" // evaluating what the page caches held
	PhaseOpen         Phase = "open"
	PhaseDataset      Phase = "dataset" // creating or opening a dataset
	PhaseAttribute    Phase = "attribute"
	PhaseSelect       Phase = "select" // building a selection
	PhaseTransfer     Phase = "transfer"
	PhaseExtend       Phase = "extend" // changing the extent of a dataset
	PhaseUnlink       Phase = "unlink"
	PhaseLink         Phase = "link"
	PhaseStat         Phase = "stat"
	PhaseList         Phase = "list"
	PhaseRename       Phase = "rename"
	PhaseCompute      Phase = "compute" // sleeping for as long as the application computes
	PhaseFence        Phase = "fence"   // waiting where processes of the application synchronize
	PhaseVerify       Phase = "verify"  // what was read differs from what was written
	PhaseSync         Phase = "sync"
	PhaseDatasetClose Phase = "dataset close"
	PhaseClose        Phase = "close"
	PhaseCheck        Phase = "check" // checking the size of a file
	PhaseRemove       Phase = "remove"
	PhaseRelease      Phase = "release"   // freeing what was prepared
	PhaseEffective    Phase = "effective" // reading back what the API really did
)
