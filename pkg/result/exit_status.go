package result

// Exit statuses of a process.
const (
	ExitOK      = 0   // everything was done
	ExitFailed  = 1   // something failed
	ExitUsage   = 2   // wrong usage, reported before any file was created
	ExitLaunch  = 3   // not started by the launcher that belongs to this program's MPI
	ExitStopped = 143 // ended by a signal
)
