package result_test

import (
	"fmt"
	"log"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// A document is read, here one of version 1, to print the median throughput of each point: a case
// in one direction.
func Example() {
	doc, err := result.Read("testdata/v1/parallel.json")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s run on %s, %s\n", doc.Kind, doc.Identity.Filesystem, doc.State)
	for _, c := range doc.Cases[:2] {
		for _, point := range c.Points() {
			fmt.Printf("%s, %d processes, %s, %s: %s (median of %d)\n", result.APIOf(c.API).Label, c.Processes,
				units.FormatBytes(float64(c.TransferBytes)), point.Operation,
				units.FormatRate(stats.Middle(point.Throughputs())), len(point.Samples))
		}
	}
	// Output:
	// parallel run on /mnt/scratch, complete
	// MPI-IO, 2 processes, 128 KiB, write: 1.04 GiB/s (median of 1)
	// MPI-IO, 2 processes, 128 KiB, read: 6.02 GiB/s (median of 1)
	// HDF5, 2 processes, 128 KiB, write: 373 MiB/s (median of 1)
	// HDF5, 2 processes, 128 KiB, read: 1.29 GiB/s (median of 1)
}

// Throughput is bytes divided by the time of the slowest process.
func ExampleSample_Throughput() {
	s := result.Sample{
		Operation: result.OperationWrite, Bytes: 8 << 20,
		Access: result.Interval{Max: 0.5, Min: 0.25, Mean: 0.375, MaxRank: 3},
	}
	fmt.Println(units.FormatRate(s.Throughput()))
	// Output: 16.0 MiB/s
}

// A case that failed has no points, and so no figure.
func ExampleCase_Points() {
	c := result.Case{API: result.POSIX, State: result.Failed, Samples: []result.Sample{
		{Operation: result.OperationWrite, Bytes: 1, Started: time.Unix(0, 0), Access: result.Interval{Max: 1}},
	}}
	fmt.Println(len(c.Points()))
	c.State = result.Complete
	fmt.Println(len(c.Points()))
	// Output:
	// 0
	// 1
}
