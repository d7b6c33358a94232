package result

// Exit statuses of a process.
const (
	ExitOK      = 0   // all that was asked for was done
	ExitFailed  = 1   // something failed
	ExitUsage   = 2   // wrong usage: reported before any file was made
	ExitLaunch  = 3   // not started by the launcher of this program's MPI
	ExitStopped = 143 // ended by a signal
)
