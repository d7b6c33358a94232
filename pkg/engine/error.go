package engine

import (
	"errors"
	"fmt"
)

// ErrStopped is the error of Session.Do if it ended because the stop flag was set.
var ErrStopped = errors.New("stopped")

// CallError describes a call that failed: the function, the file, and the error of the system or the library.
type CallError struct {
	Call   string // the function, such as pwrite or MPI_File_write_at
	Path   string
	Offset uint64 // in bytes, in the file; valid only if Bytes > 0
	Bytes  uint64 // bytes that were requested; 0 if the call moves no data
	Moved  uint64 // bytes that the call moved
	Err    error  // the reason
}

func (e *CallError) Error() string {
	if e.Bytes == 0 {
		return fmt.Sprintf("%s %s: %v", e.Call, e.Path, e.Err)
	}
	return fmt.Sprintf("%s %s: %d bytes at offset %d, %d moved: %v", e.Call, e.Path, e.Bytes, e.Offset, e.Moved, e.Err)
}

// Unwrap returns the reason.
func (e *CallError) Unwrap() error { return e.Err }

// ErrShortTransfer is the reason if a call reported success but moved fewer bytes than requested.
var ErrShortTransfer = errors.New("moved fewer bytes than requested, but reported no error")

// ErrNotRead is the reason if a read reported success, but the buffer does not hold the data written to the file.
var ErrNotRead = errors.New("reported success, but the buffer does not hold the written data: it is unchanged, or " +
	"holds data of another place, or zeros of a hole (if the file holds zeros, use --data zero; " +
	"'h5perf workload check' tells where a workload reads what it has not written)")

// ErrUnsupported is the reason if an engine or its library cannot do what is requested.
var ErrUnsupported = errors.New("not supported")
