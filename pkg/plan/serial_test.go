package plan_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/engine"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

func mustSerial(t *testing.T, o plan.SerialOptions) plan.Plan {
	t.Helper()
	p, err := plan.NewSerial(o, plan.Job{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSerialDefaults(t *testing.T) {
	p := mustSerial(t, plan.SerialOptions{})
	want := result.Parameters{
		APIs: []string{"posix", "hdf5"}, MinProcesses: 1, MaxProcesses: 1, MinTransferBytes: 256 << 10, MaxTransferBytes: 256 << 10,
		Iterations: 1, Files: 1, Datasets: 1, Layout: "contiguous", AlignmentBytes: 1, ThresholdBytes: 1, Driver: "sec2",
		DatasetExtent: []uint64{16 << 20}, BufferExtent: []uint64{256 << 10}, DimensionOrder: []int{1}, Conditions: asTheCTool,
	}
	if d := cmp.Diff(want, p.Parameters); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]plan.Step{{Processes: 1, Transfers: []uint64{256 << 10}}}, p.Steps); d != "" || p.Notes != nil {
		t.Errorf("steps %s, notes %q", d, p.Notes)
	}
	o := plan.SerialOptions{Dataset: []uint64{4, 6, 8}, Buffer: []uint64{4, 3, 2}}
	if order := mustSerial(t, o).Parameters.DimensionOrder; !slices.Equal(order, []int{1, 2, 3}) {
		t.Errorf("order %v of three dimensions", order)
	}
}

func TestSerialSettingsReachTheParameters(t *testing.T) {
	p := mustSerial(t, plan.SerialOptions{
		APIs: []string{"HDF5", "posix", "hdf5"}, Dataset: []uint64{16, 16}, Buffer: []uint64{2, 4}, Chunk: []uint64{32, 4},
		Order: []int{2, 1}, Extendible: true, Driver: plan.DriverOptions{Name: "STDIO"}, Iterations: new(3), WriteOnly: true,
		Align: new(uint64(4096)), Threshold: new(uint64(0)), SieveBuffer: new(uint64(0)), ChunkCache: new(uint64(1 << 20)),
		Verify: true, KeepFiles: true,
	})
	want := result.Parameters{
		APIs: []string{"posix", "hdf5"}, MinProcesses: 1, MaxProcesses: 1, MinTransferBytes: 8, MaxTransferBytes: 8,
		Iterations: 3, Files: 1, Datasets: 1, Layout: "chunked", ChunkBytes: []uint64{32, 4}, WriteOnly: true,
		AlignmentBytes: 4096, ThresholdBytes: 0, Driver: "stdio", Verify: true, KeepFiles: true,
		DatasetExtent: []uint64{16, 16}, BufferExtent: []uint64{2, 4}, DimensionOrder: []int{2, 1}, Extendible: true,
		SieveBufferBytes: new(uint64(0)), ChunkCacheBytes: new(uint64(1 << 20)), Conditions: asTheCTool,
	}
	if d := cmp.Diff(want, p.Parameters); d != "" {
		t.Error(d)
	}
}

func TestSettingsOfFileDrivers(t *testing.T) {
	for _, c := range []struct {
		name   string
		o      plan.DriverOptions
		want   *result.DriverSettings
		engine engine.DriverSettings
	}{
		{"sec2", plan.DriverOptions{}, nil, engine.DriverSettings{}},
		{"stdio", plan.DriverOptions{}, nil, engine.DriverSettings{}},
		{"split", plan.DriverOptions{}, nil, engine.DriverSettings{}},
		{
			"core",
			plan.DriverOptions{},
			&result.DriverSettings{CoreIncrementBytes: 1 << 20, CoreBackingStore: new(true)},
			engine.DriverSettings{CoreIncrement: 1 << 20, CoreBackingStore: true},
		},
		{
			"core",
			plan.DriverOptions{CoreIncrement: new(uint64(7)), CoreBackingStore: "off"},
			&result.DriverSettings{CoreIncrementBytes: 7, CoreBackingStore: new(false)},
			engine.DriverSettings{CoreIncrement: 7},
		},
		{"multi", plan.DriverOptions{}, &result.DriverSettings{MultiMap: "default"}, engine.DriverSettings{MultiMap: "default"}},
		{
			"multi",
			plan.DriverOptions{MultiMap: "metadata"},
			&result.DriverSettings{MultiMap: "metadata"},
			engine.DriverSettings{MultiMap: "metadata"},
		},
		{"family", plan.DriverOptions{}, &result.DriverSettings{FamilyMemberBytes: 1 << 20}, engine.DriverSettings{FamilyMember: 1 << 20}},
		{
			"family",
			plan.DriverOptions{FamilyMember: new(uint64(5000))},
			&result.DriverSettings{FamilyMemberBytes: 5000},
			engine.DriverSettings{FamilyMember: 5000},
		},
		{
			"direct",
			plan.DriverOptions{},
			&result.DriverSettings{DirectAlignmentBytes: 1024, DirectBlockBytes: 4096, DirectBufferBytes: 32768},
			engine.DriverSettings{DirectAlignment: 1024, DirectBlock: 4096, DirectBuffer: 32768},
		},
		{
			"direct",
			plan.DriverOptions{DirectAlignment: new(uint64(8)), DirectBlock: new(uint64(512)), DirectBuffer: new(uint64(1024))},
			&result.DriverSettings{DirectAlignmentBytes: 8, DirectBlockBytes: 512, DirectBufferBytes: 1024},
			engine.DriverSettings{DirectAlignment: 8, DirectBlock: 512, DirectBuffer: 1024},
		},
	} {
		c.o.Name = c.name
		p := mustSerial(t, plan.SerialOptions{Driver: c.o, WriteOnly: true})
		if d := cmp.Diff(c.want, p.Parameters.DriverSettings); d != "" {
			t.Errorf("%+v: %s", c.o, d)
		}
		for run := range p.Cases() {
			driver := c.name
			if run.API == "posix" {
				driver = ""
			}
			if d := cmp.Diff(c.engine, run.DriverSettings()); d != "" || run.Driver() != driver {
				t.Errorf("%+v, %s: driver %q, settings %s", c.o, run.API, run.Driver(), d)
			}
		}
	}
}

func TestSerialRefuses(t *testing.T) {
	n := func(sizes ...uint64) []uint64 { return sizes }
	for _, c := range []struct {
		name string
		o    plan.SerialOptions
		want []string // in the error
	}{
		{"unknown API", plan.SerialOptions{APIs: []string{"phdf5"}}, []string{`-A "phdf5"`, "posix, hdf5"}},
		{"unknown driver", plan.SerialOptions{Driver: plan.DriverOptions{Name: "mpio"}}, []string{`-v "mpio"`, "sec2, stdio, core, split, multi, family, direct"}},
		{"-i 0", plan.SerialOptions{Iterations: new(0)}, []string{"-i 0", "at least 1"}},
		{"-i too many", plan.SerialOptions{Iterations: new(250001)}, []string{"-i 250001", "at most 250000 "}},
		{"-a 0", plan.SerialOptions{Align: new(uint64(0))}, []string{"-a 0", "at least 1"}},

		{"no -x above rank 1", plan.SerialOptions{Dataset: n(16, 16)}, []string{"-x is missing", "-e 16,16 has 2 dimensions", "-x 16,16"}},
		{"no -x, large", plan.SerialOptions{Dataset: n(1000, 4096, 4096)}, []string{"-x 1,64,4K"}},
		{"-x alone", plan.SerialOptions{Buffer: n(4, 4)}, []string{"-e 16M has 1 dimension", "-x 4,4 has 2"}},
		{"-x short", plan.SerialOptions{Dataset: n(16, 16), Buffer: n(4)}, []string{"-e 16,16 has 2 dimension", "-x 4 has 1"}},
		{"-r short", plan.SerialOptions{Dataset: n(16, 16), Buffer: n(4, 4), Order: []int{1}}, []string{"-e 16,16 has 2", "-x 4,4 has 2", "-r 1 has 1"}},
		{"-c long", plan.SerialOptions{Dataset: n(16), Buffer: n(4), Chunk: n(4, 4)}, []string{"-e 16 has 1", "-x 4 has 1", "-c 4,4 has 2"}},
		{"33 dimensions", plan.SerialOptions{Dataset: slices.Repeat(n(1), 33), Buffer: slices.Repeat(n(1), 33)}, []string{"33 dimensions", "at most 32"}},

		{"-e 0", plan.SerialOptions{Dataset: n(16, 0)}, []string{"-e 16,0", "dimension 2", "at least 1"}},
		{"-x 0", plan.SerialOptions{Dataset: n(16, 16), Buffer: n(0, 4)}, []string{"dimension 1", "-e 16", "-x 0"}},
		{"-e mod -x", plan.SerialOptions{Dataset: n(16, 16), Buffer: n(4, 3)}, []string{"dimension 2", "-e 16", "-x 3", "-x 16,16"}},
		{"-x above -e", plan.SerialOptions{Dataset: n(16, 16), Buffer: n(32, 4)}, []string{"dimension 1", "-e 16", "-x 32"}},
		{"default -x", plan.SerialOptions{Dataset: n(300 << 10)}, []string{"dimension 1", "-e 300K", "-x 256K", "for example -x 4K"}},
		{"overflow", plan.SerialOptions{Dataset: n(1<<32, 1<<32), Buffer: n(1, 1)}, []string{"-e 4G,4G", "9223372036854775807"}},

		{"-r 1,1", plan.SerialOptions{Dataset: n(16, 16), Buffer: n(4, 4), Order: []int{1, 1}}, []string{"-r 1,1: 1 is there twice", "1 to 2"}},
		{"-r 0,1", plan.SerialOptions{Dataset: n(16, 16), Buffer: n(4, 4), Order: []int{0, 1}}, []string{"-r 0,1: 0 is not a dimension"}},
		{"-r 1,3", plan.SerialOptions{Dataset: n(16, 16), Buffer: n(4, 4), Order: []int{1, 3}}, []string{"-r 1,3: 3 is not a dimension"}},

		{"-t alone", plan.SerialOptions{Extendible: true}, []string{"-t needs -c"}},
		{"-c 0", plan.SerialOptions{Chunk: n(0)}, []string{"dimension 1", "-c 0", "at least 1"}},
		{"-c above -e", plan.SerialOptions{Dataset: n(16, 16), Buffer: n(4, 4), Chunk: n(16, 17)}, []string{"dimension 2", "-c 17", "-e 16"}},
		{"-c of 4 GiB", plan.SerialOptions{Dataset: n(8 << 30), Buffer: n(1 << 20), Chunk: n(4 << 30)}, []string{"-c 4G", "4294967295"}},
		{"-c of 4 GiB in two dimensions", plan.SerialOptions{Dataset: n(8, 8), Buffer: n(8, 8), Chunk: n(65536, 65536), Extendible: true}, []string{"-c 64K,64K", "4294967295"}},
		{"--chunk-cache alone", plan.SerialOptions{ChunkCache: new(uint64(4))}, []string{"--chunk-cache needs -c"}},

		{"other driver", plan.SerialOptions{Driver: plan.DriverOptions{CoreIncrement: new(uint64(4))}}, []string{"--core-increment needs -v core", "sec2"}},
		{"member of core", plan.SerialOptions{Driver: plan.DriverOptions{Name: "core", FamilyMember: new(uint64(4))}}, []string{"--family-member needs -v family"}},
		{"increment 0", plan.SerialOptions{Driver: plan.DriverOptions{Name: "core", CoreIncrement: new(uint64(0))}}, []string{"--core-increment 0", "default is 1M"}},
		{"backing store", plan.SerialOptions{Driver: plan.DriverOptions{Name: "core", CoreBackingStore: "no"}}, []string{`--core-backing-store "no"`, "on, off"}},
		{"nothing to read", plan.SerialOptions{Driver: plan.DriverOptions{Name: "core", CoreBackingStore: "off"}}, []string{"--core-backing-store off needs -w"}},
		{"member 0", plan.SerialOptions{Driver: plan.DriverOptions{Name: "family", FamilyMember: new(uint64(0))}}, []string{"--family-member 0"}},
		{"map", plan.SerialOptions{Driver: plan.DriverOptions{Name: "multi", MultiMap: "all"}}, []string{`--multi-map "all"`, "default, metadata"}},
		{"alignment", plan.SerialOptions{Driver: plan.DriverOptions{Name: "direct", DirectAlignment: new(uint64(1000))}}, []string{"--direct-alignment 1000", "power of 2"}},
		{"alignment 4", plan.SerialOptions{Driver: plan.DriverOptions{Name: "direct", DirectAlignment: new(uint64(4))}}, []string{"--direct-alignment 4", "at least 8"}},
		{"buffer", plan.SerialOptions{Driver: plan.DriverOptions{Name: "direct", DirectBlock: new(uint64(3000))}}, []string{"--direct-buffer 32K", "--direct-block 3000"}},
		{"block 0", plan.SerialOptions{Driver: plan.DriverOptions{Name: "direct", DirectBlock: new(uint64(0))}}, []string{"--direct-block 0"}},
	} {
		_, err := plan.NewSerial(c.o, plan.Job{})
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
	for name, o := range map[string]plan.SerialOptions{
		"32 dimensions":                    {Dataset: slices.Repeat(n(2), 32), Buffer: slices.Repeat(n(1), 32)},
		"2^63-1 bytes":                     {Dataset: n(math.MaxInt64), Buffer: n(7)},
		"chunk beyond a growing dataset":   {Dataset: n(16), Buffer: n(4), Chunk: n(32), Extendible: true},
		"chunk beyond all, without HDF5":   {APIs: []string{"posix"}, Dataset: n(16), Buffer: n(4), Chunk: n(32)},
		"chunk that divides nothing":       {Dataset: n(16), Buffer: n(4), Chunk: n(3)},
		"nothing to read, but only writes": {Driver: plan.DriverOptions{Name: "core", CoreBackingStore: "off"}, WriteOnly: true},
	} {
		if _, err := plan.NewSerial(o, plan.Job{}); err != nil {
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
	for _, dataset := range [][]uint64{{16, 16}, {1000, 999}, {3 << 20, 5 << 20, 7}, {1, 1 << 62}, {7, 7, 7, 7, 7, 7, 7, 7}} {
		_, err := plan.NewSerial(plan.SerialOptions{Dataset: dataset}, plan.Job{})
		_, example, found := strings.Cut(err.Error(), "for example -x ")
		if !found {
			t.Fatal(err)
		}
		o := plan.SerialOptions{Dataset: dataset, Buffer: parseSizes(t, example)}
		if p := mustSerial(t, o); p.Steps[0].Transfers[0] > 256<<10 {
			t.Errorf("%v: -x %s is a buffer of %d bytes", dataset, example, p.Steps[0].Transfers[0])
		}
	}
}

func TestASerialCase(t *testing.T) {
	o := plan.SerialOptions{
		Dataset: []uint64{64, 128}, Buffer: []uint64{16, 32}, Chunk: []uint64{8, 8}, Extendible: true, SieveBuffer: new(uint64(3)), ChunkCache: new(uint64(5)),
	}
	apis := []string{}
	for c := range mustSerial(t, o).Cases() {
		apis = append(apis, c.API)
		if c.Processes != 1 || c.Transfer != 512 || c.BufferBytes() != 512 || c.DatasetBytes() != 8192 || c.Bytes() != 8192 {
			t.Errorf("%s: %d processes, transfer %d, buffer %d, dataset %d, all %d", c.API, c.Processes, c.Transfer, c.BufferBytes(), c.DatasetBytes(), c.Bytes())
		}
		if n := c.FileSequence(0).Nest(); n.RunBytes != 32 || n.Offset(1, 1) != 16*128+128 {
			t.Errorf("%s: runs of %d, the second of the second box at %d", c.API, n.RunBytes, n.Offset(1, 1))
		}
		chunk := o.Chunk
		if c.API == "posix" {
			chunk = nil
		}
		if !slices.Equal(c.Chunk(), chunk) || c.View() != engine.NoView || c.MPIPosix() || !c.Extendible() || *c.SieveBuffer() != 3 || *c.ChunkCache() != 5 {
			t.Errorf("%s: chunk %v, %+v", c.API, c.Chunk(), c)
		}
		if c.Grain() != 32 {
			t.Errorf("%s: grain %d of runs of 32", c.API, c.Grain())
		}
	}
	if !slices.Equal(apis, []string{"posix", "hdf5"}) {
		t.Errorf("order of the APIs: %v", apis)
	}
	for c := range mustSerial(t, plan.SerialOptions{}).Cases() {
		if c.Grain() != 4096 || c.SieveBuffer() != nil || c.ChunkCache() != nil {
			t.Errorf("%s: grain %d, caches %v, %v", c.API, c.Grain(), c.SieveBuffer(), c.ChunkCache())
		}
	}
	if c := firstCase(t, plan.Options{BytesPerProcess: new(uint64(8)), Block: new(uint64(2))}, 1); c.Grain() != 2 || c.Driver() != "" {
		t.Errorf("parallel: grain %d of blocks of 2, driver %q", c.Grain(), c.Driver())
	}
}
