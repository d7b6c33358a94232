// Package figurestest makes documents for tests. Their figures are invented.
package figurestest

import (
	"math"
	"slices"
	"time"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// Start is when the run of Sweep starts.
var Start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Sweep returns a complete parallel run: three APIs on 4 and 2 processes with transfers of 64 KiB, 256 KiB and 1 MiB,
// both directions, 8 iterations, synced before close, all reads warm, with latencies.
func Sweep() figures.Run {
	status, finished := 0, Start.Add(time.Minute)
	doc := result.Document{
		SchemaVersion: result.Version, RunID: "20260301T120000Z-0123456789", State: result.Complete,
		ExitStatus: &status, Started: Start, Finished: &finished, Kind: result.KindParallel,
		Command:  []string{"h5perf", "-i", "8", "--sync", "close", "--latency"},
		Identity: result.Identity{Cluster: "c1", Filesystem: "/scratch", Label: "nightly"},
		Parameters: result.Parameters{
			APIs: []string{"posix", "mpiio", "phdf5"}, MinProcesses: 2, MaxProcesses: 4, BytesPerProcess: 1 << 20,
			BlockSize: 64 << 10, MinTransferSize: 64 << 10, MaxTransferSize: 1 << 20, Iterations: 8,
			Files: 1, Datasets: 1,
			Geometry: result.Geometry1D, Pattern: result.PatternContiguous, Mode: result.ModeIndependent,
			Layout: result.LayoutContiguous, HDF5Settings: result.HDF5Settings{
				Driver: option.DriverMPIO, AlignmentBytes: new(uint64(1)), ThresholdBytes: new(uint64(1)),
			},
			Conditions: option.Conditions{
				Sync: option.SyncClose, Order: option.OrderGiven, Data: option.DataPosition,
				SpaceCheck: new(true), Shift: new(0), Warmup: new(0), Latency: true,
			},
		},
		Notes: []string{"Option -x 128K is larger than -X: 64K is used."},
		Software: result.Software{
			Version: "v1.2", Flavour: "openmpi", Go: "go1.26", MPI: "Open MPI v4.1.4", HDF5: "1.10.8",
		},
		Machine: result.Machine{
			Host: "n1", Kernel: "6.18", Arch: "x86_64", CPU: "A CPU", CPUs: 8, MemoryBytes: 16 << 30,
			MemoryCopyRate: 20 << 30,
		},
		Target: result.Target{
			Directory: "/scratch/user", MountPoint: "/scratch", Type: "lustre", SizeBytes: 1 << 50, FreeBytes: 1 << 49,
		},
		Job: result.Job{Processes: 4, Nodes: 1, Placement: []result.Host{{Host: "n1", Ranks: "0-3", Count: 4}}},
	}
	for _, processes := range []int{4, 2} {
		for size := uint64(64 << 10); size <= 1<<20; size *= 4 {
			for i, api := range doc.Parameters.APIs {
				doc.Cases = append(doc.Cases,
					Case(processes, size, api, float64(processes)*math.Sqrt(float64(size))*(10-3*float64(i)), 8))
			}
		}
	}
	return figures.Run{Name: "sweep.json", Document: doc}
}

// spread holds the throughputs of successive samples, divided by the throughput of the case.
var spread = []float64{1, 1.04, 0.97, 0.7, 1.01, 0.99, 1.08, 1.02, 0.95, 1.03}

// Case returns a complete case. Its writes have about this throughput, in KiB per second. Its reads are twice as
// fast, and warm.
func Case(processes int, size uint64, api string, kibibytes float64, iterations int) result.Case {
	c := result.Case{
		Processes: processes, Nodes: 1, TransferSize: size, BufferBytes: size, API: api, State: result.Complete,
		DatasetBytes: uint64(processes) << 20, Bytes: uint64(processes) << 20,
	}
	for k := range iterations {
		for i, operation := range result.ValuesOf[result.Operation]() {
			seconds := float64(c.Bytes) / (kibibytes * 1024 * float64(i+1) * spread[k%len(spread)])
			s := result.Sample{
				Operation: operation, Iteration: k + 1, Started: Start, Ended: Start.Add(time.Second), Bytes: c.Bytes,
				Access: interval(0.8 * seconds), OpenClose: interval(1.2 * seconds),
			}
			times := map[workload.StepClass]float64{
				workload.FileOpen: 0.0625, workload.Transfer: 0.75, workload.FileClose: 0.03125,
			}
			if operation == result.OperationWrite {
				times[workload.Create], times[workload.Sync] = 0.05, 0.2
				s.AccessAndSync = new(interval(seconds))
			} else {
				times[workload.Open] = 0.25
				s.Access = interval(seconds)
				s.Cache = &result.Cache{Method: result.CacheMincore, MaxResident: 1, MeanResident: 1}
				s.Marks = []result.Mark{result.MarkWarm}
			}
			s.Classes = Classes(func(class workload.StepClass) result.Interval {
				return interval(
					times[class] * seconds)
			})
			c.Samples = append(c.Samples, s)
		}
	}
	for i, operation := range result.ValuesOf[result.Operation]() {
		c.Latencies = append(c.Latencies, latency(operation, float64(size)/(kibibytes*1024*float64(i+1))))
	}
	return c
}

// Counted returns Sweep with calls of MPI-IO and POSIX, except for the API POSIX, which makes no calls of MPI-IO.
func Counted() figures.Run {
	r := Sweep()
	r.Parameters.Conditions.CountCalls = true
	for i := range r.Cases {
		c := &r.Cases[i]
		for k := range c.Samples {
			s, kind := &c.Samples[k], result.CallKind(c.Samples[k].Operation)
			if c.API != result.POSIX {
				s.Calls = append(s.Calls,
					result.FunctionCalls{
						API: result.MPIIO, Function: "MPI_File_open", Kind: result.CallOther, Calls: 4,
					},
					result.FunctionCalls{
						API: result.MPIIO, Function: "MPI_File_" + string(kind) + "_at", Kind: kind,
						Calls: c.Bytes / c.TransferSize, Bytes: c.Bytes,
					})
			}
			s.Calls = append(s.Calls,
				result.FunctionCalls{API: result.POSIX, Function: "open", Kind: result.CallOther, Calls: 5},
				result.FunctionCalls{
					API: result.POSIX, Function: "p" + string(kind), Kind: kind,
					Calls: c.Bytes/c.TransferSize + uint64(k), Bytes: c.Bytes,
				})
		}
	}
	return r
}

func latency(operation result.Operation, seconds float64) result.Latency {
	l := result.Latency{
		Operation: operation, Call: "p" + string(operation), Count: 1000,
		Min: seconds / 2, Max: 64 * seconds, Mean: seconds,
		SlowestRanks: []result.SlowRank{{Rank: 1, Host: "n1", Mean: 1.5 * seconds, Max: 64 * seconds}},
	}
	for i, count := range []uint64{100, 600, 200, 70, 20, 9, 1} {
		from := seconds / 2 * math.Pow(2, float64(i))
		l.Histogram = append(l.Histogram, result.Bucket{From: from, To: 2 * from, Count: count})
	}
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999, 0.9999} {
		l.Quantiles = append(l.Quantiles, result.Quantile{Probability: q, Seconds: min(seconds/(1-q)/2, l.Max)})
	}
	return l
}

