package node

import (
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// copyBytes is the size of the memory for the measurement, in bytes: more than a processor's own caches hold, and less
// than the smallest buffers of a rank.
const copyBytes = 8 << 20

// The copy is measured several times, each for a short time. The fastest measurement counts, because other work on the
// node makes copies slower.
const (
	copyTime  = time.Millisecond // processor time of one measurement
	numCopies = 4
	copyPiece = 1 << 20 // bytes copied between two readings of the clock
)

// copying is held during a measurement: two measurements in one process would slow each other.
var copying sync.Mutex

// MemoryCopyRate returns how many bytes per second all processors of this node together can at most copy in memory: the
// rate of one processor alone, times the number of processors. The measurement takes 4 ms of processor time, and does
// not count time in which other processes run. MemoryCopyRate returns 0 if it cannot measure.
func MemoryCopyRate() float64 {
	copying.Lock()
	defer copying.Unlock()
	memory, err := unix.Mmap(-1, 0, copyBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return 0
	}
	defer func() { _ = unix.Munmap(memory) }()
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // faster if huge pages are available
	for at := 0; at < copyBytes; at += 4096 {
		memory[at] = 1
	}
	runtime.LockOSThread() // threadTime reads the clock of this thread
	defer runtime.UnlockOSThread()
	var fastest float64
	for range numCopies {
		fastest = max(fastest, copyRateOfThread(memory[:copyBytes/2], memory[copyBytes/2:]))
	}
	_, cpus := ProcessorTime()
	return fastest * float64(max(1, cpus))
}

// copyRateOfThread returns the number of bytes that this thread copies per second of its own processor time.
func copyRateOfThread(from, to []byte) float64 {
	start, n := threadTime(), 0
	for {
		at := n % len(from)
		n += copy(to[at:at+copyPiece], from[at:])
		if passed := threadTime() - start; passed >= copyTime {
			return float64(n) / passed.Seconds()
		}
	}
}

// threadTime returns the processor time of this thread.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // every Linux has it
	return time.Duration(t.Nano())
}
