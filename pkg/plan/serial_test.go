package plan_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

func mustSerial(t *testing.T, o plan.Options) plan.Plan {
	t.Helper()
	p, err := plan.New(o, plan.JobFacts{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSerialDefaults(t *testing.T) {
	p := mustSerial(t, plan.Options{Serial: &option.SerialSizes{}})
	want := result.Parameters{
		APIs: []string{"posix", "hdf5"}, MinProcesses: 1, MaxProcesses: 1,
		MinTransferSize: 256 << 10, MaxTransferSize: 256 << 10,
		Iterations: 1, Files: 1, Datasets: 1, Layout: "contiguous",
		DatasetExtent: []uint64{16 << 20}, BufferExtent: []uint64{256 << 10}, DimensionOrder: []int{1},
		Conditions: asTheCTool,
		HDF5Settings: result.HDF5Settings{
			AlignmentBytes: new(uint64(1)), ThresholdBytes: new(uint64(1)), Driver: "sec2",
		},
	}
	if d := cmp.Diff(want, p.Parameters); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]plan.ProcessStep{{Processes: 1, TransferSizes: []uint64{256 << 10}}},
		p.ProcessSteps); d != "" || p.Notes != nil {
		t.Errorf("steps %s, notes %q", d, p.Notes)
	}
	o := plan.Options{
		Serial: &option.SerialSizes{DatasetExtent: []uint64{4, 6, 8}, BufferExtent: []uint64{
			4,
			3, 2,
		}},
	}
	if order := mustSerial(t, o).Parameters.DimensionOrder; !slices.Equal(order, []int{1, 2, 3}) {
		t.Errorf("order %v of three dimensions", order)
	}
}

func TestSerialSettingsReachTheParameters(t *testing.T) {
	p := mustSerial(t, plan.Options{
		Serial: &option.SerialSizes{
			APIs:          []string{"HDF5", "posix", "hdf5"},
			DatasetExtent: []uint64{16, 16},
			BufferExtent:  []uint64{2, 4},
			ChunkSize:     []uint64{32, 4},
			Order:         option.SerialOrder{Dimensions: []int{2, 1}},
			Extendible:    true,
		},
		Common: option.Common{Iterations: new(3), WriteOnly: true, Conditions: option.Conditions{Keep: true}},
		Verify: true,
		HDF5: option.HDF5{
			Driver: "STDIO", AlignmentBytes: new(uint64(4096)), ThresholdBytes: new(uint64(0)),
			SieveBufferBytes: new(uint64(0)), ChunkCacheBytes: new(uint64(1 << 20)),
		},
	})
	want := result.Parameters{
		APIs: []string{"posix", "hdf5"}, MinProcesses: 1, MaxProcesses: 1, MinTransferSize: 8, MaxTransferSize: 8,
		Iterations: 3, Files: 1, Datasets: 1, Layout: "chunked", ChunkSize: []uint64{32, 4},
		WriteOnly: true, Verify: true, KeepFiles: true,
		DatasetExtent: []uint64{16, 16}, BufferExtent: []uint64{2, 4}, DimensionOrder: []int{2, 1}, Extendible: true,
		Conditions: asTheCTool,
		HDF5Settings: result.HDF5Settings{
			Driver: "stdio", AlignmentBytes: new(uint64(4096)), ThresholdBytes: new(uint64(0)),
			SieveBufferBytes: new(uint64(0)), ChunkCacheBytes: new(uint64(1 << 20)),
		},
	}
	if d := cmp.Diff(want, p.Parameters); d != "" {
		t.Error(d)
	}
}

func TestSerialRefuses(t *testing.T) {
	inCore := option.HDF5{DriverSettings: &option.DriverSettings{
		SerialSettings: option.SerialSettings{CoreIncrementBytes: new(uint64(4))},
	}}
	n := func(sizes ...uint64) []uint64 { return sizes }
	for _, c := range []struct {
		name string
		o    plan.Options
		want []string // in the error
	}{
		{
			"unknown API",
			plan.Options{Serial: &option.SerialSizes{APIs: []string{"phdf5"}}},
			[]string{`-A "phdf5"`, "posix, hdf5"},
		},
		{
			"unknown driver",
			plan.Options{Serial: &option.SerialSizes{}, HDF5: option.HDF5{Driver: "mpio"}},
			[]string{`-v "mpio"`, "sec2, stdio, core, split, multi, family, direct"},
		},
		{
			"-i 0",
			plan.Options{Serial: &option.SerialSizes{}, Common: option.Common{Iterations: new(0)}},
			[]string{"-i 0", "at least 1"},
		},
		{
			"-i too many",
			plan.Options{Serial: &option.SerialSizes{}, Common: option.Common{Iterations: new(250001)}},
			[]string{
				"-i 250001",
				"at most 250000 ",
			},
		},
		{
			"-a 0",
			plan.Options{Serial: &option.SerialSizes{}, HDF5: option.HDF5{AlignmentBytes: new(uint64(0))}},
			[]string{"--align 0", "at least 1"},
		},

		{
			"no -x above rank 1",
			plan.Options{Serial: &option.SerialSizes{DatasetExtent: n(16, 16)}},
			[]string{"-x is missing", "-e 16,16 has 2 dimensions", "for example -x 16,16"},
		},
		{
			"no -x, large",
			plan.Options{Serial: &option.SerialSizes{DatasetExtent: n(1000, 4096, 4096)}},
			[]string{"-x 1,64,4K"},
		},
		{
			"-x alone",
			plan.Options{Serial: &option.SerialSizes{BufferExtent: n(4, 4)}},
			[]string{"-e 16M has 1 dimension", "-x 4,4 has 2"},
		},
		{
			"-x short",
			plan.Options{Serial: &option.SerialSizes{DatasetExtent: n(16, 16), BufferExtent: n(4)}},
			[]string{"-e 16,16 has 2 dimension", "-x 4 has 1"},
		},
		{
			"-r short",
			plan.Options{
				Serial: &option.SerialSizes{
					DatasetExtent: n(16, 16), BufferExtent: n(4, 4),
					Order: option.SerialOrder{Dimensions: []int{1}},
				},
			},
			[]string{"-e 16,16 has 2", "-x 4,4 has 2", "-r 1 has 1"},
		},
		{
			"-c long",
			plan.Options{
				Serial: &option.SerialSizes{DatasetExtent: n(16), BufferExtent: n(4), ChunkSize: n(4,
					4)},
			},
			[]string{"-e 16 has 1", "-x 4 has 1", "-c 4,4 has 2"},
		},
		{
			"33 dimensions",
			plan.Options{
				Serial: &option.SerialSizes{
					DatasetExtent: slices.Repeat(n(1), 33),
					BufferExtent:  slices.Repeat(n(1), 33),
				},
			},
			[]string{"33 dimensions", "at most 32"},
		},

		{"-e 0", plan.Options{Serial: &option.SerialSizes{DatasetExtent: n(16, 0)}}, []string{
			"-e 16,0",
			"dimension 2", "at least 1",
		}},
		{
			"-x 0",
			plan.Options{Serial: &option.SerialSizes{DatasetExtent: n(16, 16), BufferExtent: n(0, 4)}},
			[]string{"dimension 1", "-e 16", "-x 0"},
		},
		{
			"-e mod -x",
			plan.Options{Serial: &option.SerialSizes{DatasetExtent: n(16, 16), BufferExtent: n(4, 3)}},
			[]string{"dimension 2", "-e 16", "-x 3", "the nearest sizes are 2 and 4"},
		},
		{
			"-x above -e",
			plan.Options{Serial: &option.SerialSizes{DatasetExtent: n(16, 16), BufferExtent: n(32, 4)}},
			[]string{"dimension 1", "-e 16", "-x 32"},
		},
		{
			"default -x",
			plan.Options{Serial: &option.SerialSizes{DatasetExtent: n(300 << 10)}},
			[]string{"dimension 1", "-e 300K", "-x 256K", "the nearest sizes are 150K and 300K"},
		},
		{
			"overflow",
			plan.Options{Serial: &option.SerialSizes{DatasetExtent: n(1<<32, 1<<32), BufferExtent: n(1, 1)}},
			[]string{"-e 4G,4G", "9223372036854775807"},
		},

		{
			"-r 1,1",
			plan.Options{
				Serial: &option.SerialSizes{
					DatasetExtent: n(16, 16), BufferExtent: n(4, 4),
					Order: option.SerialOrder{Dimensions: []int{1, 1}},
				},
			},
			[]string{"-r 1,1: 1 occurs twice", "1 to 2"},
		},
		{
			"-r 0,1",
			plan.Options{
				Serial: &option.SerialSizes{
					DatasetExtent: n(16, 16), BufferExtent: n(4, 4),
					Order: option.SerialOrder{Dimensions: []int{0, 1}},
				},
			},
			[]string{"-r 0,1: 0 is not a dimension"},
		},
		{
			"-r 1,3",
			plan.Options{
				Serial: &option.SerialSizes{
					DatasetExtent: n(16, 16), BufferExtent: n(4, 4),
					Order: option.SerialOrder{Dimensions: []int{1, 3}},
				},
			},
			[]string{"-r 1,3: 3 is not a dimension"},
		},

		{"-t alone", plan.Options{Serial: &option.SerialSizes{Extendible: true}}, []string{"-t needs -c"}},
		{"-c 0", plan.Options{Serial: &option.SerialSizes{ChunkSize: n(0)}}, []string{
			"dimension 1", "-c 0",
			"at least 1",
		}},
		{
			"-c above -e",
			plan.Options{
				Serial: &option.SerialSizes{
					DatasetExtent: n(16, 16), BufferExtent: n(4, 4),
					ChunkSize: n(16, 17),
				},
			},
			[]string{"dimension 2", "-c 17", "-e 16"},
		},
		{
			"-c of 4 GiB",
			plan.Options{
				Serial: &option.SerialSizes{
					DatasetExtent: n(8 << 30), BufferExtent: n(1 << 20),
					ChunkSize: n(4 << 30),
				},
			},
			[]string{"-c 4G", "4294967295"},
		},
		{
			"-c of 4 GiB in two dimensions",
			plan.Options{
				Serial: &option.SerialSizes{
					DatasetExtent: n(8, 8), BufferExtent: n(8, 8),
					ChunkSize: n(65536, 65536), Extendible: true,
				},
			},
			[]string{"-c 64K,64K", "4294967295"},
		},
		{
			"--chunk-cache alone",
			plan.Options{Serial: &option.SerialSizes{}, HDF5: option.HDF5{ChunkCacheBytes: new(uint64(4))}},
			[]string{"--chunk-cache 4 needs datasets in chunks (-c)"},
		},
		{
			"other driver",
			plan.Options{Serial: &option.SerialSizes{}, HDF5: inCore},
			[]string{"--core-increment needs -v core", "sec2"},
		},
	} {
		_, err := plan.New(c.o, plan.JobFacts{})
		if _, ok := errors.AsType[*usage.Error](err); !ok {
			t.Errorf("%s: %v, want a usage error", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q in it", c.name, err, want)
			}
		}
	}
}

func TestSerialLimitsThatAreAllowed(t *testing.T) {
	n := func(sizes ...uint64) []uint64 { return sizes }
	for name, o := range map[string]plan.Options{
		"32 dimensions": {
			Serial: &option.SerialSizes{
				DatasetExtent: slices.Repeat(n(2), 32),
				BufferExtent:  slices.Repeat(n(1), 32),
			},
		},
		"2^63-1 bytes": {
			Serial: &option.SerialSizes{
				DatasetExtent: n(math.MaxInt64),
				BufferExtent:  n(7),
			},
		},
		"chunk beyond a growing dataset": {
			Serial: &option.SerialSizes{
				DatasetExtent: n(16), BufferExtent: n(4),
				ChunkSize: n(32), Extendible: true,
			},
		},
		"chunk beyond all, without HDF5": {
			Serial: &option.SerialSizes{
				APIs:          []string{"posix"},
				DatasetExtent: n(16), BufferExtent: n(4), ChunkSize: n(32),
			},
		},
		"chunk that divides nothing": {
			Serial: &option.SerialSizes{
				DatasetExtent: n(16), BufferExtent: n(4),
				ChunkSize: n(3),
			},
		},
		"nothing to read, but only writes": {
			Serial: &option.SerialSizes{},
			Common: option.Common{WriteOnly: true},
			HDF5: option.HDF5{
				Driver: "core", DriverSettings: &option.DriverSettings{
					SerialSettings: option.SerialSettings{CoreBackingStore: new(false)},
				},
			},
		},
	} {
		if _, err := plan.New(o, plan.JobFacts{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func parseSizes(t *testing.T, text string) []uint64 {
	t.Helper()
	var sizes []uint64
	for item := range strings.SplitSeq(text, ",") {
		n, err := units.ParseSize(item)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, n)
	}
	return sizes
}

func TestTheExampleOfAMissingBufferFits(t *testing.T) {
	for _, dataset := range [][]uint64{
		{16, 16}, {1000, 999}, {3 << 20, 5 << 20, 7}, {1, 1 << 62}, {7, 7, 7, 7, 7, 7, 7, 7},
	} {
		_, err := plan.New(plan.Options{Serial: &option.SerialSizes{DatasetExtent: dataset}},
			plan.JobFacts{})
		_, example, found := strings.Cut(err.Error(), ", for example -x ")
		if !found {
			t.Fatal(err)
		}
		o := plan.Options{
			Serial: &option.SerialSizes{DatasetExtent: dataset, BufferExtent: parseSizes(t,
				example)},
		}
		if p := mustSerial(t, o); p.ProcessSteps[0].TransferSizes[0] > 256<<10 {
			t.Errorf("%v: -x %s is a buffer of %d bytes", dataset, example, p.ProcessSteps[0].TransferSizes[0])
		}
	}
}

func TestASerialCase(t *testing.T) {
	o := plan.Options{
		Serial: &option.SerialSizes{
			DatasetExtent: []uint64{64, 128}, BufferExtent: []uint64{16, 32},
			ChunkSize: []uint64{8, 8}, Extendible: true,
		},
		HDF5: option.HDF5{SieveBufferBytes: new(uint64(3)), ChunkCacheBytes: new(uint64(5))},
	}
	apis := []string{}
	for c := range mustSerial(t, o).Cases() {
		apis = append(apis, c.API)
		if c.Processes != 1 || c.TransferSize != 512 || c.BufferBytes() != 512 || c.DatasetBytes() != 8192 ||
			c.IterationBytes() != 8192 {
			t.Errorf("%s: %d processes, transfer %d, buffer %d, dataset %d, all %d",
				c.API, c.Processes, c.TransferSize, c.BufferBytes(), c.DatasetBytes(), c.IterationBytes())
		}
		if n := c.FileSequence(0).LoopNest(); n.RunBytes != 32 || n.RunOffset(1, 1) != 16*128+128 {
			t.Errorf("%s: runs of %d, the second of the second box at %d", c.API, n.RunBytes, n.RunOffset(1, 1))
		}
		chunk := o.Serial.ChunkSize
		if c.API == "posix" {
			chunk = nil
		}
		if !slices.Equal(c.ChunkExtent(), chunk) || c.HasContiguousParts() {
			t.Errorf("%s: chunk %v, %+v", c.API, c.ChunkExtent(), c)
		}
		if c.StampSpacing() != 32 {
			t.Errorf("%s: grain %d of runs of 32", c.API, c.StampSpacing())
		}
	}
	if !slices.Equal(apis, []string{"posix", "hdf5"}) {
		t.Errorf("order of the APIs: %v", apis)
	}
	for c := range mustSerial(t, plan.Options{Serial: &option.SerialSizes{}}).Cases() {
		if c.StampSpacing() != 4096 {
			t.Errorf("%s: grain %d", c.API, c.StampSpacing())
		}
	}
	if c := firstCase(t, plan.Options{Sizes: option.Sizes{BytesPerProcess: new(uint64(8)), BlockSize: new(uint64(2))}},
		1); c.StampSpacing() != 2 {
		t.Errorf("parallel: grain %d of blocks of 2", c.StampSpacing())
	}
}
