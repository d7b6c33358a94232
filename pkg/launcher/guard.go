package launcher

import (
	"errors"
	"time"
)

// FirstRankHeadStart is how long the other processes wait before they exit with an error that all processes have. Open
// MPI's launcher ends the job at the first exit status other than 0. Before that, the first process must report the
// error.
const FirstRankHeadStart = 2 * time.Second

// LaunchGuard checks that MPI_COMM_WORLD has all processes that the launcher started. Its methods return a *WorldError.
type LaunchGuard struct {
	Source   func() LaunchEvidence // returns the traces of the launch
	Library  string                // the result of MPI_Get_library_version; "" without MPI
	OnlyPMIx func() bool           // reports whether PMIx is the only protocol of the library
}

// CheckBeforeInit returns an error if a wrong launch is visible before MPI is initialised.
func (g LaunchGuard) CheckBeforeInit() error {
	if err := CheckBeforeInit(g.Source(), g.Library); err != nil && g.OnlyPMIx() {
		return err
	}
	return nil
}

// CheckWorld returns an error for a wrong launch after MPI is initialised. size is the size of MPI_COMM_WORLD.
func (g LaunchGuard) CheckWorld(size int) error { return CheckWorldSize(g.Source(), size, g.Library) }

// ExitDelay returns err.ExitDelay() if err is a *WorldError, otherwise 0.
func ExitDelay(err error) time.Duration {
	if wrong, ok := errors.AsType[*WorldError](err); ok {
		return wrong.ExitDelay()
	}
	return 0
}
