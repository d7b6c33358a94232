package result_test

import (
	"fmt"
	"log"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Read a document and print the number of samples and the median throughput of each point: a case in one direction.
func Example() {
	doc, err := result.Read("../../results/examples/parallel.json")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s run, %s\n", doc.Kind, doc.State)
	for _, c := range doc.Cases[1:] {
		for _, point := range c.Points() {
			fmt.Printf("%s, %d processes, %s, %s: median of %d is above 0: %t\n", result.APIOf(c.API).Label,
				c.Processes, units.FormatBytes(float64(c.TransferSize)), point.Operation, len(point.Samples),
				stats.SampleMedian(point.Throughputs()) > 0)
		}
	}
	// Output:
	// parallel run, complete
	// MPI-IO, 2 processes, 1 MiB, write: median of 6 is above 0: true
	// MPI-IO, 2 processes, 1 MiB, read: median of 6 is above 0: true
	// HDF5, 2 processes, 1 MiB, write: median of 6 is above 0: true
	// HDF5, 2 processes, 1 MiB, read: median of 6 is above 0: true
}

// Throughput is bytes divided by the window.
func ExampleSample_Throughput() {
	s := result.Sample{
		Operation: result.OperationWrite, Bytes: 8 << 20,
		Access: result.Interval{WindowSeconds: 0.5, Max: 0.5, Min: 0.25, Mean: 0.375, MaxRank: 3},
	}
	fmt.Println(units.FormatRate(s.Throughput()))
	// Output: 16.0 MiB/s
}

// A case that failed has no points, so it has no throughput.
func ExampleCase_Points() {
	c := result.Case{API: result.POSIX, State: result.Failed, Samples: []result.Sample{
		{
			Operation: result.OperationWrite, Bytes: 1, Started: time.Unix(0, 0),
			Access: result.Interval{WindowSeconds: 1},
		},
	}}
	fmt.Println(len(c.Points()))
	c.State = result.Complete
	fmt.Println(len(c.Points()))
	// Output:
	// 0
	// 1
}
