package result

// Phase is what a process did when it failed. It is not Enumerated, so the schema allows phases of later releases.
type Phase string

// Phases of a run as a whole.
const (
	PhaseStart     Phase = "start"     // before the first case
	PhaseTurn      Phase = "turn"      // agreeing with all processes on how a case ended
	PhaseAgreement Phase = "agreement" // waiting for the other processes outside the phases of a case
	PhaseOutput    Phase = "output"    // writing documents
	PhaseClean     Phase = "clean"     // removing the directory of the data files
	PhaseSignal    Phase = "signal"    // a signal to end, in any phase
	PhaseProcess   Phase = "process"   // the process ended without a report
)

// IsOfRun reports whether the phase is of a run as a whole, and not of a case. Phases of later releases are taken for
// those of cases.
func (p Phase) IsOfRun() bool {
	switch p {
	case PhaseStart, PhaseTurn, PhaseAgreement, PhaseOutput, PhaseClean, PhaseSignal, PhaseProcess:
		return true
	}
	return false
}

// Phases of a case, in the order of time.
const (
	PhasePrepare      Phase = "prepare"
	PhaseCold         Phase = "cold"       // dropping files from page caches, and looking at what they hold
	PhasePageCache    Phase = "page cache" // judging what the page caches held
	PhaseOpen         Phase = "open"
	PhaseDataset      Phase = "dataset" // creating or opening a dataset
	PhaseAttribute    Phase = "attribute"
	PhaseSelect       Phase = "select" // building a selection
	PhaseTransfer     Phase = "transfer"
	PhaseExtend       Phase = "extend" // changing the extent of a dataset
	PhaseUnlink       Phase = "unlink"
	PhaseCompute      Phase = "compute" // sleeping for as long as the application computes
	PhaseFence        Phase = "fence"   // waiting where processes of the application wait for one another
	PhaseVerify       Phase = "verify"  // what was read differs from what was written
	PhaseSync         Phase = "sync"
	PhaseDatasetClose Phase = "dataset close"
	PhaseClose        Phase = "close"
	PhaseCheck        Phase = "check" // checking the size of a file
	PhaseRemove       Phase = "remove"
	PhaseRelease      Phase = "release"   // freeing what was prepared
	PhaseEffective    Phase = "effective" // reading back what the API really did
)
