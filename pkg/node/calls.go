package node

import (
	"errors"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openedFile is a file that is looked at.
type openedFile struct {
	*os.File
	size    uint64
	parts   PageParts
	windows fileWindows

	mapped []byte // part of the file that is mapped, for mincore
	at     uint64 // where it begins
	length uint64 // bytes that can be mapped at a time; 0: not known yet
	vector []byte // for mincore, a byte for each page
}

// closeFile closes the file.
func (f *openedFile) closeFile() error { return errors.Join(f.unmapRange(), f.Close()) }

// checkAllowed returns an error if the kernel would not give this process a true answer (mincore(2), since Linux
// 5.2).
func checkAllowed(f *os.File) error {
	var s unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &s); err != nil {
		return &os.PathError{Op: "fstat", Path: f.Name(), Err: err}
	}
	if int(s.Uid) == unix.Geteuid() || unix.Faccessat(unix.AT_FDCWD, f.Name(), unix.W_OK, unix.AT_EACCESS) == nil {
		return nil
	}
	return &os.PathError{
		Op: "mincore", Path: f.Name(), Err: errors.New("the kernel reports which data are in the page cache only " +
			"to the owner and to users who may write the file"),
	}
}

// pageBytes is the size of a page in bytes.
var pageBytes = uint64(unix.Getpagesize())

// pageStart returns the offset at which the page of an offset begins.
func pageStart(offset uint64) uint64 { return offset - offset%pageBytes }

// cachestat returns how many pages of a range, which is not empty, are in the page cache.
func (f *openedFile) cachestat(r PageRange) (uint64, error) {
	var s unix.Cachestat_t
	err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{Off: r.At, Len: r.Bytes}, &s, 0)
	return s.Cache, err
}

// mincore returns how many pages of a range are in the page cache. The range is not empty, and within the file.
func (f *openedFile) mincore(r PageRange) (uint64, error) {
	start := pageStart(r.At)
	length := r.endOffset() - start
	if err := f.mapRange(start, length); err != nil {
		return 0, err
	}
	pages := (length + pageBytes - 1) / pageBytes
	if uint64(len(f.vector)) < pages {
		f.vector = make([]byte, pages)
	}
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&f.mapped[start-f.at])), uintptr(length),
		uintptr(unsafe.Pointer(unsafe.SliceData(f.vector))))
	if errno != 0 {
		return 0, errno
	}
	n := uint64(0)
	for _, v := range f.vector[:pages] {
		n += uint64(v & 1)
	}
	return n, nil
}

// mapRange maps a range that begins at a page: with the whole file if possible, otherwise with as much of the file as
// can be mapped at a time, because some file systems ask servers for the size of a file that is mapped. A mapping
// that nothing accesses needs addresses, but no memory.
func (f *openedFile) mapRange(at, length uint64) error {
	if f.mapped != nil && at >= f.at && at+length <= f.at+uint64(len(f.mapped)) {
		return nil
	}
	if f.length == 0 {
		f.length = min(f.size, math.MaxInt)
	}
	for {
		if err := f.unmapRange(); err != nil {
			return err
		}
		f.at = at
		if f.length >= f.size {
			f.at = 0
		}
		n := min(max(f.length, length), f.size-f.at)
		mapped, err := unix.Mmap(int(f.Fd()), int64(f.at), int(n), unix.PROT_NONE, unix.MAP_SHARED)
		if err == nil {
			f.mapped = mapped
			return nil
		}
		if n <= length {
			return err
		}
		f.length = n / 2
	}
}

// unmapRange removes the mapping, if there is one.
func (f *openedFile) unmapRange() error {
	if f.mapped == nil {
		return nil
	}
	err := unix.Munmap(f.mapped)
	f.mapped = nil
	return err
}
