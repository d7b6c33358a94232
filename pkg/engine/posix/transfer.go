//go:build cgo

package posix

// #cgo CFLAGS: -I${SRCDIR}/.. -O2 -Wall -Wextra -D_FILE_OFFSET_BITS=64
// #include "loop.h"
import "C"

import (
	"fmt"
	"syscall"

	"h5perf/pkg/engine"
	"h5perf/pkg/workload"
)

// transferMoves transfers the data of the moves of a batch, between memory and a number of datasets, in one call of the
// C loop.
func (s *session) transferMoves(f *openedFile, b *workload.Batch, datasets uint64) error {
	fds, distance := s.transferFiles(f, b)
	last := C.h5perf_posix((**C.h5perf_kernel)(s.kernels.Pointers(b.Move)), C.uint64_t(b.NumMoves()), fds, distance,
		C.int(b.Op), C.uint64_t(b.NumTransfers), C.uint64_t(datasets))
	k := s.kernels.KernelOf(b.Move + int(last))
	if k.Stopped() {
		return engine.ErrStopped
	}
	code, offset, bytes, moved := k.Failure()
	if code == 0 {
		return nil
	}
	e := &engine.CallError{
		Call: callName(b.Op), Path: f.path, Offset: offset, Bytes: bytes, Moved: moved, Err: engine.ErrShortTransfer,
	}
	switch errno := syscall.Errno(code); {
	case s.env.UseODirect && errno == syscall.EINVAL && moved%minDirectAlignment > 0:
		e.Err = fmt.Errorf("%w, and O_DIRECT cannot continue at that offset: %w", engine.ErrShortTransfer, errno)
	case s.env.UseODirect && errno == syscall.EINVAL:
		e.Err = fmt.Errorf("%w: with O_DIRECT, the device may require larger multiples for sizes and offsets: try "+
			"multiples of 4096", errno)
	case code > 0:
		e.Err = errno
	case b.Op == workload.Read:
		e.Err = fmt.Errorf("unexpected end of file: %w", engine.ErrShortTransfer)
	}
	return e
}
