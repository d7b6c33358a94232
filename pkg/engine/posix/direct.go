//go:build cgo

package posix

import (
	"fmt"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
)

// minDirectAlignment is the least alignment in bytes that O_DIRECT requires. It is used if that of the device is
// unknown.
const minDirectAlignment = 512

// checkDirect returns an error if O_DIRECT cannot do the transfers of the program. Memory addresses, file offsets and
// sizes must be multiples of the alignment that the device requires.
func (s *session) checkDirect() error {
	align, err := directAlignment(s.env.Dir)
	if err != nil {
		return err
	}
	if err := s.kernels.CheckAlignment(align); err != nil {
		return fmt.Errorf("O_DIRECT in %s: %w: %w", s.env.Dir, engine.ErrUnsupported, err)
	}
	return nil
}

// directAlignment returns the alignment in bytes that O_DIRECT requires in a directory, as the system reports it for an
// unnamed file (O_TMPFILE). It returns minDirectAlignment if it cannot create this file, or if the system does not know
// the alignment. If the device requires more, opening the data file or its first call fails later.
func directAlignment(dir string) (uint64, error) {
	var fd int
	err := engine.RetryOnEINTR(func() (err error) {
		fd, err = unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
		return err
	})
	if err != nil {
		return minDirectAlignment, nil
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_DIRECT); err != nil {
		return 0, fmt.Errorf("O_DIRECT in %s: %w", dir, noDirectError(err))
	}
	var s unix.Statx_t
	err = unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &s)
	if err != nil || s.Mask&unix.STATX_DIOALIGN == 0 {
		return minDirectAlignment, nil
	}
	if s.Dio_offset_align == 0 {
		return 0, fmt.Errorf("O_DIRECT in %s: %w", dir, noDirectError(engine.ErrUnsupported))
	}
	return uint64(max(s.Dio_mem_align, s.Dio_offset_align)), nil
}

// noDirectError returns an error that says that the file system does not support O_DIRECT, and what the user can do
// about it. It wraps err.
func noDirectError(err error) error {
	return fmt.Errorf("%w: the file system does not open files with O_DIRECT: leave out --direct, or use another "+
		"file system", err)
}
