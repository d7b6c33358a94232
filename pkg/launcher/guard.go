package launcher

import (
	"errors"
	"time"
)

// HeadStart is how much longer than the first process the others live after an error that all have: Open MPI's launcher
// ends the job at the first exit status that is not 0, and the first process is to tell the error before that.
const HeadStart = 2 * time.Second

// Guard finds out whether a process is one of the world that its launcher started. Its errors are an *Error.
type Guard struct {
	Source    func() Source // where the traces of the launch are read from
	Library   string        // the text of MPI_Get_library_version; "" without MPI
	PMIxAlone func() bool   // reports whether the library speaks no other protocol than PMIx
}

// CheckBeforeInit refuses a launch before MPI is initialised, if it is already known to be wrong.
func (g Guard) CheckBeforeInit() error {
	if err := CheckBeforeInit(g.Source(), g.Library); err != nil && g.PMIxAlone() {
		return err
	}
	return nil
}

// CheckWorld refuses a wrong launch after MPI is initialised. size is the size of MPI_COMM_WORLD.
func (g Guard) CheckWorld(size int) error { return Check(g.Source(), size, g.Library) }

// StayTime is how long a process that was refused for an error is to live on, as of Error.Stay; 0 where it is another
// error.
func StayTime(err error) time.Duration {
	if wrong, ok := errors.AsType[*WorldError](err); ok {
		return wrong.StayTime()
	}
	return 0
}
