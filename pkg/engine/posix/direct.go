//go:build cgo

package posix

import (
	"fmt"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
)

// sector is what O_DIRECT wants at least on a device of which nothing is known.
const sector = 512

// checkDirect refuses a case that O_DIRECT does not take: memory, offsets and sizes must be multiples of the alignment of
// the device. The buffers lie at multiples of their sizes in memory that begins at a page.
func checkDirect(spec *engine.Spec) error {
	align, err := alignment(spec.Dir)
	if err != nil {
		return err
	}
	for _, n := range callSizes(spec) {
		if n%align != 0 {
			return fmt.Errorf("O_DIRECT in %s: %w: calls of %d bytes at multiples of %d: the device wants multiples of %d for both: give such block and transfer sizes",
				spec.Dir, engine.ErrUnsupported, spec.Nest.RunBytes, n, align)
		}
	}
	return nil
}

// callSizes are the size of the calls, and the distances between any two of them in the file.
func callSizes(spec *engine.Spec) []uint64 {
	sizes := []uint64{spec.Nest.RunBytes, spec.Nest.Base}
	for _, l := range spec.Nest.Runs {
		sizes = append(sizes, l.Stride)
	}
	for _, l := range spec.Nest.Transfers {
		sizes = append(sizes, l.Stride)
	}
	if spec.Datasets > 1 {
		sizes = append(sizes, spec.DatasetBytes)
	}
	return sizes
}

// alignment finds out what O_DIRECT wants in a directory, by a file without a name. Where there can be no such file, or the
// system does not tell, opening the file and the first call will say what they want.
func alignment(dir string) (uint64, error) {
	var fd int
	err := uninterrupted(func() (err error) {
		fd, err = unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
		return err
	})
	if err != nil {
		return sector, nil
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_DIRECT); err != nil {
		return 0, fmt.Errorf("O_DIRECT in %s: %w", dir, noDirect(err))
	}
	var s unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &s); err != nil || s.Mask&unix.STATX_DIOALIGN == 0 {
		return sector, nil
	}
	if s.Dio_offset_align == 0 {
		return 0, fmt.Errorf("O_DIRECT in %s: %w", dir, noDirect(engine.ErrUnsupported))
	}
	return uint64(max(s.Dio_mem_align, s.Dio_offset_align)), nil
}

// noDirect says what to do about a file system that does not open files with O_DIRECT.
func noDirect(err error) error {
	return fmt.Errorf("%w: the file system does not open files with O_DIRECT: do without, or use another", err)
}
