package bench

import (
	"runtime"
	"runtime/metrics"
)

// garbageLimit is the size of the Go heap, in bytes, above which collectGarbage runs the garbage collector.
const garbageLimit = 4 << 20

// collectGarbage runs the garbage collector if the heap is large enough. It is called between files, so that no
// collection runs inside a clock: the program switches automatic collection off while it measures.
func collectGarbage() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64() > garbageLimit {
		runtime.GC()
	}
}
