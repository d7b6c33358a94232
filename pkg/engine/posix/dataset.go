//go:build cgo

package posix

// #cgo CFLAGS: -I${SRCDIR}/../kernel -O2 -Wall -Wextra -D_FILE_OFFSET_BITS=64
// #include "loop.h"
import "C"

import (
	"fmt"
	"syscall"

	"h5perf/pkg/engine"
)

// dataset is an open dataset. The state of its transfers is in the kernel of the session.
type dataset struct {
	file *file
}

// Transfer does the next n transfers in one call of the C loop.
func (d *dataset) Transfer(n uint64) error {
	f, k := d.file, d.file.session.kernel
	C.h5perf_posix((*C.h5perf_kernel)(k.Pointer()), C.int(f.fd), C.int(f.op), C.uint64_t(n))
	if k.Stopped() {
		return engine.ErrStopped
	}
	code, offset, bytes, moved := k.Failure()
	if code == 0 {
		return nil
	}
	e := &engine.Error{
		Call: callName(f.op), Path: f.path, Offset: offset, Bytes: bytes, Moved: moved, Err: engine.ErrShort,
	}
	switch errno := syscall.Errno(code); {
	case f.session.spec.Direct && errno == syscall.EINVAL && moved%sector > 0:
		e.Err = fmt.Errorf("%w, and O_DIRECT cannot continue at that offset: %w", engine.ErrShort, errno)
	case f.session.spec.Direct && errno == syscall.EINVAL:
		e.Err = fmt.Errorf("%w: with O_DIRECT, the device may require larger multiples for sizes and offsets: try "+
			"multiples of 4096", errno)
	case code > 0:
		e.Err = errno
	case f.op == engine.Read:
		e.Err = fmt.Errorf("unexpected end of file: %w", engine.ErrShort)
	}
	return e
}

// Progress returns what was done. Every pwrite or pread that moved data counts as a call: one for each run, and one
// more each time when the system moved less than asked, as it does beyond 2 GiB - 4 KiB.
func (d *dataset) Progress() engine.Progress { return d.file.session.kernel.Progress() }

// Close adds the calls to those of the session.
func (d *dataset) Close() error {
	d.file.session.calls += d.Progress().Calls
	return nil
}
