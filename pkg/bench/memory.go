package bench

import (
	"runtime"
	"runtime/metrics"
)

// garbageLimit is how much of the Go heap may pile up between two collections.
const garbageLimit = 4 << 20

// collectGarbage runs the collector between files when there is something to collect, so that none runs inside a
// clock: the program turns the automatic collection off while it measures.
func collectGarbage() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64() > garbageLimit {
		runtime.GC()
	}
}
