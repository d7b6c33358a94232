package result

// Phase is what a process did when it failed. It is not Enumerated: the schema leaves room for more phases.
type Phase string

// Phases of a run as a whole.
const (
	PhaseStart     Phase = "start"     // before the first case
	PhaseTurn      Phase = "turn"      // agreeing with all processes on how a case ended
	PhaseAgreement Phase = "agreement" // waiting for the other processes in no phase of a case
	PhaseClean     Phase = "clean"     // removing the directory of the data files
	PhaseSignal    Phase = "signal"    // a signal to end, in any phase
	PhaseProcess   Phase = "process"   // the process is gone
)

// Phases of a case, in the order of time.
const (
	PhasePrepare      Phase = "prepare"
	PhaseCold         Phase = "cold"       // dropping files from page caches, and looking into them
	PhasePageCache    Phase = "page cache" // judging what was there
	PhaseOpen         Phase = "open"
	PhaseDataset      Phase = "dataset" // creating or opening it
	PhaseTransfer     Phase = "transfer"
	PhaseVerify       Phase = "verify" // other bytes were read than had been written
	PhaseSync         Phase = "sync"
	PhaseDatasetClose Phase = "dataset close"
	PhaseClose        Phase = "close"
	PhaseCheck        Phase = "check" // of the size of a file
	PhaseRemove       Phase = "remove"
	PhaseRelease      Phase = "release" // of what was prepared
	PhaseEffective    Phase = "effective"
)
