package plan_test

import (
	"slices"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
)

func firstCase(t *testing.T, o plan.Options, world int) plan.Case {
	t.Helper()
	for c := range mustPlan(t, o, world).Cases() {
		return c
	}
	t.Fatal("no case")
	return plan.Case{}
}

func TestBytesOfACase(t *testing.T) {
	o := plan.Options{
		Sizes: option.Sizes{
			BytesPerProcess: new(uint64(8)), BlockSize: new(uint64(2)), MinTransferSize: new(uint64(4)),
			Files: new(5), Datasets: new(7),
		},
	}
	for _, c := range []struct {
		twoD                           bool
		dataset, file, total, transfer uint64
	}{
		{false, 24, 168, 840, 4},
		{true, 576, 4032, 20160, 8},
	} {
		o.TwoD, o.MinProcesses = c.twoD, new(3)
		got := firstCase(t, o, 3)
		if got.DatasetBytes() != c.dataset || got.FileDataBytes() != c.file || got.IterationBytes() != c.total ||
			got.BufferBytes() != c.transfer {
			t.Errorf("2D %t: dataset %d, file %d, all %d, buffer %d; want %+v",
				c.twoD, got.DatasetBytes(), got.FileDataBytes(), got.IterationBytes(), got.BufferBytes(), c)
		}
		if seq := got.FileSequence(0); seq.DatasetBytes() != c.dataset || seq.TransferBytes() != c.transfer ||
			seq.NumTransfers()*3*c.transfer != c.dataset {
			t.Errorf("2D %t: sequence %+v", c.twoD, seq)
		}
	}
}

func TestRegionAndChunk(t *testing.T) {
	for _, c := range []struct {
		name   string
		o      plan.Options
		region bool
		chunk  []uint64
	}{
		{"1D contiguous", plan.Options{}, true, []uint64{2}},
		{"1D interleaved", plan.Options{Sizes: option.Sizes{Interleaved: true}}, false, []uint64{2}},
		{"2D contiguous", plan.Options{Sizes: option.Sizes{TwoD: true}}, false, []uint64{2, 2}},
		{"2D interleaved", plan.Options{Sizes: option.Sizes{TwoD: true, Interleaved: true}}, false, []uint64{2, 2}},
	} {
		c.o.BytesPerProcess, c.o.MinProcesses, c.o.BlockSize = new(uint64(8)), new(2), new(uint64(2))
		for _, api := range plan.APIs() {
			c.o.APIs = []string{api}
			c.o.Chunked = false
			if got := firstCase(t, c.o, 2); got.HasContiguousParts() != c.region || got.ChunkExtent() != nil {
				t.Errorf("%s, %s: region %t, chunk %v of contiguous layout", c.name, api, got.HasContiguousParts(),
					got.ChunkExtent())
			}
			c.o.Chunked = true
			want := c.chunk
			if api != "phdf5" {
				want = nil
			}
			if got := firstCase(t, c.o, 2).ChunkExtent(); !slices.Equal(got, want) {
				t.Errorf("%s, %s: chunk %v, want %v", c.name, api, got, want)
			}
		}
	}
}

// Figure 11 of the guide: 8×8 bytes in chunks of 4×4, stored in a row. In a plain file, one call writes each chunk.
// HDF5 gets blocks.
func TestPlainFilesEmulateChunks(t *testing.T) {
	o := plan.Options{
		Sizes: option.Sizes{
			TwoD: true, Chunked: true, BytesPerProcess: new(uint64(4)), BlockSize: new(uint64(4)),
			MinTransferSize: new(uint64(4)), MaxTransferSize: new(uint64(4)), MinProcesses: new(2),
		},
	}
	for c := range mustPlan(t, o, 2).Cases() {
		nest := c.FileSequence(1).LoopNest()
		runs, second := uint64(1), uint64(48)
		if c.API == "phdf5" {
			runs, second = 4, 36
		}
		if nest.RunsPerTransfer() != runs || nest.RunOffset(0, 0) != 32 || nest.RunOffset(1, 0) != second {
			t.Errorf("%s: %d run(s), transfers at %d, %d; want %d, 32, %d",
				c.API, nest.RunsPerTransfer(), nest.RunOffset(0, 0), nest.RunOffset(1, 0), runs, second)
		}
	}
}
