package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/script"
	"h5perf/pkg/usage"
)

// application is a workload with settings, a choice of calls, and a filter.
const application = `"""An application."""
settings(align = "16M", libver = "v114", collective_metadata = "both")
calls = choice("single", "together", about = "calls that write")

def write(job):
    job.dump()
    data = job.create("data")
    a = data.create_dataset("a", "f8", 64, chunks = 8, shuffle = True, compression = "szip", compression_opts = 4)
    b = data.create_dataset("b", "f8", 64)
    if calls == "together":
        job.write_multi([a, b], slab(), collective = True)
    else:
        a.write(slab(), collective = True)
        b.write(slab(), collective = True)
    data.close()
`

// The value that application has for its choice, and the other value.
const singleFirst, togetherFirst = `choice("single", "together"`, `choice("together", "single"`

func isLibver(x result.KeyValue) bool { return x.Key == "libver" }

// able supports what application needs; older supports only its filter.
var (
	able = option.HDF5Library{
		Version: "1.14.5", Libvers: []option.Libver{"earliest", "v114", "latest"}, MultiDataset: true,
		Filters: []string{"deflate", "shuffle", "szip"},
	}
	older = option.HDF5Library{
		Version: "1.10.8", Libvers: []option.Libver{"earliest", "v18", "v110", "latest"}, Filters: able.Filters,
	}
)

// planWorkload plans a workload with the given source: "application" is the name of a profile, "application.star" a
// file.
func planWorkload(name, text string, l option.HDF5Library, change func(*plan.Options)) (plan.Plan, error) {
	o := plan.Options{
		Workload: &plan.WorkloadOptions{Application: option.Application{Workload: name}, Text: []byte(text)},
	}
	if change != nil {
		change(&o)
	}
	return plan.New(o, plan.JobFacts{Processes: 4, HDF5: l})
}

