package provenance

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/units"
)

// The memory copy is measured a few times for so long, and the fastest counts: what else runs on the node makes it slower.
const (
	copyTime  = 20 * time.Millisecond
	copyTimes = 3
)

// What is copied, from and to together, of all processors: what the last level of caches cannot hold, but not more than a
// job has to spare. Where a larger cache holds some of it, the copy is fast, and fewer samples are called implausible.
const (
	leastCopied = 32 << 20
	mostCopied  = 128 << 20
	copyPiece   = 1 << 20 // copied between two looks at the clock
)

// MemoryCopy is how many bytes per second all processors of this node together copy from memory to memory; 0 where it cannot
// be measured. It takes about a tenth of a second.
func MemoryCopy() float64 {
	n := max(1, processors("/proc/stat"))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n)) // MPI may have bound this process to fewer
	half := min(max(2*lastLevelCache("/sys"), leastCopied), mostCopied) / uint64(2*n)
	copiers := make([]copier, n)
	for i := range copiers {
		copiers[i] = newCopier(max(copyPiece, int(half)/copyPiece*copyPiece))
	}
	var fastest float64
	for range copyTimes {
		fastest = max(fastest, copyTogether(copiers))
	}
	for _, c := range copiers {
		close(c.begin)
	}
	return fastest
}

// copyTogether lets all copiers copy at a time, and returns bytes per second.
func copyTogether(copiers []copier) float64 {
	start, all := time.Now(), 0
	for _, c := range copiers {
		c.begin <- start.Add(copyTime)
	}
	for _, c := range copiers {
		all += <-c.copied
	}
	return float64(all) / time.Since(start).Seconds()
}

// copier copies on one processor until a time that it is given, and then tells how many bytes it copied.
type copier struct {
	begin  chan time.Time
	copied chan int
}

func newCopier(half int) copier {
	c := copier{make(chan time.Time), make(chan int)}
	ready := make(chan struct{})
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine, and its binding
		anyProcessor()
		memory, err := unix.Mmap(-1, 0, 2*half, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err == nil {
			_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // faster where there are such pages
			for at := 0; at < len(memory); at += 4096 {
				memory[at] = 1
			}
			defer func() { _ = unix.Munmap(memory) }()
		}
		close(ready)
		for end := range c.begin {
			n := 0
			for at := 0; err == nil && time.Now().Before(end); at = (at + copyPiece) % half {
				n += copy(memory[at:at+copyPiece], memory[half+at:])
			}
			c.copied <- n
		}
	}()
	<-ready
	return c
}

// anyProcessor lets this thread run on all processors that the system allows.
func anyProcessor() {
	var set unix.CPUSet
	set.Fill()
	_ = unix.SchedSetaffinity(0, &set) // then it runs where it may
}

// lastLevelCache is the size in bytes of all caches of the last level together; 0 is unknown.
func lastLevelCache(root string) uint64 {
	var level, total uint64
	seen := map[string]bool{} // which processors share it
	paths, _ := filepath.Glob(filepath.Join(root, "devices/system/cpu/cpu[0-9]*/cache/index[0-9]*"))
	for _, path := range paths {
		word := func(name string) string {
			text, _ := os.ReadFile(filepath.Join(path, name))
			return strings.TrimSpace(string(text))
		}
		l, _ := strconv.ParseUint(word("level"), 10, 64)
		size, err := units.ParseSize(word("size"))
		if err != nil || l < level {
			continue
		}
		if l > level {
			level, total = l, 0
			clear(seen)
		}
		if shared := word("shared_cpu_list"); !seen[shared] {
			seen[shared] = true
			total += size
		}
	}
	return total
}
