package pagecache

import (
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The system calls by which the contents of the page cache are determined.
const (
	Cachestat = "cachestat"
	Mincore   = "mincore"
)

// Residency is how much of some files is in the page cache.
type Residency struct {
	Bytes  uint64 // in the page cache; whole pages count, but not beyond the end of a file
	Total  uint64 // size of the files in bytes
	Method string // used for the last file; "" before the first one
}

// Ratio returns the fraction of the files that is in the page cache, or 0 if they are empty.
func (r Residency) Ratio() float64 {
	if r.Total == 0 {
		return 0
	}
	return float64(r.Bytes) / float64(r.Total)
}

// Look adds a file, with cachestat(2) if the kernel has it (6.5), else with mincore(2). The kernel gives
// the answer only to the owner of the file and to those who may write to it; for others Look returns an
// error.
func (r *Residency) Look(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("page cache: %w", err)
	}
	method, bytes, total, err := look(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("page cache: %w", err)
	}
	r.Method, r.Bytes, r.Total = method, r.Bytes+bytes, r.Total+total
	return nil
}

// look returns the size of a file, and how many bytes of it are in the page cache.
func look(f *os.File) (method string, bytes, total uint64, err error) {
	info, err := f.Stat()
	if err != nil {
		return "", 0, 0, err
	}
	if err := allowed(f); err != nil {
		return "", 0, 0, err
	}
	total = uint64(info.Size())
	bytes, err = cachestat(f)
	if method = Cachestat; errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP) ||
		errors.Is(err, unix.EPERM) {
		// EPERM comes from the system call filter of a container that does not know cachestat.
		method = Mincore
		bytes, err = mincore(f, info.Size())
	}
	return method, min(bytes, total), total, err
}

// allowed returns an error if the kernel would not give this process a true answer (mincore(2), since Linux
// 5.2).
func allowed(f *os.File) error {
	var s unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &s); err != nil {
		return &os.PathError{Op: "fstat", Path: f.Name(), Err: err}
	}
	if int(s.Uid) == unix.Geteuid() || unix.Faccessat(unix.AT_FDCWD, f.Name(), unix.W_OK, unix.AT_EACCESS) == nil {
		return nil
	}
	return &os.PathError{
		Op: "mincore", Path: f.Name(), Err: errors.New("told only to the owner and to who may write the file"),
	}
}

// pageBytes is the size of a page in bytes.
var pageBytes = uint64(unix.Getpagesize())

// cachestat returns how many bytes of a file are in the page cache.
func cachestat(f *os.File) (uint64, error) {
	var s unix.Cachestat_t
	if err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{Len: math.MaxInt64}, &s, 0); err != nil {
		return 0, &os.PathError{Op: Cachestat, Path: f.Name(), Err: err}
	}
	return s.Cache * pageBytes, nil
}

// window is the size of the part of a file that is mapped at a time, in bytes: a multiple of all page
// sizes.
const window = 1 << 30

// mincore returns how many bytes of a file are in the page cache.
func mincore(f *os.File, size int64) (uint64, error) {
	pages := uint64(0)
	for at := int64(0); at < size; at += window {
		n, err := mincoreWindow(f, at, min(window, size-at))
		if err != nil {
			return 0, &os.PathError{Op: Mincore, Path: f.Name(), Err: err}
		}
		pages += n
	}
	return pages * pageBytes, nil
}

// mincoreWindow returns how many pages of a part of a file are in the page cache. Offset and length are in
// bytes.
func mincoreWindow(f *os.File, at, length int64) (uint64, error) {
	memory, err := unix.Mmap(int(f.Fd()), at, int(length), unix.PROT_NONE, unix.MAP_SHARED)
	if err != nil {
		return 0, err
	}
	vector := make([]byte, (uint64(length)+pageBytes-1)/pageBytes)
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(length),
		uintptr(unsafe.Pointer(unsafe.SliceData(vector))))
	if errno != 0 {
		err = errno
	}
	pages := uint64(0)
	for _, v := range vector {
		pages += uint64(v & 1)
	}
	return pages, errors.Join(err, unix.Munmap(memory))
}
