package plan_test

import (
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/workload"
)

// ownFiles returns options of a run of 8 processes with one file per process.
func ownFiles() plan.Options {
	return plan.Options{
		Sizes: option.Sizes{
			FilesPerProcess: true,
			MinProcesses:    new(8),
			BytesPerProcess: new(uint64(64 << 10)),
			Datasets:        new(3),
			Files:           new(2),
			MinTransferSize: new(uint64(16 << 10)),
			MaxTransferSize: new(uint64(16 << 10)),
			BlockSize:       new(uint64(4 << 10)),
		},
	}
}

func TestFilesPerProcessHoldTheOwnPart(t *testing.T) {
	p, err := plan.New(ownFiles(), plan.JobFacts{Processes: 8})
	if err != nil {
		t.Fatal(err)
	}
	for c := range p.Cases() {
		if c.DatasetBytes() != 64<<10 || c.FileDataBytes() != 3*64<<10 || c.IterationBytes() != 8*2*3*64<<10 ||
			!c.HasContiguousParts() {
			t.Errorf("%s: dataset of %d bytes, file of %d, case of %d", c.API, c.DatasetBytes(), c.FileDataBytes(),
				c.IterationBytes())
		}
		for _, rank := range []uint64{0, 5} {
			program, err := c.Program(rank)
			if err != nil {
				t.Fatal(err)
			}
			f, m := program.Files[0], program.Moves[0]
			if f.Group != workload.Self || f.Bytes != 3*64<<10 || m.Nest.Base != 0 ||
				m.Sequence.Dims[0] != 64<<10 || m.NumTransfers() != 4 {
				t.Errorf("%s, rank %d: %+v, %+v", c.API, rank, f, m.Nest)
			}
		}
	}
	a, err := p.EstimateWork(nil)
	if err != nil {
		t.Fatal(err)
	}
	if a.MaxFileBytes != 3*64<<10 ||
		a.Disk != (plan.DiskSpace{Bytes: 8 * 3 * 64 << 10, Inodes: 9}) || a.Max.Files != 3*8*2 {
		t.Errorf("%+v", a)
	}
}

func TestFilesPerProcessThatCannotBeAreRefused(t *testing.T) {
	for want, change := range map[string]func(*plan.Options){
		"--files-per-process with -g":                func(o *plan.Options) { o.TwoD = true },
		"--files-per-process with -I":                func(o *plan.Options) { o.Interleaved = true },
		"--files-per-process with -C":                func(o *plan.Options) { o.Collective = true },
		"--files-per-process with --driver mpiposix": func(o *plan.Options) { o.HDF5.Driver = option.DriverMPIPosix },
		"--files-per-process with --read-only":       func(o *plan.Options) { o.ReadOnly = "/data" },
	} {
		o := ownFiles()
		change(&o)
		if _, err := plan.New(o, plan.JobFacts{Processes: 8}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for want, change := range map[string]func(*plan.Options){
		"--create first with --files-per-process": func(o *plan.Options) { o.FilesPerProcess = true },
		"--create first with --read-only":         func(o *plan.Options) { o.ReadOnly = "/data" },
		"--create first with --driver subfiling":  func(o *plan.Options) { o.HDF5.Driver = option.Subfiling },
		`--create "none": must be one of`:         func(o *plan.Options) { o.Create = "none" },
	} {
		o := ownFiles()
		o.FilesPerProcess, o.Create = false, option.CreateFirst
		change(&o)
		if _, err := plan.New(o, plan.JobFacts{Processes: 8}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, err := plan.New(ownFiles(), plan.JobFacts{
		Processes: 8, Target: "/x", TargetType: "ext4", FreeBytes: 1 << 20,
	})
	if err == nil || !strings.Contains(err.Error(), "the data files of all processes need 1.5 MiB") {
		t.Errorf("%v, want too little space", err)
	}
}
