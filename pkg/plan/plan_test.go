package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

func mustPlan(t *testing.T, o plan.Options, world int) plan.Plan {
	t.Helper()
	return mustPlanOn(t, o, plan.JobFacts{Processes: world})
}

// asTheCTool holds the conditions of a run without options.
var asTheCTool = option.Conditions{
	Sync: "none", Order: "given", Data: "position", Timeout: new(600.0), Shift: new(0),
	Warmup: new(0), SpaceCheck: new(true),
}

func TestDefaults(t *testing.T) {
	p := mustPlan(t, plan.Options{}, 4)
	want := result.Parameters{
		APIs: []string{"posix", "mpiio", "phdf5"}, MinProcesses: 1, MaxProcesses: 4,
		BytesPerProcess: 256 << 10, BlockSize: 128 << 10, MinTransferSize: 128 << 10, MaxTransferSize: 256 << 10,
		Iterations: 1, Files: 1, Datasets: 1,
		Geometry: "1D", Pattern: "contiguous", Mode: "independent", Layout: "contiguous", Conditions: asTheCTool,
		HDF5Settings: result.HDF5Settings{
			AlignmentBytes: new(uint64(1)), ThresholdBytes: new(uint64(1)), Driver: "mpio",
		},
		MPIIOSettings: result.MPIIOSettings{View: "auto"},
	}
	if d := cmp.Diff(want, p.Parameters); d != "" {
		t.Error(d)
	}
	x := []uint64{128 << 10, 256 << 10}
	steps := []plan.ProcessStep{{Processes: 4, TransferSizes: x}, {Processes: 2, TransferSizes: x}, {
		Processes:     1,
		TransferSizes: x,
	}}
	if d := cmp.Diff(steps, p.ProcessSteps); d != "" {
		t.Error(d)
	}
	if p.Notes != nil {
		t.Errorf("notes %q about defaults", p.Notes)
	}
	s := mustPlan(t, plan.Options{Sizes: option.Sizes{TwoD: true}}, 1).Parameters
	if s.BytesPerProcess != 8<<10 || s.BlockSize != 4<<10 || s.MinTransferSize != 4<<10 ||
		s.MaxTransferSize != 8<<10 {
		t.Errorf("2D defaults: %+v", s)
	}
}

func TestSettingsReachTheParameters(t *testing.T) {
	p := mustPlan(t, plan.Options{
		Sizes: option.Sizes{
			APIs:            []string{"PHDF5", "posix", "phdf5"},
			TwoD:            true,
			Interleaved:     true,
			Chunked:         true,
			Files:           new(2),
			Datasets:        new(5),
			MinProcesses:    new(2),
			BytesPerProcess: new(uint64(8)),
			ChunkSize:       []uint64{2, 4},
		},
		Common:   option.Common{WriteOnly: true, Conditions: option.Conditions{Keep: true}, Iterations: new(3)},
		MPIPosix: true,
		Verify:   true,
		HDF5: option.HDF5{
			AlignmentBytes: new(uint64(4096)), ThresholdBytes: new(uint64(0)),
			SieveBufferBytes: new(uint64(0)), ChunkCacheBytes: new(uint64(0)),
		},
		MPIIO: option.MPIIO{View: "transfer", IOComponent: "romio"},
	}, 2)
	want := result.Parameters{
		APIs: []string{"posix", "phdf5"}, MinProcesses: 2, MaxProcesses: 2,
		BytesPerProcess: 8, BlockSize: 4, MinTransferSize: 4, MaxTransferSize: 8,
		Iterations: 3, Files: 2, Datasets: 5,
		Geometry: "2D", Pattern: "interleaved", Mode: "independent", Layout: "chunked",
		ChunkSize: []uint64{2, 4}, WriteOnly: true, Verify: true, KeepFiles: true,
		Conditions: asTheCTool,
		HDF5Settings: result.HDF5Settings{
			AlignmentBytes: new(uint64(4096)), ThresholdBytes: new(uint64(0)), Driver: "mpiposix",
			SieveBufferBytes: new(uint64(0)), ChunkCacheBytes: new(uint64(0)),
		},
		MPIIOSettings: result.MPIIOSettings{View: "transfer", IOComponent: "romio"},
	}
	if d := cmp.Diff(want, p.Parameters); d != "" {
		t.Error(d)
	}
	if mode := mustPlan(t, plan.Options{Sizes: option.Sizes{Collective: true}},
		1).Parameters.Mode; mode != "collective" {
		t.Errorf("mode %s with -C", mode)
	}
}

