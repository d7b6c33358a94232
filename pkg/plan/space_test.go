package plan_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

func TestSpaceOfDataFiles(t *testing.T) {
	e := func(n uint64) *uint64 { return new(n) }
	small := plan.Options{
		Sizes: option.Sizes{
			BytesPerProcess: e(1000), BlockSize: e(500), MinTransferSize: e(500),
			MaxTransferSize: e(500), Datasets: new(3), Files: new(4), MinProcesses: new(1),
		},
	}
	kept := small
	kept.Keep = true
	chunked := small
	chunked.Chunked, chunked.ChunkSize = true, []uint64{900}
	for _, c := range []struct {
		name          string
		o             plan.Options
		bytes, inodes uint64
	}{
		{"one at a time, of the largest step", small, 6000, 2},
		{"kept, of all APIs", kept, 3 * 4 * 6000, 13},
		{"whole chunks", chunked, 3 * 2700, 2}, // of 2000 bytes in 900
	} {
		if got := mustPlan(t, c.o, 2).SpaceAtOnce(); got.Bytes != c.bytes || got.Inodes != c.inodes {
			t.Errorf("%s: %+v, want %d bytes and %d inodes", c.name, got, c.bytes, c.inodes)
		}
	}
	for driver, inodes := range map[option.Driver]uint64{"sec2": 2, "split": 3, "multi": 7, "family": 18} {
		o := plan.Options{
			Serial: &option.SerialSizes{APIs: []string{"hdf5"}},
			HDF5:   option.HDF5{Driver: driver},
		}
		got := mustSerial(t, o).SpaceAtOnce()
		if got.Bytes != 16<<20 || got.Inodes != inodes {
			t.Errorf("%s: %+v, want 16 MiB in %d inodes", driver, got, inodes)
		}
	}
	memory := plan.Options{
		Serial: &option.SerialSizes{APIs: []string{"hdf5"}},
		Common: option.Common{WriteOnly: true},
		HDF5: option.SerialOptions{
			Driver: "core", SerialSettings: option.SerialSettings{CoreBackingStore: new(false)},
		}.ApplyDriver(option.HDF5{}),
	}
	if got := mustSerial(t, memory).SpaceAtOnce(); got.Bytes != 0 || got.Inodes != 1 {
		t.Errorf("in memory: %+v", got)
	}
	huge := plan.Options{
		Sizes: option.Sizes{
			BytesPerProcess: e(math.MaxInt64), BlockSize: e(7), MinTransferSize: e(7),
			MaxTransferSize: e(7),
		},
		Common: option.Common{Conditions: option.Conditions{Keep: true}},
	}
	if got := mustPlan(t, huge, 1).SpaceAtOnce(); got.Bytes != math.MaxUint64 {
		t.Errorf("three files of 2^63-1 bytes: %+v", got)
	}
}

// HDF5 stores external data in a file beside its own; a plain file has them at their place.
func TestAFileOfExternalDataNeedsAnInode(t *testing.T) {
	for _, c := range []struct {
		storage, api string
		inodes       uint64 // with that of the directory
	}{
		{"contiguous", result.PHDF5, 2},
		{"external", result.PHDF5, 3},
		{"external", result.MPIIO, 2},
	} {
		o := plan.Options{
			Workload: &plan.WorkloadOptions{Application: option.Application{
				Workload: "selections", Size: "tiny", Set: map[string]string{"storage": c.storage},
				APIs: []string{c.api},
			}},
		}
		if got := mustPlan(t, o, 3).SpaceAtOnce(); got.Inodes != c.inodes {
			t.Errorf("%s, %s: %d inodes, want %d", c.storage, c.api, got.Inodes, c.inodes)
		}
	}
}

func TestARunThatNeedsMoreThanIsFreeIsRefused(t *testing.T) {
	job := plan.JobFacts{Processes: 2, Target: "/scratch", TargetType: "ext4", FreeBytes: 512 << 10, FreeInodes: 2}
	for _, c := range []struct {
		name   string
		o      plan.Options
		change func(*plan.JobFacts)
		want   string // in the error; "" is none
	}{
		{"fits", plan.Options{}, func(*plan.JobFacts) {}, ""},
		{
			"bytes",
			plan.Options{},
			func(j *plan.JobFacts) { j.FreeBytes-- },
			"the largest data file needs 512 KiB, but ext4 on /scratch has 524287 B free; " +
				"use a smaller -e (at most 240K), or --space-check off",
		},
		{
			"full",
			plan.Options{},
			func(j *plan.JobFacts) { j.FreeBytes = 0 },
			"needs 512 KiB, but ext4 on /scratch has 0 " +
				"B free",
		},
		{
			"inodes",
			plan.Options{},
			func(j *plan.JobFacts) { j.FreeInodes = 1 },
			"needs 2 inodes with their directory, but ext4 on /scratch has 1 free",
		},
		{"inodes as needed", plan.Options{}, func(j *plan.JobFacts) { j.FreeInodes = 0 }, ""},
		{"unknown", plan.Options{}, func(j *plan.JobFacts) { *j = plan.JobFacts{Processes: 2} }, ""},
		{
			"kept",
			plan.Options{
				Sizes:  option.Sizes{Files: new(2), Datasets: new(3)},
				Common: option.Common{Conditions: option.Conditions{Keep: true}},
			},
			func(*plan.JobFacts) {},
			"the data files, which are kept, need 9 MiB, but ext4 on /scratch has 512 KiB free; " +
				"use a smaller -e (at most 14K), fewer datasets (-d), fewer files (-F), or --space-check off",
		},
		{
			"off",
			plan.Options{Common: option.Common{Conditions: option.Conditions{SpaceCheck: new(false)}}},
			func(j *plan.JobFacts) { j.FreeBytes, j.FreeInodes = 0, 1 }, "",
		},
		{
			"read only",
			plan.Options{
				Sizes: option.Sizes{
					APIs: []string{"posix"}, MinProcesses: new(2),
					MinTransferSize: new(uint64(256 << 10)),
				},
				Common: option.Common{Conditions: option.Conditions{ReadOnly: "f"}},
			},
			func(j *plan.JobFacts) { j.FreeBytes = 0 }, "",
		},
	} {
		j := job
		c.change(&j)
		_, err := plan.New(c.o, j)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if _, ok := errors.AsType[*usage.Error](err); !ok || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "--space-check off") {
			t.Errorf("%s: %v; want a usage error with %q", c.name, err, c.want)
		}
	}
	if _, err := plan.New(plan.Options{Serial: &option.SerialSizes{}}, job); err == nil ||
		!strings.Contains(err.Error(), "needs 16 MiB, but ext4 on /scratch has 512 KiB free") {
		t.Errorf("serial: %v", err)
	}
}
