package engine

import (
	"errors"
	"fmt"
)

// ErrStopped is returned by a transfer that ended because the stop flag was set.
var ErrStopped = errors.New("stopped")

// Error is a call that failed: what was tried, on what, and the system's or library's own text.
type Error struct {
	Call   string // the function, such as pwrite or MPI_File_write_at
	Path   string
	Offset uint64 // in the file; only with Bytes > 0
	Bytes  uint64 // asked for; 0 when the call moves no data
	Moved  uint64 // done of these
	Err    error  // the reason
}

func (e *Error) Error() string {
	if e.Bytes == 0 {
		return fmt.Sprintf("%s %s: %v", e.Call, e.Path, e.Err)
	}
	return fmt.Sprintf("%s %s: %d bytes at offset %d, %d moved: %v", e.Call, e.Path, e.Bytes, e.Offset, e.Moved, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// ErrShort is the reason of an error in which a call reported success but moved fewer bytes than asked.
var ErrShort = errors.New("moved fewer bytes than asked, without an error")

// ErrUnsupported is the reason of what an engine or its library cannot do.
var ErrUnsupported = errors.New("not supported")
