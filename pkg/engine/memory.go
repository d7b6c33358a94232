package engine

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"h5perf/pkg/fill"
)

// Map returns zeroed, page-aligned memory outside the Go heap, so that C may keep pointers to it. Free it with Unmap.
//
// Implements: mmap
func Map(bytes uint64) ([]byte, error) {
	const limit = 1 << 46
	if bytes == 0 || bytes > limit {
		return nil, fmt.Errorf("mmap of %d bytes: not between 1 and %d", bytes, uint64(limit))
	}
	b, err := unix.Mmap(-1, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("mmap of %d bytes of buffer memory: %w", bytes, err)
	}
	return b, nil
}

// Unmap frees memory that Map returned.
//
// Implements: munmap
func Unmap(b []byte) error {
	return unix.Munmap(b)
}

// NewLatency returns an empty histogram outside the Go heap, which C loops can write. Free it with FreeLatency.
func NewLatency() (*fill.Histogram, error) {
	const bytes = unsafe.Sizeof(fill.Histogram{})
	p, err := unix.MmapPtr(-1, 0, nil, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("mmap of %d bytes for latencies: %w", bytes, err)
	}
	h := (*fill.Histogram)(p)
	h.Reset()
	return h, nil
}

// FreeLatency frees a histogram that NewLatency returned.
func FreeLatency(h *fill.Histogram) error {
	return unix.MunmapPtr(unsafe.Pointer(h), unsafe.Sizeof(*h))
}

// NewStop returns a flag that is not set. Its memory is never freed.
func NewStop() (*Stop, error) {
	page, err := Map(uint64(unix.Getpagesize()))
	if err != nil {
		return nil, err
	}
	return &Stop{(*int32)(unsafe.Pointer(unsafe.SliceData(page)))}, nil
}

// Set makes all transfer loops of this process end. It may be called from any goroutine.
func (s *Stop) Set() { atomic.StoreInt32(s.flag, 1) }

// IsSet reports whether Set was called. It may be called from any goroutine.
func (s *Stop) IsSet() bool { return atomic.LoadInt32(s.flag) != 0 }
