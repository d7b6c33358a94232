package figurestest

import (
	"slices"
	"time"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// Workload returns a complete run of a workload: three APIs on 4 processes, both directions, 8 iterations. Writing
// 1 GiB takes 1.6 seconds in HDF5, of which about a half is structure, 0.9 in MPI-IO and 0.8 in POSIX. Each process
// computes for 2 seconds.
func Workload() figures.Run {
	r := Sweep()
	r.Name, r.RunID, r.Kind = "workload.json", "20260304T120000Z-0000000000", result.KindWorkload
	r.Started, r.Notes, r.Command = Start.Add(72*time.Hour), nil, []string{"h5perf", "run", "vpic"}
	r.Parameters = result.Parameters{
		APIs: r.Parameters.APIs, MinProcesses: 4, MaxProcesses: 4, Iterations: 8,
		HDF5Settings: r.Parameters.HDF5Settings,
		Conditions: option.Conditions{
			Sync: option.SyncNone, Order: option.OrderGiven, Data: option.DataPosition, SpaceCheck: new(true),
			Shift: new(0), Warmup: new(0),
		},
		Workload: &result.Workload{
			Name:   "vpic",
			Sizes:  []result.KeyValue{{Key: "dumps", Value: "5"}, {Key: "particles", Value: "1048576"}},
			Chosen: []result.KeyValue{{Key: "layout", Value: "contiguous"}},
			Hash:   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", Text: `{"name":"vpic"}`,
		},
	}
	r.Cases = nil
	for api, times := range map[string]map[workload.StepClass]float64{
		result.POSIX: {workload.FileOpen: 0.01, workload.Transfer: 0.78, workload.FileClose: 0.01},
		result.MPIIO: {
			workload.FileOpen: 0.02, workload.Select: 0.001, workload.Transfer: 0.85, workload.FileClose: 0.029,
		},
		result.PHDF5: {
			workload.FileOpen: 0.05, workload.Create: 0.3, workload.Attribute: 0.1, workload.Select: 0.002,
			workload.Transfer: 0.85, workload.ObjectClose: 0.004, workload.FileClose: 0.294,
		},
	} {
		c := WorkloadCase(api, times, 8)
		file := result.FileSize{Name: "all" + result.APIOf(api).Suffix, Bytes: 1 << 30}
		c.Effective = &result.Effective{Files: []result.FileSize{file}}
		if api == result.PHDF5 {
			c.Effective.Files[0].Bytes += 20 << 20
		}
		r.Cases = append(r.Cases, c)
	}
	slices.SortFunc(r.Cases, func(a, b result.Case) int { return result.CompareAPIs(a.API, b.API) })
	return r
}

// WorkloadCase returns a complete case of 1 GiB each way, in which the slowest process takes about these times. Reads
// take half as long as writes; they open objects where writes create them.
func WorkloadCase(api string, times map[workload.StepClass]float64, iterations int) result.Case {
	c := result.Case{Processes: 4, Nodes: 1, API: api, State: result.Complete}
	for k := range iterations {
		for i, operation := range result.ValuesOf[result.Operation]() {
			factor := (1 + (spread[k%len(spread)]-1)/10) / float64(i+1)
			s := result.Sample{
				Operation: operation, Iteration: k + 1, Started: Start, Ended: Start.Add(time.Minute), Bytes: 1 << 30,
				PlannedCompute: 2,
			}
			visible := 0.0
			for class := range workload.NumClasses {
				seconds := factor * times[class]
				switch {
				case class == workload.Compute:
					seconds = 2.001
				case i == 1 && class == workload.Create:
					seconds = 0
				case i == 1 && class == workload.Open:
					seconds = factor * times[workload.Create]
				}
				if of := interval(seconds); seconds > 0 {
					of.WindowSeconds, of.Max, of.Min = 0, seconds, 0.9*seconds
					s.Classes = append(s.Classes, result.ClassTime{Class: result.ClassOf(class), Interval: of})
				}
				if class != workload.Compute {
					visible += seconds
				} else { // all compute for as long
					s.Classes[len(s.Classes)-1].Min = seconds
				}
			}
			s.Access, s.OpenClose = interval(visible), interval(visible+2.001)
			if operation == result.OperationRead {
				s.Cache = &result.Cache{Method: result.CacheMincore}
			}
			c.Samples = append(c.Samples, s)
		}
	}
	return c
}

// Dumped returns a run of a workload whose samples have n dumps of the same bytes, in as many buckets. Opening and
// closing of files is before and after them. Each dump takes longer than the one before by the same time, the last one
// growth times as long as the first.
func Dumped(r figures.Run, n int, growth float64) figures.Run {
	r.Cases = slices.Clone(r.Cases)
	for i := range r.Cases {
		samples := slices.Clone(r.Cases[i].Samples)
		for k := range samples {
			samples[k].Dumps = dumps(samples[k], n, growth)
		}
		r.Cases[i].Samples = samples
	}
	return r
}

// dumps divides a sample into dumps.
func dumps(s result.Sample, n int, growth float64) []result.DumpTime {
	all := make([]result.DumpTime, n)
	for i := range all {
		d := &all[i]
		d.First, d.Last, d.Bytes = i+1, i+1, s.Bytes/uint64(n)
		part := 2 * (1 + (growth-1)*float64(i)/float64(n-1)) / ((1 + growth) * float64(n))
		for _, t := range s.Classes {
			if t.Class == "file open" || t.Class == "file close" || t.Max == 0 {
				continue
			}
			d.Classes = append(d.Classes, result.DumpClass{Class: t.Class, Max: part * t.Max, Mean: part * t.Mean})
			if t.Class != "compute" {
				d.WindowSeconds += part * t.Max
			}
		}
	}
	return all
}

// WorkloadFailed returns the run of Workload of which MPI-IO failed, and HDF5 was interrupted after 3 of 8 iterations.
func WorkloadFailed() figures.Run {
	r := Workload()
	r.Name, r.RunID, r.State, r.ExitStatus = "half.json", "20260305T120000Z-0000000000", result.Failed, new(1)
	r.Started = Start.Add(96 * time.Hour)
	failure := result.Error{
		Time: Start, Phase: result.PhaseAttribute, Operation: result.OperationWrite, Iteration: 2, Rank: 3, Host: "n1",
		Message: "MPI_File_write_at /scratch/all.mpio: no space left on device",
	}
	r.Cases[1].State, r.Cases[1].Error, r.Cases[1].Samples = result.Failed, &failure, nil
	r.Cases[2].State, r.Cases[2].Samples = result.Interrupted, r.Cases[2].Samples[:6]
	r.Cases[2].Error = &result.Error{Phase: result.PhaseSignal, Rank: 0, Host: "n1", Message: "stopped by SIGTERM"}
	r.Errors = []result.Error{failure}
	return r
}