func TestASieveBufferThatMPIIOHasNotIsTold(t *testing.T) {
	o := plan.Options{HDF5: option.HDF5{SieveBufferBytes: new(uint64(0))}}
	if notes := mustPlan(t, o, 1).Notes; len(notes) != 1 ||
		!strings.Contains(notes[0], "--sieve-buffer 0 has no effect") {
		t.Errorf("notes %q", notes)
	}
	o.MPIPosix = true
	if notes := mustPlan(t, o, 1).Notes; notes != nil {
		t.Errorf("notes %q with -m", notes)
	}
}

func TestSweep(t *testing.T) {
	numbers := func(p, P int, x, X uint64) (processes []int, transfers []uint64) {
		size := uint64(24)
		for _, s := range mustPlan(t, plan.Options{
			Sizes: option.Sizes{
				MinProcesses: &p, MaxProcesses: &P, BytesPerProcess: &size, BlockSize: new(uint64(3)),
				MinTransferSize: &x, MaxTransferSize: &X,
			},
		}, 8).ProcessSteps {
			processes, transfers = append(processes, s.Processes), s.TransferSizes
		}
		return processes, transfers
	}
	for _, c := range []struct {
		p, P      int
		processes []int
		x, X      uint64
		transfers []uint64
	}{
		{1, 8, []int{8, 4, 2, 1}, 3, 10, []uint64{3, 6}},
		{1, 3, []int{3, 1}, 3, 12, []uint64{3, 6, 12}},
		{2, 3, []int{3}, 24, 24, []uint64{24}},
		{2, 7, []int{7, 3}, 12, 23, []uint64{12}},
	} {
		processes, transfers := numbers(c.p, c.P, c.x, c.X)
		if !slices.Equal(processes, c.processes) || !slices.Equal(transfers, c.transfers) {
			t.Errorf("-p %d -P %d -x %d -X %d: processes %v, transfers %v; want %v, %v",
				c.p, c.P, c.x, c.X, processes, transfers, c.processes, c.transfers)
		}
	}
}

