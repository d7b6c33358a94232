package workload_test

import (
	"fmt"
	"log"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// Four processes share a dataset of 6 × 8 elements of 4 bytes as a grid of blocks. The memory of each has a ghost cell
// on each side.
func ExampleRule() {
	r := workload.Rule{Name: workload.BlockRule}
	dims := []uint64{6, 8}
	total, err := r.TotalBytes(dims, 4, 4)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("all processes: %d bytes\n", total)
	s, err := r.Selection(dims, 4, 3, 4)
	if err != nil {
		log.Fatal(err)
	}
	pieces, err := pattern.ContiguousPieces(s, pattern.MemoryArrangement{Kind: pattern.Ghost, GhostCells: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("process 3:", s.Kind())
	for p := range pieces {
		fmt.Printf("%d bytes at %d of the file, %d of memory\n", p.Bytes, p.File, p.Memory)
	}
	// Output:
	// all processes: 192 bytes
	// process 3: singular
	// 16 bytes at 112 of the file, 28 of memory
	// 16 bytes at 144 of the file, 52 of memory
	// 16 bytes at 176 of the file, 76 of memory
}
