package result

import (
	"testing"

	"h5perf/pkg/option"
)

func TestTheIdentityFollowsFromTheDocument(t *testing.T) {
	doc := full()
	doc.Target.MountPoint = "/scratch"
	label := doc.Parameters.Hash()
	for name, c := range map[string]struct {
		change func(*Document)
		want   Identity
	}{
		"host and mount point": {func(*Document) {}, Identity{"n1", "/scratch", label}},
		"Slurm": {func(d *Document) {
			d.Job.Slurm = []KeyValue{{Key: "SLURM_CLUSTER_NAME", Value: "blue"}}
		}, Identity{"blue", "/scratch", label}},
		"unknown mount": {func(d *Document) { d.Target = Target{Directory: "/data"} }, Identity{"n1", "/data", label}},
		"nothing": {
			func(d *Document) { d.Machine, d.Target = Machine{}, Target{} }, Identity{"unknown", "unknown", label},
		},
	} {
		changed := doc
		c.change(&changed)
		if got := changed.DefaultIdentity(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	given := Identity{Filesystem: "lustre"}
	if got, want := given.WithDefaults(doc.DefaultIdentity()), (Identity{"n1", "lustre", label}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestTheHashNamesWhatIsMeasured(t *testing.T) {
	base := func() Parameters {
		return Parameters{
			APIs: []string{"posix", "mpiio"}, MinProcesses: 1, MaxProcesses: 4, BytesPerProcess: 256 << 10,
			Layout: "contiguous", Iterations: 3, DatasetExtent: []uint64{3 << 20},
			Conditions: option.Conditions{
				Sync: "none", Order: "given", Data: "position", Shift: new(0),
				Warmup: new(0), SpaceCheck: new(false),
			},
			HDF5Settings: HDF5Settings{Driver: "mpio"},
		}
	}
	// Stored results are found by the hash: another value would start new series everywhere.
	if got := base().Hash(); got != "341aee1c" {
		t.Errorf("hash %s", got)
	}
	for name, c := range map[string]struct {
		change func(*Parameters)
		same   bool
	}{
		"seed":          {func(p *Parameters) { p.Conditions.Seed = new(uint64(7)) }, true},
		"reads alone":   {func(p *Parameters) { p.Conditions.ReadOnly = "/scratch/data_1.posix" }, false},
		"timeout":       {func(p *Parameters) { p.Conditions.Timeout = new(600.0) }, true},
		"space check":   {func(p *Parameters) { p.Conditions.SpaceCheck = new(true) }, true},
		"kept files":    {func(p *Parameters) { p.KeepFiles = true }, true},
		"APIs":          {func(p *Parameters) { p.APIs = []string{"posix"} }, false},
		"order of APIs": {func(p *Parameters) { p.APIs = []string{"mpiio", "posix"} }, false},
		"processes":     {func(p *Parameters) { p.MaxProcesses = 8 }, false},
		"size":          {func(p *Parameters) { p.BytesPerProcess++ }, false},
		"sync":          {func(p *Parameters) { p.Conditions.Sync = "close" }, false},
		"random order":  {func(p *Parameters) { p.Conditions.Order = "random" }, false},
		"spread":        {func(p *Parameters) { p.Conditions.Spread = "nodes" }, false},
		"shift":         {func(p *Parameters) { p.Conditions.Shift = new(1) }, false},
		"threshold 0":   {func(p *Parameters) { p.ThresholdBytes = new(uint64(0)) }, true},
		// the hash from before the setting could be left out
		"threshold 1":    {func(p *Parameters) { p.ThresholdBytes = new(uint64(1)) }, false},
		"sieve buffer 0": {func(p *Parameters) { p.SieveBufferBytes = new(uint64(0)) }, false},
		"hints":          {func(p *Parameters) { p.Hints = []KeyValue{{Key: "cb_nodes", Value: "2"}} }, false},
	} {
		p := base()
		c.change(&p)
		if got := p.Hash(); (got == base().Hash()) != c.same {
			t.Errorf("%s: hash %s, of the unchanged %s", name, got, base().Hash())
		}
	}
}

func TestTheHashOutlivesAnotherKernel(t *testing.T) {
	sized := func(bytes uint64) Parameters {
		return Parameters{
			BytesPerProcess: bytes, DatasetExtent: []uint64{bytes, 4},
			Conditions: option.Conditions{MemoryFactor: new(2.0)},
		}
	}
	a, b, c := sized(25_276_502_016), sized(25_276_497_920), sized(50_000_000_000)
	if a.Hash() != b.Hash() || a.Hash() == c.Hash() {
		t.Errorf("hashes %s, %s and %s", a.Hash(), b.Hash(), c.Hash())
	}
	if a.DatasetExtent[0] != 25_276_502_016 {
		t.Error("the parameters were changed")
	}
}

func TestRunsThatReadAloneAreOneSeries(t *testing.T) {
	reading := func(file string) string { return Parameters{Conditions: option.Conditions{ReadOnly: file}}.Hash() }
	tonight, tomorrow := reading("/scratch/h5perf-1/data_1.posix"), reading("/scratch/h5perf-2/data_1.posix")
	if tonight != tomorrow || tonight == reading("") {
		t.Errorf("hashes %s and %s, of a run that writes %s", tonight, tomorrow, reading(""))
	}
}
