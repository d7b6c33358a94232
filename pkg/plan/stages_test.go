package plan

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/option"
)

func TestSizesAreLoweredInTheOrderOfTheCTool(t *testing.T) {
	k := func(n uint64) *uint64 { return new(n << 10) }
	for _, c := range []struct {
		o     Options
		want  sweepSizes // KiB
		notes []string
	}{
		{Options{}, sweepSizes{256, 128, 128, 256}, nil},
		{Options{Sizes: option.Sizes{TwoD: true}}, sweepSizes{8, 4, 4, 8}, nil},
		{
			Options{Sizes: option.Sizes{
				BytesPerProcess: k(8), MinTransferSize: k(32), MaxTransferSize: k(16),
				BlockSize: k(64),
			}},
			sweepSizes{8, 8, 8, 8},
			[]string{
				"Option -x 32K is larger than -e: 8K is used.",
				"Option -X 16K is larger than -e: 8K is used.",
				"Option -B 64K is larger than -e: 8K is used.",
			},
		},
		{
			Options{Sizes: option.Sizes{
				TwoD: true, BytesPerProcess: k(8), MinTransferSize: k(32),
				MaxTransferSize: k(16),
			}},
			sweepSizes{8, 4, 16, 16},
			[]string{"Option -x 32K is larger than -X: 16K is used."},
		},
		{
			Options{Sizes: option.Sizes{BytesPerProcess: k(0), MaxTransferSize: k(0)}},
			sweepSizes{256, 128, 128, 256},
			[]string{"Option -e 0 means the default, 256K.", "Option -X 0 means the default, 256K."},
		},
	} {
		got, notes := chosenSizes(c.o)
		want := sweepSizes{
			c.want.bytesPerProcess << 10,
			c.want.blockSize << 10,
			c.want.minTransferSize << 10,
			c.want.maxTransferSize << 10,
		}
		if got != want || !slices.Equal(notes, c.notes) {
			t.Errorf("%+v, %q; want %+v, %q", got, notes, want, c.notes)
		}
	}
}

// If there are several reasons to refuse a run, the error names that of the earliest stage.
func TestTheFirstStageThatRefusesIsTold(t *testing.T) {
	o := Options{
		Sizes: option.Sizes{APIs: []string{"hdf4"}, MaxProcesses: new(0), BytesPerProcess: new(uint64(1))},
		Common: option.Common{Iterations: new(0), Conditions: option.Conditions{
			Preset: "fast", Sync: "always",
			DataChoice: "ones",
		}},
	}
	o.MPIIO.View = "none"
	o.HDF5.AlignmentBytes = new(uint64(0))
	for _, c := range []struct {
		want string
		mend func()
	}{
		{"-A", func() { o.APIs = nil }},
		{"--preset", func() { o.Preset = "" }},
		{"--view", func() { o.MPIIO.View = "" }},
		{"--align 0", func() { o.HDF5.AlignmentBytes = nil }},
		{"-i 0", func() { o.Iterations = nil }},
		{"--sync", func() { o.Sync = "" }},
		{"--data", func() { o.DataChoice = "" }},
		{"-P 0", func() { o.MaxProcesses = nil }},
		{"-x", func() { o.BytesPerProcess = nil }},
	} {
		_, err := New(o, JobFacts{Processes: 1})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v; want %s", err, c.want)
		}
		c.mend()
	}
	if _, err := New(o, JobFacts{Processes: 1}); err != nil {
		t.Error(err)
	}
}

func TestNotesAreInTheOrderOfTheStages(t *testing.T) {
	p, err := New(Options{
		Sizes: option.Sizes{
			Chunked: true, BytesPerProcess: new(uint64(0)), MaxProcesses: new(4),
			MinProcesses: new(2),
		},
		Common: option.Common{Conditions: option.Conditions{MemoryFactor: new(2.0)}},
		HDF5:   option.HDF5{SieveBufferBytes: new(uint64(4 << 10))},
	}, JobFacts{Processes: 2, MemoryBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, note := range p.Notes {
		named = append(named, regexp.MustCompile(`-[-a-zP]+`).FindString(note))
	}
	if d := cmp.Diff([]string{"--sieve-buffer", "-e", "-c", "-P"}, named); d != "" {
		t.Errorf("%s in %q", d, p.Notes)
	}
}

func TestAStageLeavesTheGivenOptionsAlone(t *testing.T) {
	o := Options{
		Sizes: option.Sizes{
			MinProcesses: new(8), MaxProcesses: new(4), BytesPerProcess: new(uint64(8)),
			MinTransferSize: new(uint64(64)),
		},
		Common: option.Common{Conditions: option.Conditions{Preset: "quick"}},
	}
	before := []any{*o.MinProcesses, *o.MaxProcesses, *o.BytesPerProcess, *o.MinTransferSize}
	if _, err := New(o, JobFacts{Processes: 4}); err != nil {
		t.Fatal(err)
	}
	after := []any{*o.MinProcesses, *o.MaxProcesses, *o.BytesPerProcess, *o.MinTransferSize}
	if d := cmp.Diff(before, after); d != "" || o.MaxTransferSize != nil || o.Sync != "" {
		t.Errorf("%s, %+v", d, o)
	}
}

func TestTheSerialToolRefusesInTheOrderOfItsStages(t *testing.T) {
	o := Options{
		Serial: &option.SerialSizes{Extendible: true, APIs: []string{"mpiio"}, DatasetExtent: []uint64{0}},
		Common: option.Common{Iterations: new(0), Conditions: option.Conditions{Order: "reverse"}},
	}
	o.HDF5.Driver = "mpio"
	for _, c := range []struct {
		want string
		mend func()
	}{
		{"-A", func() { o.Serial.APIs = nil }},
		{"-v", func() { o.HDF5.Driver = "" }},
		{"-i", func() { o.Iterations = nil }},
		{"--order", func() { o.Order = "" }},
		{"-t", func() { o.Serial.Extendible = false }},
		{"-e", func() { o.Serial.DatasetExtent = nil }},
	} {
		_, err := New(o, JobFacts{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v; want %s", err, c.want)
		}
		c.mend()
	}
	if _, err := New(o, JobFacts{}); err != nil {
		t.Error(err)
	}
}
