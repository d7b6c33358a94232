// Package metricstest gives tests a real Pushgateway, a real Prometheus and documents for them.
package metricstest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/workload"
)

// Series makes the documents of a series of runs.
type Series struct {
	Identity result.Identity
	Type     string  // of the file system
	Speed    float64 // of posix, in bytes per second
	Seed     uint64  // series with the same seed have the same figures
	Warm     bool    // reads come from the page cache
}

// processes, transfers and repetitions of each run of a series.
var (
	processes = []int{2, 4}
	transfers = []uint64{64 << 10, 1 << 20, 16 << 20}
)

const repetitions = 6

// cost is the part of the speed that is left in an API. latency is the time of a call without data, in seconds.
var cost = map[string]float64{result.POSIX: 1, result.MPIIO: 0.95, result.PHDF5: 0.85}

const latency = 50e-6

// Run returns a complete run of the series. Its throughput is factor times that of the series.
func (s Series) Run(start time.Time, factor float64) result.Document {
	random := rand.New(rand.NewPCG(s.Seed, uint64(start.Unix())))
	end := start.Add(20 * time.Minute)
	status := 0
	doc := result.Document{
		SchemaVersion: result.Version,
		RunID:         fmt.Sprintf("%s-%04x", start.UTC().Format("20060102T150405Z"), s.Seed&0xffff),
		State:         result.Complete, ExitStatus: &status,
		Started: start.UTC(), Finished: &end, Kind: result.KindParallel, Identity: s.Identity,
		Parameters: result.Parameters{
			APIs: []string{result.POSIX, result.MPIIO, result.PHDF5}, MinProcesses: processes[0],
			MaxProcesses:    processes[len(processes)-1],
			BytesPerProcess: 256 << 20, BlockSize: 64 << 10, MinTransferSize: transfers[0],
			MaxTransferSize: transfers[len(transfers)-1],
			Iterations:      repetitions, Files: 1, Datasets: 1, Geometry: result.Geometry1D,
			Pattern: result.PatternContiguous, Mode: result.ModeIndependent, Layout: result.LayoutContiguous,
			HDF5Settings: result.HDF5Settings{Driver: "mpio"}, MPIIOSettings: result.MPIIOSettings{View: "auto"},
			Verify: true,
			Conditions: option.Conditions{
				Sync: option.SyncClose, Order: option.OrderGiven, Data: option.DataPosition,
				Latency: true, SpaceCheck: new(true), Shift: new(0), Warmup: new(0),
			},
		},
		Software: result.Software{
			Version: "v1.2.3", Flavour: "openmpi", Go: "go1.26", MPI: "Open MPI v4.1.4, package: Debian OpenMPI",
			HDF5: "1.10.8",
		},
		Machine: result.Machine{Host: "n1", Kernel: "6.1.0", CPUs: 4},
		Target:  result.Target{Directory: s.Identity.Filesystem, MountPoint: s.Identity.Filesystem, Type: s.Type},
		Job:     result.Job{Processes: 4, Nodes: 2},
	}
	for _, n := range processes {
		for _, transfer := range transfers {
			for _, api := range doc.Parameters.APIs {
				c := result.Case{
					Processes: n, Nodes: 2, TransferSize: transfer, BufferBytes: transfer, API: api,
					State: result.Complete, Verified: true,
					DatasetBytes: uint64(n) * 256 << 20, Bytes: uint64(n) * 256 << 20,
				}
				for i := range 2 * repetitions {
					operation, speed := result.OperationWrite, s.Speed*factor*cost[api]
					if i >= repetitions {
						operation, speed = result.OperationRead, speed*1.4
					}
					calls := float64(c.Bytes / transfer / uint64(n))
					seconds := (float64(c.Bytes)/speed + calls*latency) * math.Exp(0.03*random.NormFloat64())
					made := sample(operation, 1+i%repetitions, start, c.Bytes, seconds)
					if made.Cache != nil && s.Warm {
						made.Cache.MaxResident, made.Cache.MeanResident, made.Marks = 1, 1,
							[]result.Mark{result.MarkWarm}
					}
					c.Samples = append(c.Samples, made)
				}
				c.Latencies = latencies(c)
				doc.Cases = append(doc.Cases, c)
			}
		}
	}
	return doc
}

// sample returns a sample with a window of access of the given seconds. The slowest process needs 0.75 of any window.
func sample(
	operation result.Operation, iteration int, start time.Time, bytes uint64, seconds float64,
) result.Sample {
	part := func(ratio float64) result.Interval {
		time := ratio * seconds
		return result.Interval{WindowSeconds: time, Max: 0.75 * time, Min: 0.7 * time, Mean: 0.72 * time}
	}
	made := result.Sample{
		Operation: operation, Iteration: iteration, Started: start,
		Ended: start.Add(time.Duration(seconds * float64(time.Second))), Bytes: bytes,
		Access: part(1), OpenClose: part(1.1),
	}
	times := map[workload.StepClass]float64{
		workload.FileOpen: 0.05, workload.Create: 0.02, workload.Transfer: 0.98, workload.FileClose: 0.05,
	}
	if operation == result.OperationWrite {
		times[workload.Sync], made.AccessAndSync = 0.2, new(part(1.2))
	} else {
		made.Cache = &result.Cache{Method: result.CacheCachestat}
	}
	made.Classes = figurestest.Classes(func(class workload.StepClass) result.Interval { return part(times[class]) })
	return made
}

// latencies returns distributions in which all calls of a case take about the same time.
func latencies(c result.Case) []result.Latency {
	var list []result.Latency
	for _, operation := range result.ValuesOf[result.Operation]() {
		for _, p := range c.Points() {
			if p.Operation != operation {
				continue
			}
			l := result.Latency{Operation: operation, Call: "p" + string(operation)}
			for _, s := range p.Samples {
				n := s.Bytes / c.BufferBytes
				mean := s.ClassInterval(workload.Transfer).Seconds() / float64(n) * float64(c.Processes)
				l.Histogram = append(l.Histogram, result.Bucket{From: mean * 0.998, To: mean * 1.002, Count: n})
				l.Mean += mean / float64(len(p.Samples))
				l.Count += n
			}
			list = append(list, l)
		}
	}
	return list
}

// Failed returns a run of the series that read a wrong byte in its last case.
func (s Series) Failed(start time.Time) result.Document {
	doc := s.Run(start, 1)
	status := 1
	doc.State, doc.ExitStatus = result.Failed, &status
	last := &doc.Cases[len(doc.Cases)-1]
	last.State, last.Verified, last.Samples, last.Latencies = result.Failed, false, nil, nil
	last.Error = &result.Error{
		Time: start, Phase: result.PhaseVerify, Operation: result.OperationRead, Iteration: 1,
		Message: "offset 4096: zeros",
	}
	doc.Errors = []result.Error{*last.Error}
	return doc
}