// Classes returns the times of the classes that took any.
func Classes(of func(workload.StepClass) result.Interval) (all []result.ClassTime) {
	for class := range workload.NumClasses {
		if t := of(class); t.Max > 0 {
			all = append(all, result.ClassTime{Class: result.ClassOf(class), Interval: t})
		}
	}
	return all
}

// SetTime sets the time of a class of a sample, in a list of classes of its own; a time of 0 removes the class.
func SetTime(s *result.Sample, class workload.StepClass, time result.Interval) {
	old := *s
	s.Classes = Classes(func(c workload.StepClass) result.Interval {
		if c == class {
			return time
		}
		return old.ClassInterval(c)
	})
}

// interval returns an interval with a window of this time. The slowest process needed 0.96 of it.
func interval(seconds float64) result.Interval {
	return result.Interval{
		WindowSeconds: seconds, Max: 0.96 * seconds, Mean: 0.9 * seconds, Min: 0.8 * seconds, MaxRank: 1,
		Deviation: 0.045 * seconds,
	}
}

// Serial returns a run of the serial tool with one sample for each point.
func Serial() figures.Run {
	r := Sweep()
	r.Name, r.RunID, r.Kind = "serial.json", "20260302T120000Z-0000000000", result.KindSerial
	r.Started = Start.Add(24 * time.Hour)
	r.Parameters = result.Parameters{
		APIs: []string{"posix", "hdf5"}, MinProcesses: 1, MaxProcesses: 1, MinTransferSize: 4096,
		MaxTransferSize: 4096, Iterations: 1, Files: 1, Datasets: 1, Layout: result.LayoutChunked,
		HDF5Settings: result.HDF5Settings{
			Driver: "sec2", AlignmentBytes: new(uint64(1)), ThresholdBytes: new(uint64(1)),
		},
		DatasetExtent: []uint64{1024, 1024}, BufferExtent: []uint64{64, 64}, DimensionOrder: []int{1, 2},
		Conditions: option.Conditions{Sync: option.SyncNone, Order: option.OrderGiven, Data: option.DataPosition},
	}
	r.Notes = nil
	r.Job = result.Job{Processes: 1, Nodes: 1, Placement: []result.Host{{Host: "n1", Ranks: "0", Count: 1}}}
	r.Cases = []result.Case{Case(1, 4096, "posix", 2e6, 1), Case(1, 4096, "hdf5", 1e6, 1)}
	for i := range r.Cases {
		r.Cases[i].Latencies = nil
		for k := range r.Cases[i].Samples {
			s := &r.Cases[i].Samples[k]
			s.AccessAndSync = nil
			s.Classes = slices.DeleteFunc(slices.Clone(s.Classes), func(t result.ClassTime) bool {
				return t.Class == result.ClassOf(workload.Sync)
			})
			s.Marks = []result.Mark{result.MarkWarm, result.MarkShort, result.MarkImplausible}[:len(s.Marks)*3]
		}
	}
	return r
}

