package plan_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

const gigabyte = 1 << 30

// cluster is a job of 4 nodes with 64 GiB and 8 processes each, on a target with plenty of free space.
var cluster = plan.JobFacts{
	Processes: 32, Nodes: 4, MemoryBytes: 256 * gigabyte, Seed: 5,
	Target: "/lustre", TargetType: "lustre", FreeBytes: 1 << 50, FreeInodes: 1 << 30,
}

// mustPlanOn returns a plan, in which all cautions and notes are sentences.
func mustPlanOn(t *testing.T, o plan.Options, job plan.JobFacts) plan.Plan {
	t.Helper()
	p, err := plan.New(o, job)
	if err != nil {
		t.Fatal(err)
	}
	told := slices.Clone(p.Notes)
	for _, c := range p.Cautions {
		told = append(told, c.Text)
	}
	for _, text := range told {
		if !regexp.MustCompile(`^[A-Z].*\.$`).MatchString(text) {
			t.Errorf("%q is no sentence", text)
		}
	}
	return p
}

func TestPresetsAreExplicitParameters(t *testing.T) {
	for name, want := range map[option.Preset]result.Parameters{
		"quick": {
			BytesPerProcess: 4 << 20, BlockSize: 1 << 20, MinTransferSize: 1 << 20, MaxTransferSize: 4 << 20,
			Iterations: 3,
			Conditions: option.Conditions{Sync: "close", Order: "given"},
		},
		"standard": {
			BytesPerProcess: 64 << 20, BlockSize: 1 << 20, MinTransferSize: 1 << 20, MaxTransferSize: 16 << 20,
			Iterations: 6,
			Conditions: option.Conditions{
				Sync: "close", Cold: true, Warmup: new(1), MinSeconds: new(1.0), MaxIterations: new(100),
				Order: "random", Seed: new(uint64(5)),
			},
		},
		"strict": {
			BytesPerProcess: 16 * gigabyte, BlockSize: 1 << 20, MinTransferSize: 4 << 20, MaxTransferSize: 4 << 20,
			Iterations: 6,
			Conditions: option.Conditions{
				Sync: "close", Cold: true, Shift: new(8), Warmup: new(1), MinSeconds: new(10.0),
				MaxIterations: new(100),
				Order:         "random", Seed: new(uint64(5)), MemoryFactor: new(2.0),
			},
		},
	} {
		p := mustPlanOn(t, plan.Options{Common: option.Common{Conditions: option.Conditions{Preset: name}}}, cluster)
		want.APIs, want.MinProcesses, want.MaxProcesses, want.Files, want.Datasets = plan.APIs(), 32, 32, 1, 1
		want.Geometry, want.Pattern, want.Mode, want.Layout = "1D", "contiguous", "independent", "contiguous"
		want.Driver, want.View = "mpio", "auto"
		want.AlignmentBytes, want.ThresholdBytes = new(uint64(1)), new(uint64(1))
		want.Conditions.Preset, want.Conditions.Data = name, "position"
		w := &want.Conditions
		w.Timeout, w.SpaceCheck = new(600.0), new(true)
		w.Warmup, w.Shift = new(option.ValueOrZero(w.Warmup)), new(option.ValueOrZero(w.Shift))
		if d := cmp.Diff(want, p.Parameters); d != "" || p.Notes != nil {
			t.Errorf("%s: %s, notes %q", name, d, p.Notes)
		}
	}
}