func TestCasesInOrder(t *testing.T) {
	p := mustPlan(t, plan.Options{Sizes: option.Sizes{APIs: []string{"phdf5", "posix"}, MaxProcesses: new(8)}}, 4)
	var got []plan.Case
	for c := range p.Cases() {
		if d := cmp.Diff(p.Parameters, c.Parameters); d != "" {
			t.Fatal(d)
		}
		c.Parameters = result.Parameters{}
		got = append(got, c)
	}
	var want []plan.Case
	for _, n := range []int{4, 2, 1} {
		for _, x := range []uint64{128 << 10, 256 << 10} {
			want = append(
				want,
				plan.Case{Processes: n, TransferSize: x, API: "posix"},
				plan.Case{Processes: n, TransferSize: x, API: "phdf5"},
			)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for range p.Cases() {
		break // a consumer that stops must not be called again
	}
}

func TestStepsLargerThanTheJobAreSkippedWithOneNote(t *testing.T) {
	p := mustPlan(t, plan.Options{Sizes: option.Sizes{MaxProcesses: new(20)}}, 4)
	var skipped []int
	for _, s := range p.ProcessSteps {
		if s.SkipReason != "" {
			skipped = append(skipped, s.Processes)
		}
	}
	if !slices.Equal(skipped, []int{20, 10, 5}) || len(p.ProcessSteps) != 5 {
		t.Errorf("skipped %v of %d steps", skipped, len(p.ProcessSteps))
	}
	want := []string{"The job has only 4 processes, so the larger steps of -P 20 are skipped."}
	if d := cmp.Diff(want, p.Notes); d != "" {
		t.Error(d)
	}
}

func TestAdjustmentsAreNoted(t *testing.T) {
	k := func(n uint64) *uint64 { return new(n << 10) }
	for _, c := range []struct {
		name string
		o    plan.Options
		note []string
	}{
		{
			"-e 0",
			plan.Options{Sizes: option.Sizes{BytesPerProcess: k(0)}},
			[]string{"Option -e 0 means the default, 256K."},
		},
		{
			"-g -e 0",
			plan.Options{Sizes: option.Sizes{BytesPerProcess: k(0), TwoD: true, MaxProcesses: new(1)}},
			[]string{"Option -e 0 means the default, 8K."},
		},
		{
			"-x 0",
			plan.Options{Sizes: option.Sizes{MinTransferSize: k(0)}},
			[]string{"Option -x 0 means the default, 128K."},
		},
		{
			"-X 0",
			plan.Options{Sizes: option.Sizes{MaxTransferSize: k(0)}},
			[]string{"Option -X 0 means the default, 256K."},
		},
		{"-B 0", plan.Options{Sizes: option.Sizes{BlockSize: k(0)}}, []string{"Option -B 0 means the default, 128K."}},
		{
			"-x above -e",
			plan.Options{Sizes: option.Sizes{MinTransferSize: k(512)}},
			[]string{"Option -x 512K is larger than -e: 256K is used."},
		},
		{
			"-X above -e",
			plan.Options{Sizes: option.Sizes{MaxTransferSize: k(512)}},
			[]string{"Option -X 512K is larger than -e: 256K is used."},
		},
		{
			"-B above -e",
			plan.Options{Sizes: option.Sizes{BlockSize: k(512), MinTransferSize: k(256)}},
			[]string{"Option -B 512K is larger than -e: 256K is used."},
		},
		{
			"-x above -X",
			plan.Options{Sizes: option.Sizes{MinTransferSize: k(128), MaxTransferSize: k(64), BlockSize: k(1)}},
			[]string{"Option -x 128K is larger than -X: 64K is used."},
		},
		{
			"default -x above -X",
			plan.Options{Sizes: option.Sizes{MaxTransferSize: k(64), BlockSize: k(1)}},
			[]string{"Option -x 128K is larger than -X: 64K is used."},
		},
		{"2D -x above -e", plan.Options{Sizes: option.Sizes{
			TwoD: true, MinTransferSize: k(16), MaxTransferSize: k(16),
			MinProcesses: new(2),
		}}, nil},
		{
			"-p above -P",
			plan.Options{Sizes: option.Sizes{MinProcesses: new(9)}},
			[]string{"Option -p 9 is larger than the maximum number of processes (-P): 2 is used."},
		},
	} {
		p := mustPlan(t, c.o, 2)
		if d := cmp.Diff(c.note, p.Notes); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestHints(t *testing.T) {
	for _, c := range []struct {
		name  string
		info  *string
		hints []units.KeyValue
		want  []result.KeyValue
		set   bool
		notes []string
	}{
		{name: "none"},
		{name: "empty", info: new(""), set: true},
		{
			name: "list", info: new("a=b;c=d=e"),
			want: []result.KeyValue{{Key: "a", Value: "b"}, {Key: "c", Value: "d=e"}}, set: true,
		},
		{
			name: "blanks", info: new(" a = b c ;\tc= d"),
			want: []result.KeyValue{{Key: "a", Value: "b c"}, {Key: "c", Value: "d"}}, set: true,
		},
		{name: "blank item first", info: new("  ;a=b"), want: []result.KeyValue{{Key: "a", Value: "b"}}, set: true},
		{name: "blank item last", info: new("a=b; "), want: []result.KeyValue{{Key: "a", Value: "b"}}, set: true},
		{
			name: "no =", info: new("foo;a=b"), want: []result.KeyValue{{Key: "a", Value: "b"}}, set: true,
			notes: []string{`Of HDF5_MPI_INFO="foo;a=b", "foo" is ignored, because it has no =.`},
		},
		{
			name: "last wins", info: new("a=1;b=2;a=3"),
			want: []result.KeyValue{{Key: "a", Value: "3"}, {Key: "b", Value: "2"}}, set: true,
		},
		{
			name: "option", hints: []units.KeyValue{{Key: "a", Value: "1"}},
			want: []result.KeyValue{{Key: "a", Value: "1"}}, set: true,
		},
		{
			name: "option wins", info: new("a=1;b=2"),
			hints: []units.KeyValue{{Key: "a", Value: "3"}, {Key: "c", Value: "4"}},
			want:  []result.KeyValue{{Key: "a", Value: "3"}, {Key: "b", Value: "2"}, {Key: "c", Value: "4"}}, set: true,
		},
	} {
		p := mustPlan(t, plan.Options{MPIInfo: c.info, MPIIO: option.MPIIO{Hints: c.hints}}, 1)
		if d := cmp.Diff(c.want, p.Parameters.Hints); d != "" || p.Parameters.HintsSet != c.set {
			t.Errorf("%s: set %t, %s", c.name, p.Parameters.HintsSet, d)
		}
		if d := cmp.Diff(c.notes, p.Notes); d != "" {
			t.Errorf("%s: notes %s", c.name, d)
		}
	}
}

// Sweeps and workloads check hints from options and from the environment variable.
func TestHintsWithoutEffectAreACaution(t *testing.T) {
	const (
		unknown = "The hint cb_nods is unknown: neither the MPI standard nor ROMIO nor OMPIO has it. Use the hint " +
			"cb_nodes."
		other = "ROMIO reads the hint romio_cb_write, but this run uses OMPIO, so it has no effect. " +
			"Use --io-component romio."
		accepted = "The effect of the hint cb_nodes is not known: OMPIO reads it, but MPI_File_get_info returns each " +
			"hint as it was given."
	)
	job := plan.JobFacts{
		Processes: 1, TargetType: "ext4", FreeBytes: 1 << 40, FreeInodes: 1 << 20,
		MPIIO: option.MPILibrary{Component: option.OMPIO, OpenMPI: option.MPIVersion{4, 1, 4}},
	}
	info := new("cb_nods=1;cb_nodes=2")
	given := option.MPIIO{Hints: []units.KeyValue{{Key: "romio_cb_write", Value: "disable"}}}
	sweep, err := plan.New(plan.Options{MPIInfo: info, MPIIO: given}, job)
	if err != nil {
		t.Fatal(err)
	}
	workload, err := plan.New(plan.Options{
		Workload: &plan.WorkloadOptions{Application: option.Application{Workload: "particles", Size: "tiny"}},
		MPIInfo:  info,
		MPIIO:    given,
	}, job)
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]plan.Plan{"sweep": sweep, "workload": workload} {
		if got := fmt.Sprint(p.Cautions); got != fmt.Sprint([]string{unknown, other}) {
			t.Errorf("%s: cautions %s", name, got)
		}
		if !slices.Contains(p.Notes, accepted) {
			t.Errorf("%s: notes %q, want %q", name, p.Notes, accepted)
		}
		if !slices.Equal(p.Ignored, []string{"cb_nods", "romio_cb_write"}) {
			t.Errorf("%s: ignored %q", name, p.Ignored)
		}
	}
}

func TestHintsWithoutMPIIOAreACaution(t *testing.T) {
	given := option.MPIIO{Hints: []units.KeyValue{{Key: "cb_nodes", Value: "2"}}}
	want := "[The hints have no effect: no API that is measured uses MPI-IO.]"
	p := mustPlan(t, plan.Options{Sizes: option.Sizes{APIs: []string{"posix"}}, MPIIO: given}, 1)
	if got := fmt.Sprint(p.Cautions); got != want {
		t.Errorf("cautions %s, want %s", got, want)
	}
	if p := mustPlan(t, plan.Options{Sizes: option.Sizes{APIs: []string{"posix"}}}, 1); p.Cautions != nil {
		t.Errorf("cautions %q without hints", p.Cautions)
	}
}

// HDF5 opens files of one process alone with the driver sec2, so that neither hints nor the component have an effect.
func TestHintsWithoutEffectOnOwnFiles(t *testing.T) {
	const (
		alone = "HDF5 opens files of one process with its serial driver sec2"
		mixed = `"""Files of one process, and one of all."""
def write(job):
    job.create("own%d" % job.rank, alone = True).close()
    job.create("all").close()
`
	)
	given := option.MPIIO{
		Hints:       []units.KeyValue{{Key: "cb_nodes", Value: "2"}},
		IOComponent: option.ROMIO,
	}
	job := plan.JobFacts{
		Processes: 2, Nodes: 1, MPIIO: option.MPILibrary{Component: option.OMPIO, OpenMPI: option.MPIVersion{5}},
	}
	cautions := func(reason string) []string {
		return []string{
			"Option --io-component romio has no effect: " + reason + ".", "The hints have no effect: " + reason + ".",
		}
	}
	metadata := func(mode string) *plan.WorkloadOptions {
		return &plan.WorkloadOptions{Application: option.Application{
			Workload: "metadata", Size: "tiny", APIs: []string{result.PHDF5}, Set: map[string]string{"mode": mode},
		}}
	}
	hdf5 := []string{result.PHDF5}
	for name, c := range map[string]struct {
		o        plan.Options
		cautions []string
		note     string
	}{
		"own files": {plan.Options{Sizes: option.Sizes{APIs: hdf5, FilesPerProcess: true}}, cautions(alone), ""},
		"mpiposix": {
			plan.Options{Sizes: option.Sizes{APIs: hdf5}, MPIPosix: true},
			cautions("the file driver mpiposix does not use MPI-IO"), "",
		},
		"own files of a workload": {plan.Options{Workload: metadata("file_per_rank")}, cautions(alone), ""},
		"POSIX": {
			plan.Options{Sizes: option.Sizes{APIs: []string{result.POSIX}}},
			cautions("no API that is measured uses MPI-IO"), "",
		},
		"own files, with MPI-IO": {
			plan.Options{Sizes: option.Sizes{FilesPerProcess: true}},
			nil,
			"The hints have no effect on HDF5: " + alone + ".",
		},
		"a shared file of a workload": {plan.Options{Workload: metadata("root")}, nil, ""},
		"some own files": {
			plan.Options{Workload: &plan.WorkloadOptions{
				Application: option.Application{Workload: "mixed.star", APIs: hdf5}, Text: []byte(mixed),
			}}, nil, "",
		},
	} {
		c.o.MPIIO = given
		p, err := plan.New(c.o, job)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		told := slices.DeleteFunc(p.Cautions, func(c plain.Caution) bool {
			return !strings.Contains(c.Text, "no effect")
		})
		if fmt.Sprint(told) != fmt.Sprint(c.cautions) {
			t.Errorf("%s: cautions %q, want %q", name, told, c.cautions)
		}
		unknown := strings.Contains(strings.Join(p.Notes, " "), "effect of the hint")
		if unknown == (c.cautions != nil) || c.note != "" && !slices.Contains(p.Notes, c.note) {
			t.Errorf("%s: notes %q", name, p.Notes)
		}
	}
}

// Collective metadata are refused for files of one process, in a workload as in a sweep.
func TestNoCollectiveMetadataInOwnFilesOfAWorkload(t *testing.T) {
	for mode, want := range map[string]string{
		"collective": "",
		"file_per_rank": "--collective-metadata both: in this workload, one process alone opens each file, and a " +
			"file of one process has no other process to transfer metadata with; leave it out",
	} {
		o := plan.Options{Workload: &plan.WorkloadOptions{Application: option.Application{
			Workload: "metadata", Size: "tiny", APIs: []string{result.PHDF5}, Set: map[string]string{"mode": mode},
		}}}
		o.HDF5.CollectiveMetadata = "both"
		got := ""
		if _, err := plan.New(o, plan.JobFacts{Processes: 2, Nodes: 1}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("mode=%s: %q, want %q", mode, got, want)
		}
	}
}

func FuzzMPIInfo(f *testing.F) {
	for _, seed := range []string{"", "  ;a=b", "=v", "k=", "a=b;c=d", ";;;", "a=b=c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, info string) {
		p, err := plan.New(plan.Options{MPIInfo: &info}, plan.JobFacts{Processes: 1})
		if err != nil {
			if _, ok := errors.AsType[*usage.Error](err); !ok {
				t.Errorf("%q: %v", info, err)
			}
			return
		}
		for _, h := range p.Parameters.Hints {
			if h.Key == "" || h.Value == "" || strings.Contains(h.Key+h.Value, ";") || strings.Contains(h.Key, "=") ||
				strings.TrimSpace(h.Key) != h.Key || strings.TrimSpace(h.Value) != h.Value {
				t.Errorf("%q has hint %+v", info, h)
			}
		}
	})
}

func TestTheFillOfChunksIsTold(t *testing.T) {
	for _, c := range []struct {
		o    plan.Options
		told bool
	}{
		{plan.Options{Sizes: option.Sizes{Chunked: true}}, true},
		{plan.Options{}, false},
		{plan.Options{Sizes: option.Sizes{Chunked: true, APIs: []string{result.PHDF5}}}, false},
		// nothing to compare with
		{plan.Options{Sizes: option.Sizes{Chunked: true}, MPIPosix: true}, false}, // which never fills
		{plan.Options{Sizes: option.Sizes{Chunked: true}, HDF5: option.HDF5{FillTime: "never"}}, false},
		{plan.Options{Sizes: option.Sizes{Chunked: true}, HDF5: option.HDF5{FillTime: "alloc"}}, true},
	} {
		notes := strings.Join(mustPlan(t, c.o, 1).Notes, "; ")
		if strings.Contains(notes, "fills every chunk") != c.told {
			t.Errorf("%+v: notes %q", c.o, notes)
		}
	}
}
