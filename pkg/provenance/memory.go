package provenance

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// What is copied is more than a processor's own caches hold, and less than a rank's smallest buffers.
const copied = 8 << 20

// The memory copy is measured a few times for so long, and the fastest counts: what else runs on the node makes it slower.
const (
	copyTime  = time.Millisecond // of the processor
	copyTimes = 10
	copyPiece = 1 << 20 // copied between two looks at the clock
)

// MemoryCopy is how many bytes per second the processors of this node copy from memory to memory, if all of them are as fast
// as this one by itself: they are not faster together. It is 0 where it cannot be measured. It takes 10 ms of the
// processor, and counts no time in which others have it.
func MemoryCopy() float64 {
	memory, err := unix.Mmap(-1, 0, copied, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return 0
	}
	defer func() { _ = unix.Munmap(memory) }()
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // faster where there are such pages
	for at := 0; at < copied; at += 4096 {
		memory[at] = 1
	}
	runtime.LockOSThread() // whose time counts
	defer runtime.UnlockOSThread()
	var fastest float64
	for range copyTimes {
		fastest = max(fastest, copySpeed(memory[:copied/2], memory[copied/2:]))
	}
	return fastest * float64(max(1, processors("/proc/stat")))
}

// copySpeed is how many bytes per second of its own time this thread copies.
func copySpeed(from, to []byte) float64 {
	start, n := threadTime(), 0
	for {
		at := n % len(from)
		n += copy(to[at:at+copyPiece], from[at:])
		if passed := threadTime() - start; passed >= copyTime {
			return float64(n) / passed.Seconds()
		}
	}
}

// threadTime is how long this thread has been running on a processor.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // every Linux has it
	return time.Duration(t.Nano())
}