// Failed returns a run that failed: of its four cases one has failed, one was interrupted after 3 of 8 iterations, one
// was skipped, and one was interrupted in its first iteration.
func Failed() figures.Run {
	r := Sweep()
	r.Name, r.RunID, r.State, r.ExitStatus = "failed.json", "20260303T120000Z-0000000000", result.Failed, new(1)
	r.Started = Start.Add(48 * time.Hour)
	r.Cases = slices.Clone(r.Cases[:4])
	failure := result.Error{
		Time: Start, Phase: result.PhaseTransfer, Operation: result.OperationWrite, Iteration: 2, File: 1,
		Rank: 3, Host: "n1", Ranks: 2,
		Message: "pwrite /scratch/data_1.posix: no space left on device",
	}
	r.Cases[0].State, r.Cases[0].Error = result.Failed, &failure
	for _, i := range []int{1, 3} {
		r.Cases[i].State, r.Cases[i].Latencies = result.Interrupted, nil
		r.Cases[i].Error = &result.Error{Phase: result.PhaseSignal, Rank: 0, Host: "n1", Message: "stopped by SIGTERM"}
	}
	r.Cases[1].Samples, r.Cases[3].Samples = r.Cases[1].Samples[:6], nil
	r.Cases[2].State, r.Cases[2].Reason, r.Cases[2].Samples = result.Skipped, "the file system is not one of HDF5", nil
	r.Errors = []result.Error{failure}
	return r
}
