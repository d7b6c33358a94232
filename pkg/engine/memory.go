package engine

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"h5perf/pkg/fill"
)

// MapMemory returns zeroed, page-aligned memory outside the Go heap, so that C may keep pointers to it. Free it with
// UnmapMemory.
//
// Implements: mmap
func MapMemory(bytes uint64) ([]byte, error) {
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

// UnmapMemory frees memory that MapMemory returned.
//
// Implements: munmap
func UnmapMemory(b []byte) error {
	return unix.Munmap(b)
}

// NewLatencyHistogram returns an empty histogram outside the Go heap, so that C loops can write to it. Free it with
// FreeLatencyHistogram.
func NewLatencyHistogram() (*fill.Histogram, error) {
	const bytes = unsafe.Sizeof(fill.Histogram{})
	p, err := unix.MmapPtr(-1, 0, nil, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("mmap of %d bytes for latencies: %w", bytes, err)
	}
	h := (*fill.Histogram)(p)
	h.Reset()
	return h, nil
}

// FreeLatencyHistogram frees a histogram that NewLatencyHistogram returned.
func FreeLatencyHistogram(h *fill.Histogram) error {
	return unix.MunmapPtr(unsafe.Pointer(h), unsafe.Sizeof(*h))
}

// NewStopFlag returns a flag that is not set. The memory of the flag is never freed.
func NewStopFlag() (*StopFlag, error) {
	page, err := MapMemory(uint64(unix.Getpagesize()))
	if err != nil {
		return nil, err
	}
	return &StopFlag{(*int32)(unsafe.Pointer(unsafe.SliceData(page)))}, nil
}

// Set makes all transfer loops of this process end. It may be called from any goroutine.
func (s *StopFlag) Set() { atomic.StoreInt32(s.flag, 1) }

// IsSet reports whether Set was called. It may be called from any goroutine.
func (s *StopFlag) IsSet() bool { return atomic.LoadInt32(s.flag) != 0 }