func TestOptionsBesideAPresetCount(t *testing.T) {
	for _, name := range result.ValuesOf[option.Preset]() {
		o := plan.Options{
			Sizes: option.Sizes{
				BytesPerProcess: new(uint64(8 << 30)), BlockSize: new(uint64(4 << 10)),
				MinTransferSize: new(uint64(4 << 10)), MaxTransferSize: new(uint64(8 << 10)), MinProcesses: new(4),
			},
			Common: option.Common{Iterations: new(2), Conditions: option.Conditions{
				Preset: name, Sync: "none", Warmup: new(0), MinSeconds: new(60.0), Order: "given", Shift: new(3),
				MemoryFactor: new(0.001),
			}},
		}
		s := mustPlanOn(t, o, cluster).Parameters
		c := s.Conditions
		if s.BytesPerProcess != 8<<30 || s.BlockSize != 4<<10 || s.MinTransferSize != 4<<10 ||
			s.MaxTransferSize != 8<<10 || s.Iterations != 2 || s.MinProcesses != 4 {
			t.Errorf("%s: %+v", name, s)
		}
		if c.Sync != "none" || option.ValueOrZero(c.Warmup) != 0 || option.ValueOrZero(c.MinSeconds) != 60 ||
			c.Order != "given" ||
			option.ValueOrZero(c.Shift) != 3 ||
			option.ValueOrZero(c.MemoryFactor) != 0.001 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	// Sizes of the preset adapt to the given sizes instead of contradicting them.
	for _, o := range []plan.Options{
		{Sizes: option.Sizes{BytesPerProcess: new(uint64(512 << 10))}},
		{Sizes: option.Sizes{MaxTransferSize: new(uint64(64 << 10))}},
		{Sizes: option.Sizes{MinTransferSize: new(uint64(32 << 20))}},
		{Sizes: option.Sizes{BlockSize: new(uint64(512))}},
	} {
		o.Preset = "standard"
		if p := mustPlanOn(t, o, cluster); p.Notes != nil || p.Cautions != nil {
			t.Errorf("%+v: notes %q, cautions %q", o, p.Notes, p.Cautions)
		}
	}
}

func TestAPresetLeavesOutWhatTheRunHasNot(t *testing.T) {
	c := mustPlanOn(
		t,
		plan.Options{Common: option.Common{WriteOnly: true, Conditions: option.Conditions{Preset: "strict"}}},
		cluster,
	).Parameters.Conditions
	if c.Cold || option.ValueOrZero(c.Shift) != 0 || c.Sync != "close" {
		t.Errorf("write only: %+v", c)
	}
	o := plan.Options{
		Sizes:  option.Sizes{APIs: []string{"posix"}},
		Common: option.Common{Conditions: option.Conditions{Preset: "strict", ReadOnly: "f"}},
	}
	c = mustPlanOn(t, o, cluster).Parameters.Conditions
	if !c.Cold || option.ValueOrZero(c.Shift) != 8 || c.Sync != "none" {
		t.Errorf("read only: %+v", c)
	}
}

func TestTheShiftOfTheStrictPreset(t *testing.T) {
	for _, c := range []struct {
		job  plan.JobFacts
		o    plan.Options
		want int
	}{
		{plan.JobFacts{Processes: 32, Nodes: 4}, plan.Options{}, 8},
		{plan.JobFacts{Processes: 10, Nodes: 4}, plan.Options{}, 3},
		{plan.JobFacts{Processes: 8, Nodes: 1}, plan.Options{}, 1},
		{plan.JobFacts{Processes: 1, Nodes: 1}, plan.Options{}, 0},
		{plan.JobFacts{Processes: 32, Nodes: 4}, plan.Options{Sizes: option.Sizes{MaxProcesses: new(8)}}, 1},
		// all on one node
		{plan.JobFacts{Processes: 32, Nodes: 4}, plan.Options{Sizes: option.Sizes{MinProcesses: new(1)}}, 0},
		// a single process has no other rank
	} {
		c.o.Preset, c.o.BytesPerProcess, c.o.MinTransferSize = "strict", new(uint64(4<<20)),
			new(uint64(4<<20))
		if got := mustPlanOn(t, c.o, c.job).Parameters.Conditions.Shift; option.ValueOrZero(got) != c.want {
			t.Errorf("%+v of %d: shift %d, want %d", c.job, c.o.MaxProcesses, got, c.want)
		}
	}
}

func TestTheStrictPresetRefusesMemory(t *testing.T) {
	for _, fs := range []string{"tmpfs", "ramfs", "hugetlbfs"} {
		job := cluster
		job.TargetType = fs
		_, err := plan.New(plan.Options{Common: option.Common{Conditions: option.Conditions{Preset: "strict"}}}, job)
		if _, ok := errors.AsType[*usage.Error](err); !ok || !strings.Contains(err.Error(), fs+", which is memory") {
			t.Errorf("%s: %v", fs, err)
		}
		if _, err := plan.New(plan.Options{Common: option.Common{Conditions: option.Conditions{Preset: "standard"}}},
			job); err != nil {
			t.Errorf("standard on %s: %v", fs, err)
		}
	}
}

func TestFilesAreAsLargeAsTheMemoryFactorWants(t *testing.T) {
	for _, o := range []plan.Options{
		{},
		{Sizes: option.Sizes{MinProcesses: new(3), MaxProcesses: new(24)}},
		{Sizes: option.Sizes{Datasets: new(7)}},
		{Sizes: option.Sizes{TwoD: true}},
		{Sizes: option.Sizes{TwoD: true, Interleaved: true, Datasets: new(3)}},
		{Sizes: option.Sizes{MinTransferSize: new(uint64(3 << 20)), BlockSize: new(uint64(1 << 20))}},
		{Sizes: option.Sizes{MaxTransferSize: new(uint64(1 << 20)), Chunked: true}},
	} {
		o.MemoryFactor = new(1.5)
		p := mustPlanOn(t, o, cluster)
		if p.Notes != nil && !o.Chunked {
			t.Errorf("%+v: notes %q", o, p.Notes)
		}
		least := uint64(1 << 62)
		for c := range p.Cases() {
			least = min(least, c.FileDataBytes())
			if c.BufferBytes() > 64<<20 {
				t.Errorf("%+v: transfer buffers of %d bytes", o, c.BufferBytes())
			}
		}
		if want := uint64(1.5 * 256 * gigabyte); least < want || least > want+want/8 {
			t.Errorf("%+v: files of %d bytes, want %d or a little more", o, least, want)
		}
	}
	s := mustSerialOn(
		t,
		plan.Options{
			Serial: &option.SerialSizes{BufferExtent: []uint64{3 << 20}},
			Common: option.Common{Conditions: option.Conditions{MemoryFactor: new(2.0)}},
		},
		cluster,
	)
	if e := s.Parameters.DatasetExtent[0]; e < 512*gigabyte || e%(3<<20) != 0 {
		t.Errorf("a dataset of %d bytes", e)
	}
}

func mustSerialOn(t *testing.T, o plan.Options, job plan.JobFacts) plan.Plan {
	t.Helper()
	p, err := plan.New(o, job)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFilesSmallerThanTheMemoryFactorAreTold(t *testing.T) {
	o := plan.Options{
		Sizes:  option.Sizes{BytesPerProcess: new(uint64(1 << 20)), MinProcesses: new(32)},
		Common: option.Common{Conditions: option.Conditions{MemoryFactor: new(1.0)}},
	}
	want := "[The smallest file has 32 MiB, less than 1 times the memory of the nodes (256 GiB). " +
		"Use a larger -e or no -e.]"
	if got := fmt.Sprint(mustPlanOn(t, o, cluster).Cautions); got != want {
		t.Errorf("cautions %s, want %s", got, want)
	}
	job := cluster
	job.MemoryBytes = 0
	if all := mustPlanOn(t, o, job).Cautions; len(all) != 1 || !strings.Contains(all[0].Text, "is unknown here") {
		t.Errorf("cautions %q", all)
	}
	o.BytesPerProcess = nil
	if _, err := plan.New(o, job); err == nil || !strings.Contains(err.Error(), "give -e") {
		t.Errorf("unknown memory: %v", err)
	}
	o.MemoryFactor = new(1e30)
	if _, err := plan.New(o, cluster); err == nil || !strings.Contains(err.Error(), "give a smaller factor") {
		t.Errorf("factor 1e30: %v", err)
	}
}

func TestTheStrictPresetRefusesFilesThatFitIntoMemory(t *testing.T) {
	e, small := new(uint64(1<<20)), option.Conditions{Preset: "strict"}
	ofOneMiB := plan.Options{
		Sizes:  option.Sizes{BytesPerProcess: e, MinTransferSize: e},
		Common: option.Common{Conditions: small},
	}
	_, parallel := plan.New(ofOneMiB, cluster)
	_, serial := plan.New(
		plan.Options{
			Serial: &option.SerialSizes{
				DatasetExtent: []uint64{4096, 4096},
				BufferExtent:  []uint64{1024, 4096},
			},
			Common: option.Common{Conditions: small},
		},
		cluster,
	)
	_, buffer := plan.New(
		plan.Options{
			Serial: &option.SerialSizes{BufferExtent: []uint64{8, 8}, DatasetExtent: []uint64{
				64,
				64,
			}},
			Common: option.Common{Conditions: small},
		},
		cluster,
	)
	for size, err := range map[string]error{"32 MiB": parallel, "16 MiB": serial, "4 KiB": buffer} {
		want := "--preset strict: the smallest file has " + size + ", " +
			"less than 2 times the memory of the nodes (256 GiB): such a file may stay in memory; " +
			"give a larger -e or no -e, another preset, or a smaller --memory-factor"
		if _, ok := errors.AsType[*usage.Error](err); !ok || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	explicit := ofOneMiB
	explicit.MemoryFactor = new(0.0001) // 25.6 MiB, less than the 32 of all processes
	if p := mustPlanOn(t, explicit, cluster); p.Notes != nil || p.Cautions != nil {
		t.Errorf("with a factor of its own: notes %q, cautions %q", p.Notes, p.Cautions)
	}
	unknown := cluster
	unknown.MemoryBytes = 0
	all := mustPlanOn(t, ofOneMiB, unknown).Cautions
	if len(all) != 1 || !strings.Contains(all[0].Text, "is unknown here") {
		t.Errorf("of unknown memory: cautions %q", all)
	}
}

func TestTheSerialPresets(t *testing.T) {
	for name, want := range map[option.Preset][2]uint64{
		"quick": {16 << 20, 1 << 20}, "standard": {1 << 30, 4 << 20}, "strict": {512 * gigabyte, 4 << 20},
	} {
		s := mustSerialOn(
			t,
			plan.Options{
				Serial: &option.SerialSizes{},
				Common: option.Common{Conditions: option.Conditions{Preset: name}},
			},
			cluster,
		).Parameters
		if s.DatasetExtent[0] != want[0] || s.BufferExtent[0] != want[1] || s.Conditions.Sync != "close" ||
			option.ValueOrZero(s.Conditions.Shift) != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
	s := mustSerialOn(
		t,
		plan.Options{
			Serial: &option.SerialSizes{DatasetExtent: []uint64{64, 64}, BufferExtent: []uint64{8, 8}},
			Common: option.Common{Conditions: option.Conditions{Preset: "standard"}},
		},
		cluster,
	).Parameters
	if len(s.DatasetExtent) != 2 || s.BufferExtent[0] != 8 {
		t.Errorf("given sizes: %+v", s)
	}
}

func TestAMaximumTransferSizeOf0BesideAPresetIsTheDefault(t *testing.T) {
	for _, twoD := range []bool{false, true} {
		o := plan.Options{
			Sizes:  option.Sizes{TwoD: twoD},
			Common: option.Common{Conditions: option.Conditions{Preset: "quick"}},
		}
		want := mustPlan(t, o, 2)
		o.MaxTransferSize = new(uint64(0))
		got := mustPlan(t, o, 2)
		if len(got.Notes) != 1 || !strings.HasPrefix(got.Notes[0], "Option -X 0 means the default, ") {
			t.Errorf("2D %t: notes %q", twoD, got.Notes)
		}
		if got.Parameters.MaxTransferSize != got.Parameters.BytesPerProcess {
			t.Errorf("2D %t: transfers of up to %d bytes", twoD, got.Parameters.MaxTransferSize)
		}
		if got.Parameters.MinTransferSize != want.Parameters.MinTransferSize {
			t.Errorf("2D %t: transfers from %d bytes, want %d", twoD,
				got.Parameters.MinTransferSize, want.Parameters.MinTransferSize)
		}
	}
	o := plan.Options{
		Sizes:  option.Sizes{MaxTransferSize: new(uint64(0))},
		Common: option.Common{Conditions: option.Conditions{MemoryFactor: new(1.0)}},
	}
	if _, err := plan.New(o, plan.JobFacts{Processes: 1, MemoryBytes: 64 << 20}); err != nil {
		t.Error(err)
	}
}
