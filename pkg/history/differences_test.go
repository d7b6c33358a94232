package history_test

import (
	"slices"
	"testing"

	"h5perf/pkg/history"
	"h5perf/pkg/option"
	"h5perf/pkg/placement"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

func machine() result.Document {
	return result.Document{
		Machine:  result.Machine{Host: "n1", Kernel: "6.1.0", CPUs: 2, MemoryBytes: 16106127360, MemoryCopyRate: 1e10},
		Software: result.Software{HDF5: "1.10.8", HDF5Config: []result.KeyValue{{Key: "Parallel HDF5", Value: "yes"}}},
		Target:   result.Target{MountPoint: "/scratch", Type: "lustre", Options: "rw,flock", FreeBytes: 7},
		Job: result.Job{
			Processes: 4, Placement: []result.Host{{Host: "n1", Ranks: "0-3", Count: 4}},
			MPIVariables: []result.KeyValue{{Key: "OMPI_MCA_io", Value: "ompio"}, {Key: "UCX_TLS", Value: "all"}},
			Slurm:        []result.KeyValue{{Key: "SLURM_JOB_ID", Value: "1"}},
		},
		Parameters: result.Parameters{MaxProcesses: 4, Conditions: option.Conditions{
			Sync: "none",
			Seed: new(uint64(1)),
		}},
	}
}

func TestDifferencesNameWhatIsNotTheSame(t *testing.T) {
	then, now := machine(), machine()
	now.Machine.MemoryCopyRate, now.Target.FreeBytes, now.Job.Slurm[0].Value,
		now.Parameters.Conditions.Seed = 2e10, 8, "2", new(uint64(2))
	if got := history.DocumentDifferences(then, now); got != nil {
		t.Errorf("of the same machine: %v", got)
	}
	now.Machine.Host, now.Machine.Kernel, now.Machine.CPU = "n2", "6.6.1", "EPYC"
	now.Machine.MemoryBytes = 16106127364
	now.Software.HDF5Config[0].Value = "no"
	now.Target.Options = "rw"
	now.Job.Processes, now.Job.Placement[0].Host = 8, "n2"
	now.Job.MPIVariables = now.Job.MPIVariables[:1]
	now.Parameters.MaxProcesses = 8
	then.Parameters.APIs, now.Parameters.APIs = []string{"posix"}, []string{"posix", "hdf5"}
	want := []string{
		`job.mpi_variables: 1 only then: UCX_TLS`,
		`job.placement was count=4 host=n1 ranks=0-3, now count=4 host=n2 ranks=0-3`,
		`job.processes was 4, now 8`,
		`machine.cpu_model was nothing, now EPYC`,
		`machine.host was n1, now n2`,
		`machine.kernel was 6.1.0, now 6.6.1`,
		`machine.memory_bytes was 16106127360, now 16106127364`,
		`parameters.apis was posix, now posix, hdf5`,
		`parameters.max_processes was 4, now 8`,
		`software.hdf5_configuration.Parallel HDF5 was yes, now no`,
		`target.mount_options was rw,flock, now rw`,
	}
	if got := history.DocumentDifferences(then, now); !slices.Equal(got, want) {
		t.Errorf("got:\n%q\nwant:\n%q", got, want)
	}
}

func TestVariablesOfMPITakeFewLines(t *testing.T) {
	then, now := machine(), machine()
	then.Job.MPIVariables, now.Job.MPIVariables = nil, nil
	for _, name := range []string{"A", "B", "C", "D", "E", "F"} {
		pair := result.KeyValue{Key: name, Value: "1"}
		if name < "E" {
			then.Job.MPIVariables = append(then.Job.MPIVariables, pair)
		}
		if name > "B" {
			pair.Value = "[2]"
			now.Job.MPIVariables = append(now.Job.MPIVariables, pair)
		}
	}
	want := []string{
		"job.mpi_variables: 2 only now: E, F", "job.mpi_variables: 2 only then: A, B",
		"job.mpi_variables: 2 with another value: C, D",
	}
	if got := history.DocumentDifferences(then, now); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDifferencesOfBindings(t *testing.T) {
	run := func(cpus ...string) result.Document {
		doc := machine()
		doc.Job.Placement = []result.Host{placement.NewHost("n1", []int{0, 1}, cpus, 2)}
		return doc
	}
	one, turned, both := run("0", "1"), run("1", "0"), run("0-1", "0-1")
	for _, c := range []struct {
		then, now result.Document
		want      []string
	}{
		{one, one, nil},
		{one, both, []string{
			"job.placement was count=2 cpu_binding=(cpu_shift=1 cpus=0 local_ranks=0-1 ranks=2) host=n1 ranks=0-1 " +
				"usable_cpus=2, now count=2 cpu_binding=(cpus=0-1 local_ranks=0-1 ranks=2) host=n1 ranks=0-1 " +
				"usable_cpus=2",
		}},
		{one, turned, []string{
			"job.placement was count=2 cpu_binding=(cpu_shift=1 cpus=0 local_ranks=0-1 ranks=2) host=n1 ranks=0-1 " +
				"usable_cpus=2, now count=2 cpu_binding=(cpu_shift=-1 cpus=1 local_ranks=0-1 ranks=2) host=n1 " +
				"ranks=0-1 usable_cpus=2",
		}},
	} {
		if got := history.DocumentDifferences(c.then, c.now); !slices.Equal(got, c.want) {
			t.Errorf("got:\n%q\nwant:\n%q", got, c.want)
		}
	}
}

func TestADifferenceIsALineThatCanBeSeen(t *testing.T) {
	then, now := machine(), machine()
	now.Software.HDF5Config[0].Key = "a\nforged"
	now.Machine.Host = "n\x1b\u202e"
	for _, line := range history.DocumentDifferences(then, now) {
		if line != plain.VisibleLine(line) {
			t.Errorf("%q", line)
		}
	}
}
