package node

import (
	"errors"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openedFile is an open file whose pages are counted in the page cache.
type openedFile struct {
	*os.File
	size    uint64
	parts   FileRanges
	windows fileWindows

	mapped    []byte // mapping of a part of the file, for mincore
	mapOffset uint64 // offset of the mapping in the file
	mapLength uint64 // largest number of bytes to map at a time; 0: not known yet
	vector    []byte // result of mincore: one byte for each page
}

// closeFile removes the mapping and closes the file.
func (f *openedFile) closeFile() error { return errors.Join(f.unmapRange(), f.Close()) }

// checkMincoreAllowed returns an error if the kernel does not tell this process which pages of the file are in the page
// cache (mincore(2), since Linux 5.2).
func checkMincoreAllowed(f *os.File) error {
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

// pageStart rounds an offset down to the start of its page.
func pageStart(offset uint64) uint64 { return offset - offset%pageBytes }

// cachestat returns the number of pages of a range that are in the page cache. The range must not be empty.
func (f *openedFile) cachestat(r FileRange) (uint64, error) {
	var s unix.Cachestat_t
	err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{Off: r.Offset, Len: r.Bytes}, &s, 0)
	return s.Cache, err
}

// mincore returns the number of pages of a range that are in the page cache. The range must not be empty, and must be
// within the file.
func (f *openedFile) mincore(r FileRange) (uint64, error) {
	start := pageStart(r.Offset)
	length := r.endOffset() - start
	if err := f.mapRange(start, length); err != nil {
		return 0, err
	}
	pages := (length + pageBytes - 1) / pageBytes
	if uint64(len(f.vector)) < pages {
		f.vector = make([]byte, pages)
	}
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&f.mapped[start-f.mapOffset])),
		uintptr(length),
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

// mapRange maps at least the given range of the file, which must begin at a page. It maps the whole file if possible,
// otherwise as much as can be mapped at a time, because on some file systems each mapping asks a server for the size of
// the file. A large mapping is cheap: as long as nobody accesses it, it needs address space, but no memory.
func (f *openedFile) mapRange(at, length uint64) error {
	if f.mapped != nil && at >= f.mapOffset && at+length <= f.mapOffset+uint64(len(f.mapped)) {
		return nil
	}
	if f.mapLength == 0 {
		f.mapLength = min(f.size, math.MaxInt)
	}
	for {
		if err := f.unmapRange(); err != nil {
			return err
		}
		f.mapOffset = at
		if f.mapLength >= f.size {
			f.mapOffset = 0
		}
		n := min(max(f.mapLength, length), f.size-f.mapOffset)
		mapped, err := unix.Mmap(int(f.Fd()), int64(f.mapOffset), int(n), unix.PROT_NONE, unix.MAP_SHARED)
		if err == nil {
			f.mapped = mapped
			return nil
		}
		if n <= length {
			return err
		}
		f.mapLength = n / 2
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
