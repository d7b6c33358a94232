package engine

import (
	"errors"
	"fmt"
)

// ErrStopped is returned by Session.Do if it ended because the stop flag was set.
var ErrStopped = errors.New("stopped")

// CallError describes a call that failed: what was tried, on which file, and the text of the system or the library.
type CallError struct {
	Call   string // the function, such as pwrite or MPI_File_write_at
	Path   string
	Offset uint64 // in bytes, in the file; valid only if Bytes > 0
	Bytes  uint64 // that the call was asked to move; 0 if the call moves no data
	Moved  uint64 // how many of these it moved
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

// ErrShort is the reason if a call reported success but moved fewer bytes than asked.
var ErrShort = errors.New("moved fewer bytes than requested, but reported no error")

// ErrNotRead is the reason if a read reported success, but the buffer holds nothing that was written to the file.
var ErrNotRead = errors.New("reported success, but the buffer does not hold the written data: it is unchanged, or " +
	"holds data of another place, or zeros of a hole (if the file holds zeros, use --data zero)")

// ErrUnsupported is the reason if an engine or its library cannot do what it is asked for.
var ErrUnsupported = errors.New("not supported")