func planned(t *testing.T, p plan.Plan, err error) plan.Plan {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSettingsOfAWorkloadAreApplied(t *testing.T) {
	p, err := planWorkload("application.star", application, able, nil)
	got := planned(t, p, err).Parameters
	if *got.AlignmentBytes != 16<<20 || got.Libver != "v114" || got.CollectiveMetadata != "both" || p.Notes != nil {
		t.Errorf("%+v, notes %q", got.HDF5Settings, p.Notes)
	}
	want := []result.KeyValue{
		{Key: "align", Value: "16777216"}, {Key: "libver", Value: "v114"}, {Key: "collective-metadata", Value: "both"},
	}
	if !slices.Equal(got.Workload.Settings, want) {
		t.Errorf("the document has the settings %v, want %v", got.Workload.Settings, want)
	}
	other, err := planWorkload("x.star", strings.Replace(application, "16M", "1M", 1), able, nil)
	if planned(t, other, err).Parameters.Workload.Hash == got.Workload.Hash {
		t.Error("workloads with other settings have the same hash")
	}
	// The run of the document is the same.
	again, err := planWorkload("application", "", option.HDF5Library{}, func(o *plan.Options) {
		o.Workload.Recorded = got.Workload
	})
	if s := planned(t, again, err).Parameters; *s.AlignmentBytes != 16<<20 || s.Workload.Hash != got.Workload.Hash {
		t.Errorf("rerun: %+v", s.HDF5Settings)
	}
}

func TestOptionsTakePrecedenceOverSettingsOfAWorkload(t *testing.T) {
	p, err := planWorkload("application", application, older, func(o *plan.Options) {
		o.HDF5.AlignmentBytes, o.HDF5.Libver = new(uint64(1)), "earliest"
		o.HDF5.CollectiveMetadata = "both" // as the workload says
	})
	got := planned(t, p, err).Parameters
	if *got.AlignmentBytes != 1 || got.Libver != "earliest" || got.CollectiveMetadata != "both" {
		t.Errorf("%+v", got.HDF5Settings)
	}
	want := "Option --align 1 takes precedence over the setting align of the workload, 16M.\n" +
		"Option --libver earliest takes precedence over the setting libver of the workload, v114."
	if notes := strings.Join(p.Notes, "\n"); notes != want || p.Cautions != nil {
		t.Errorf("notes %q, cautions %q", notes, p.Cautions)
	}
}

// A run of a profile continues without features that the library lacks, and the document says that it is another
// workload.
func TestAProfileGoesOnWithoutWhatTheLibraryLacks(t *testing.T) {
	p, err := planWorkload("application", application, able, nil)
	whole := planned(t, p, err)
	p, err = planWorkload("application", application, older, nil)
	got := planned(t, p, err)
	if s := got.Parameters; s.Libver != "" || *s.AlignmentBytes != 16<<20 ||
		s.Workload.Hash == whole.Parameters.Workload.Hash || slices.ContainsFunc(s.Workload.Settings, isLibver) {
		t.Errorf("%+v, %v", s.HDF5Settings, s.Workload.Settings)
	}
	if len(got.Cautions) != 1 || !strings.HasPrefix(got.Cautions[0].Text,
		"The setting libver v114: HDF5 1.10.8 does not have this version of the file format") {
		t.Errorf("cautions %q", got.Cautions)
	}
	p, err = planWorkload("application", "", older, func(o *plan.Options) {
		o.Workload.Recorded = got.Parameters.Workload
	})
	if again := planned(t, p, err); again.Cautions != nil ||
		again.Parameters.Workload.Hash != got.Parameters.Workload.Hash {
		t.Errorf("rerun: cautions %q", again.Cautions)
	}

	together := strings.Replace(application, singleFirst, togetherFirst, 1)
	hashes := map[string]bool{}
	for _, l := range []option.HDF5Library{able, older} {
		p, err := planWorkload("application", together, l, nil)
		p = planned(t, p, err)
		hashes[p.Parameters.Workload.Hash] = true
		if (len(p.Cautions) == 2) == l.MultiDataset {
			t.Errorf("%s: cautions %q", l.Version, p.Cautions)
		}
		program, err := p.Workload.Program(0, 4)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for step := range program.Parts[0].Steps() {
			if step.MultiMoves > 1 {
				n++
			}
		}
		if (n > 0) != l.MultiDataset {
			t.Errorf("%s: %d calls for several datasets", l.Version, n)
		}
	}
	if len(hashes) != 2 {
		t.Error("the same hash with and without calls for several datasets")
	}
}

func TestWhatTheUserAsksForAndTheLibraryLacksIsRefused(t *testing.T) {
	together := func(o *plan.Options) { o.Workload.Set = map[string]string{"calls": "together"} }
	plainly := strings.Replace(application, `libver = "v114", `, "", 1)
	first := strings.Replace(plainly, singleFirst, togetherFirst, 1)
	noSzip := able
	noSzip.Filters = []string{"shuffle"}
	p, err := planWorkload("application", first, able, nil)
	recorded := planned(t, p, err).Parameters.Workload
	for _, c := range []struct {
		what, name, text string
		library          option.HDF5Library
		change           func(*plan.Options)
		want             string
	}{
		{
			"setting of a file", "a.star", application, older, nil,
			"a.star:2: the setting libver v114: HDF5 1.10.8 does not have",
		},
		{
			"option with a profile", "application", plainly, older,
			func(o *plan.Options) { o.HDF5.Libver = "v114" }, "--libver v114: HDF5 1.10.8 does not have",
		},
		{
			"together of a file", "a.star", first, older, nil,
			"a.star:11: HDF5 1.10.8 cannot transfer several datasets in one call",
		},
		{
			"word of a choice", "application", plainly, older, together,
			"--set chooses transfers of several datasets together: HDF5 1.10.8 cannot",
		},
		{"word that is the default", "application", first, older, together, "--set chooses transfers"},
		{
			"document", "application", "", older,
			func(o *plan.Options) { o.Workload.Recorded = recorded }, "HDF5 1.10.8 cannot transfer several",
		},
		{
			"filter", "application", application, noSzip, nil,
			"application:8: the dataset data:/a: HDF5 1.14.5 was built without writing with the filter szip; it has " +
				"shuffle",
		},
	} {
		_, err := planWorkload(c.name, c.text, c.library, c.change)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
		// Without HDF5 it does not matter.
		_, err = planWorkload(c.name, c.text, c.library, func(o *plan.Options) {
			if o.Workload.APIs = []string{result.POSIX}; c.change != nil {
				c.change(o)
			}
		})
		if err != nil {
			t.Errorf("%s, POSIX alone: %v", c.what, err)
		}
	}
}

func TestErrorsNameTheSettingsOfTheWorkload(t *testing.T) {
	_, err := planWorkload("application", application, able, func(o *plan.Options) {
		o.HDF5.Driver = option.DriverMPIPosix
	})
	if _, is := errors.AsType[*usage.Error](err); !is || !strings.Contains(err.Error(),
		"-m with a workload, whose ranks may transfer collectively: the MPI-POSIX driver has no collective mode") {
		t.Errorf("error %v", err)
	}
	// They are named only if the given settings alone are without the error.
	const names = "; the workload application has settings, too: align, libver, collective-metadata"
	library := able
	library.Libvers = append(slices.Clone(able.Libvers), "v18")
	for want, change := range map[bool]func(o *plan.Options){
		true:  func(o *plan.Options) { o.HDF5.LibverHigh = "v18" }, // that of the workload is above it
		false: func(o *plan.Options) { o.HDF5.PageBytes = new(uint64(1)) },
	} {
		_, err = planWorkload("application", application, library, change)
		if err == nil || strings.Contains(err.Error(), names) != want {
			t.Errorf("want %v, error %v", want, err)
		}
	}
}

// HDF5 does nothing with external files but open, read and write them.
func TestSettingsWithoutEffectOnExternalDataAreRefused(t *testing.T) {
	with := func(setting string, datasets ...string) error {
		text := "\"\"\"Datasets.\"\"\"\n\ndef write(job):\n    f = job.create(\"f\", alone = True)\n"
		for i, more := range datasets {
			text += fmt.Sprintf("    f.create_dataset(\"d%d\", \"f8\", 64%s).write(everything())\n", i, more)
		}
		_, err := planWorkload("external", text+"    f.close()\n", able, func(o *plan.Options) {
			var err error
			if o.HDF5, err = o.HDF5.AddSetting(setting); err != nil {
				t.Fatal(err)
			}
		})
		return err
	}
	const external = ", external = True"
	for setting, why := range map[string]string{
		"allocation-time=late": "HDF5 allocates nothing in external files",
		"fill-time=alloc":      "HDF5 does not fill external files",
		"small-data-block=64K": "HDF5 allocates nothing in external files",
		"sieve-buffer=1M":      "HDF5 moves external data without it",
		"chunk-cache=1M":       "datasets of contiguous layout have no chunks",
		"align=4K":             "", // metadata are in the HDF5 file
	} {
		if err := with(setting, external, external); why == "" && err != nil ||
			why != "" && (err == nil || !strings.Contains(err.Error(), why)) {
			t.Errorf("%s: %v, want %q", setting, err, why)
		}
		if err := with(setting, external, ""); err != nil && setting != "chunk-cache=1M" {
			t.Errorf("%s, with a dataset in the file: %v", setting, err)
		}
	}
}

// A file of one process has no collective metadata.
func TestCollectiveMetadataNeedsSharedFiles(t *testing.T) {
	o := plan.Options{Sizes: option.Sizes{FilesPerProcess: true}}
	o.HDF5.CollectiveMetadata = "both"
	_, err := plan.New(o, plan.JobFacts{Processes: 4})
	if err == nil || !strings.Contains(err.Error(), "--files-per-process with --collective-metadata both") {
		t.Errorf("error %v", err)
	}
}

// A caution says how plain files hold data of variable length, unless only HDF5 writes them.
func TestVariableLengthsInPlainFilesAreTold(t *testing.T) {
	const own = `f = job.create("f_%d" % job.rank, alone = True)`
	for _, c := range []struct {
		apis, typ string
		want      bool
	}{
		{"posix,phdf5", "string(mean = 5)", true},
		{"mpiio", `vlen("f8", mean = 5)`, true},
		{"phdf5", "string(mean = 5)", false},
		{"posix", "text(5)", false},
	} {
		text := `"""A workload."""` + "\ndef write(job):\n    " + own + `
    f.create_dataset("d", ` + c.typ + `, 8).write(everything())
    f.close()
`
		p, err := planWorkload("w.star", text, older, func(o *plan.Options) {
			o.Workload.APIs = strings.Split(c.apis, ",")
		})
		all := planned(t, p, err).Cautions
		got := slices.ContainsFunc(all, func(x plain.Caution) bool {
			return x.Keyword == "mean lengths in plain files"
		})
		if got != c.want {
			t.Errorf("%s, %s: cautions %+v", c.apis, c.typ, all)
		}
	}
}

// Only a run tries out filters. The check of a workload says that it may be refused.
func TestTheCheckOfAWorkloadTellsOfFiltersThatARunTriesOut(t *testing.T) {
	for name, c := range map[string]struct {
		file    string
		library option.HDF5Library
		want    string
	}{
		"all ranks":     {`"f"`, older, `w.star:4:`},
		"one rank":      {`"f%d" % job.rank, alone = True`, older, ""},
		"newer library": {`"f"`, able, ""},
	} {
		s, err := script.Read("w.star", []byte(`"""A test."""
def write(job):
    f = job.create(`+c.file+`)
    f.create_dataset("d", "i4", 64, chunks = 8, compression = "szip").write(slab(), collective = True)
    f.close()
`))
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Program(0, script.JobSize{Ranks: 2, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		switch err := plan.CheckLibrary(s, p, c.library); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "dataset f:/d of type i32 with the filter szip: HDF5 1.10.8 cannot read "+
				"back what it wrote")):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
