package option_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/option"
	"h5perf/pkg/usage"
)

type (
	settings  = option.HDF5
	serial    = option.SerialSettings
	subfiling = option.SubfilingSettings
	run       = option.HDF5RunFacts
)

// with returns settings for a file driver of the serial tool.
func with(driver option.Driver, own serial) settings {
	return option.SerialOptions{Driver: driver, SerialSettings: own}.ApplyDriver(settings{})
}

// parallel returns settings for a file driver of the parallel tool.
func parallel(driver option.Driver, own subfiling) settings {
	return option.ParallelOptions{Driver: driver, SubfilingSettings: own}.ApplyDriver(settings{})
}

var (
	bytes  = func(n uint64) *uint64 { return &n }
	phdf5  = run{UsesHDF5: true}
	onefor = run{Serial: true}
)

func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		run  run
		want settings
	}{
		{phdf5, settings{Driver: "mpio"}},
		{run{MPIPosix: true}, settings{Driver: "mpiposix"}},
		{onefor, settings{Driver: "sec2"}},
	} {
		c.want.AlignmentBytes, c.want.ThresholdBytes = bytes(1), bytes(1)
		got, notes, err := settings{FillTime: fillOf(c.run)}.Complete(c.run)
		if d := cmp.Diff(c.want, got); d != "" || err != nil || notes != nil {
			t.Errorf("%+v: %s, notes %q, %v", c.run, d, notes, err)
		}
	}
}

// fillOf returns HDF5's default fill time where a run may set it, and "" otherwise.
func fillOf(r run) option.FillTime {
	if r.MPIPosix {
		return ""
	}
	return option.FillIfSet
}

// Runs that set a default of HDF5 explicitly can be compared with runs that do not.
func TestNamedDefaultsAreLeftOut(t *testing.T) {
	want, _, err := settings{}.Complete(phdf5)
	if err != nil {
		t.Fatal(err)
	}
	got, notes, err := settings{
		AlignmentBytes: bytes(1), DeferMetadata: new(false), PageBytes: bytes(0), CollectiveMetadata: "off",
		FillTime: "ifset", LibverHigh: "latest", ChunkIO: "default", PageBufferBytes: bytes(0),
	}.Complete(phdf5)
	if d := cmp.Diff(want, got); d != "" || notes != nil || err != nil {
		t.Errorf("%s, notes %q, %v", d, notes, err)
	}
}

// With pages, HDF5 does not align objects.
func TestSettingsThatPagesReplaceAreTold(t *testing.T) {
	for _, s := range []settings{{AlignmentBytes: bytes(4096)}, {MetaBlockBytes: bytes(0)}, {}} {
		with := s
		with.PageBytes = bytes(8192)
		_, notes, err := with.Complete(phdf5)
		if want := s != (settings{}); (len(notes) == 1) != want || err != nil ||
			want && !strings.Contains(notes[0], "--paged-allocation 8K, alignment and metadata blocks have no effect") {
			t.Errorf("%+v: notes %q, %v", s, notes, err)
		}
		if _, notes, err := s.Complete(phdf5); notes != nil || err != nil {
			t.Errorf("%+v: notes %q, %v", s, notes, err)
		}
	}
}

func TestSettingsOfFileDrivers(t *testing.T) {
	both := func(s serial) *option.DriverSettings { return &option.DriverSettings{SerialSettings: s} }
	for _, c := range []struct {
		driver option.Driver
		given  serial
		want   *option.DriverSettings
	}{
		{"sec2", serial{}, nil},
		{"STDIO", serial{}, nil},
		{"split", serial{}, nil},
		{"core", serial{}, both(serial{CoreIncrementBytes: bytes(1 << 20), CoreBackingStore: new(true)})},
		{
			"core",
			serial{CoreIncrementBytes: bytes(7), CoreBackingStore: new(false)},
			both(serial{CoreIncrementBytes: bytes(7), CoreBackingStore: new(false)}),
		},
		{"multi", serial{}, both(serial{MultiMap: "default"})},
		{"multi", serial{MultiMap: "metadata"}, both(serial{MultiMap: "metadata"})},
		{"family", serial{}, both(serial{FamilyMemberBytes: bytes(1 << 20)})},
		{"family", serial{FamilyMemberBytes: bytes(5000)}, both(serial{FamilyMemberBytes: bytes(5000)})},
		{
			"direct",
			serial{},
			both(serial{
				DirectAlignmentBytes: bytes(1024), DirectBlockBytes: bytes(4096), DirectBufferBytes: bytes(32768),
			}),
		},
		{
			"direct",
			serial{DirectAlignmentBytes: bytes(8), DirectBlockBytes: bytes(512), DirectBufferBytes: bytes(1024)},
			both(serial{DirectAlignmentBytes: bytes(8), DirectBlockBytes: bytes(512), DirectBufferBytes: bytes(1024)}),
		},
	} {
		got, _, err := with(c.driver, c.given).Complete(run{Serial: true, WriteOnly: true})
		lower := option.Driver(strings.ToLower(string(c.driver)))
		if d := cmp.Diff(c.want, got.DriverSettings); d != "" || got.Driver != lower {
			t.Errorf("%s, %+v: driver %s, %s, %v", c.driver, c.given, got.Driver, d, err)
		}
	}
	given := parallel("Subfiling", subfiling{SubfilingPerNode: new(2)})
	got, notes, err := given.Complete(run{UsesHDF5: true, Hints: true})
	want := &option.DriverSettings{SubfilingSettings: subfiling{
		SubfilingStripeBytes: bytes(32 << 20), SubfilingPerNode: new(2), SubfilingThreads: new(4),
	}}
	if d := cmp.Diff(want, got.DriverSettings); d != "" || !got.UsesThreads() || err != nil {
		t.Errorf("subfiling: %s, %v", d, err)
	}
	if len(notes) != 2 || !strings.Contains(notes[1], "hints have no effect") {
		t.Errorf("subfiling: notes %q", notes)
	}
}

func TestWhatIsGivenStays(t *testing.T) {
	given := with("core", serial{CoreIncrementBytes: bytes(7)})
	if _, _, err := given.Complete(onefor); err != nil {
		t.Fatal(err)
	}
	if given.DriverSettings.CoreBackingStore != nil || given.AlignmentBytes != nil {
		t.Errorf("completing has changed %+v", given)
	}
}

func TestRefuses(t *testing.T) {
	inChunks := option.TransferFacts{Chunked: true}
	chunked := run{UsesHDF5: true, Transfers: inChunks}
	posix := run{MPIPosix: true, UsesHDF5: true, Transfers: inChunks}
	together := run{UsesHDF5: true, Collective: true}
	old := run{UsesHDF5: true, Library: option.HDF5Library{
		Version: "1.10.8", Libvers: []option.Libver{"earliest", "v18", "v110", "latest"},
	}}
	for _, c := range []struct {
		s    settings
		run  run
		want string // "": no error
	}{
		{
			settings{},
			run{MPIPosix: true, Collective: true},
			"-m with -C: the MPI-POSIX driver has no collective mode; leave one of them out",
		},
		{
			settings{SieveBufferBytes: bytes(1)},
			posix,
			"-m with --sieve-buffer or --chunk-cache: each process would overwrite data of other processes with " +
				"old copies; leave them out, or give 0",
		},
		{settings{ChunkCacheBytes: bytes(1)}, posix, "-m with --sieve-buffer or --chunk-cache"},
		{settings{SieveBufferBytes: bytes(0), ChunkCacheBytes: bytes(0)}, posix, ""},
		{
			settings{Driver: "Sec2"},
			phdf5,
			`--driver "sec2": must be one of mpio, mpiposix, subfiling; sec2 is a value of -v of the serial tool`,
		},
		{settings{Driver: "mpio"}, posix, "-m with --driver mpio: -m is --driver mpiposix; leave one of them out"},
		{
			settings{Driver: "subfiling"},
			together,
			"--driver subfiling with -C: the driver has no collective transfers; leave one of them out",
		},
		{settings{Driver: "subfiling"}, run{}, "--driver subfiling needs -A phdf5: it is a file driver of HDF5"},
		{
			parallel("", subfiling{SubfilingThreads: new(2)}), phdf5,
			"--subfiling-threads needs --driver subfiling: the file driver mpio has no such setting",
		},
		{
			parallel("subfiling", subfiling{SubfilingStripeBytes: bytes(0)}), phdf5,
			"--subfiling-stripe 0: must be at least 1; the default is 32M",
		},
		{
			parallel("subfiling", subfiling{SubfilingFiles: new(0)}), phdf5,
			"--subfiling-files 0: the number of subfiles must be at least 1",
		},
		{
			parallel("subfiling", subfiling{SubfilingPerNode: new(1 << 31)}), phdf5,
			"--subfiling-per-node 2147483648: the number of concentrators of a node must be at most 2147483647",
		},
		{
			settings{ChunkCacheBytes: bytes(1)},
			phdf5,
			"--chunk-cache 1 needs datasets in chunks (-c): datasets of contiguous layout have no chunks",
		},
		{settings{ChunkCacheBytes: bytes(1)}, chunked, ""},
		{
			settings{FillTime: "never"},
			posix,
			"-m with --fill-time: the MPI-POSIX driver does not fill datasets; leave --fill-time out",
		},
		{settings{FillTime: "late"}, phdf5, `--fill-time late: "late" must be one of never, ifset, alloc`},
		{
			settings{AlignmentBytes: bytes(0)},
			phdf5,
			"--align 0: must be at least 1",
		},
		{settings{AlignmentBytes: bytes(0)}, onefor, "--align 0: must be at least 1"},

		{
			settings{CollectiveMetadata: "write"},
			phdf5,
			`--collective-metadata write: "write" must be one of off, writes, reads, both; did you mean "writes"?`,
		},
		{
			settings{CollectiveMetadata: "reads"},
			run{UsesHDF5: true, MPIPosix: true},
			"--collective-metadata reads needs a file driver for several processes: with others, each process reads",
		},
		{settings{CollectiveMetadata: "both"}, onefor, "--collective-metadata both needs a file driver for several"},
		{settings{CollectiveMetadata: "off"}, onefor, ""},
		{settings{CollectiveMetadata: "both", Driver: "subfiling"}, phdf5, ""},
		{settings{Libver: "v19"}, phdf5, `--libver v19: "v19" must be one of earliest, v18, v110, v112, v114, latest`},
		{
			settings{Libver: "v114"},
			old,
			"--libver v114: HDF5 1.10.8 does not have this version of the file format, but earliest, v18, v110, latest",
		},
		{settings{Libver: "v110"}, old, ""},
		{settings{Libver: "v114"}, phdf5, ""},
		{settings{Libver: "v114"}, run{Library: old.Library}, ""},
		{
			settings{PageBytes: bytes(511)},
			phdf5,
			"--paged-allocation 511: must be 512 to 1G, or 0 for none",
		},
		{settings{PageBytes: bytes(1<<30 + 1)}, phdf5, "--paged-allocation 1073741825: must be 512 to 1G"},
		{settings{PageBytes: bytes(512)}, phdf5, ""},
		{settings{PageBytes: bytes(1 << 30)}, phdf5, ""},
		{
			settings{Driver: "multi", PageBytes: bytes(4096)},
			onefor,
			"--paged-allocation 4K with the file driver multi: HDF5 has no pages in files of this driver",
		},
		{settings{Driver: "split", PageBytes: bytes(4096)}, onefor, "--paged-allocation 4K with the file driver split"},
		{settings{Driver: "split", PageBytes: bytes(0)}, onefor, ""},

		{
			with("mpio", serial{}), onefor,
			`-v "mpio": must be one of sec2, stdio, core, split, multi, family, direct; ` +
				`mpio is a value of --driver of the parallel tool`,
		},
		{
			with("", serial{CoreIncrementBytes: bytes(4)}), onefor,
			"--core-increment needs -v core: the file driver sec2 has no such setting",
		},
		{
			with("core", serial{FamilyMemberBytes: bytes(4)}), onefor,
			"--family-member needs -v family: the file driver core has no such setting",
		},
		{
			with("core", serial{CoreIncrementBytes: bytes(0)}), onefor,
			"--core-increment 0: must be at least 1; the default is 1M",
		},
		{
			with("core", serial{CoreBackingStore: new(false)}), onefor,
			"--core-backing-store off needs -w: without a file there is nothing to read",
		},
		{with("core", serial{CoreBackingStore: new(false)}), run{Serial: true, WriteOnly: true}, ""},
		{with("family", serial{FamilyMemberBytes: bytes(0)}), onefor, "--family-member 0"},
		{with("multi", serial{MultiMap: "all"}), onefor, `--multi-map "all": must be one of default, metadata`},
		{
			with("direct", serial{DirectAlignmentBytes: bytes(1000)}), onefor,
			"--direct-alignment 1000: must be a power of 2, at least 8",
		},
		{with("direct", serial{DirectAlignmentBytes: bytes(4)}), onefor, "--direct-alignment 4"},
		{
			with("direct", serial{DirectBlockBytes: bytes(3000)}), onefor,
			"--direct-buffer 32K: must be a multiple of --direct-block 3000",
		},
		{with("direct", serial{DirectBlockBytes: bytes(0)}), onefor, "--direct-block 0"},
	} {
		_, _, err := c.s.Complete(c.run)
		if c.want == "" {
			if err != nil {
				t.Errorf("%+v, %+v: %v", c.s, c.run, err)
			}
			continue
		}
		if _, is := errors.AsType[*usage.Error](err); !is || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v, %+v: %v, want a usage error: %s", c.s, c.run, err, c.want)
		}
	}
}

func TestFilesOfADriver(t *testing.T) {
	for _, c := range []struct {
		s     settings
		run   run
		want  uint64
		other bool
	}{
		{with("sec2", serial{}), onefor, 1, false},
		{with("split", serial{}), onefor, 2, true},
		{with("multi", serial{}), onefor, 6, true},
		{with("family", serial{FamilyMemberBytes: bytes(100)}), onefor, 11, true},
		{with("core", serial{}), onefor, 1, false},
		{with("core", serial{CoreBackingStore: new(false)}), run{Serial: true, WriteOnly: true}, 0, false},
		{settings{}, phdf5, 1, false},
		{settings{}, run{MPIPosix: true}, 1, false},
		{parallel("subfiling", subfiling{}), phdf5, 6, false},
		{parallel("subfiling", subfiling{SubfilingFiles: new(9)}), phdf5, 11, false},
	} {
		s, _, err := c.s.Complete(c.run)
		if n := s.MaxFileCount(1000, 4); n != c.want || s.HasOtherFileNames() != c.other || err != nil {
			t.Errorf("%+v: %d files, other names %t, %v", s, n, s.HasOtherFileNames(), err)
		}
	}
}

func TestFilling(t *testing.T) {
	for _, c := range []struct {
		s       settings
		chunked bool
		want    bool
	}{
		{settings{}, false, false},
		{settings{}, true, true},
		{settings{Driver: "mpiposix"}, true, false},
		{settings{FillTime: "never"}, true, false},
		{settings{FillTime: "alloc"}, false, true},
	} {
		if got := c.s.WritesFillValues(c.chunked); got != c.want {
			t.Errorf("%+v, chunked %t: %t", c.s, c.chunked, got)
		}
	}
}

func TestVariablesThatOverruleSettingsAreRefused(t *testing.T) {
	lookup := func(name string) (string, bool) { return "1", name == "H5FD_SUBFILING_STRIPE_SIZE" }
	want := "H5FD_SUBFILING_STRIPE_SIZE=1 would override the settings of the run: unset it, and use --subfiling-stripe"
	if err := (settings{Driver: "subfiling"}).CheckEnvironment(lookup); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := (settings{Driver: "mpio"}).CheckEnvironment(lookup); err != nil {
		t.Errorf("without subfiling: %v", err)
	}
	lookup = func(name string) (string, bool) { return "FALSE", name == "HDF5_USE_FILE_LOCKING" }
	want = "HDF5_USE_FILE_LOCKING=FALSE would override --with file-locking=on: unset it"
	if err := (settings{FileLocking: "on"}).CheckEnvironment(lookup); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := (settings{Driver: "subfiling"}).CheckEnvironment(lookup); err != nil {
		t.Errorf("without the setting: %v", err)
	}
}

func TestWords(t *testing.T) {
	want := "mpio mpiposix subfiling sec2 stdio core split multi family direct"
	if got := option.DriverMPIO.Values(); !slices.Equal(got, strings.Fields(want)) {
		t.Errorf("drivers %v", got)
	}
}

// A setting is refused if the run has nothing on which it has an effect, or if the library does not have it.
func TestSettingsWithoutEffectAreRefused(t *testing.T) {
	lacking := option.HDF5Library{
		Version: "1.10.8", Libvers: []option.Libver{"earliest", "v18", "v110", "latest"},
		MissingSettings: map[string]string{"selection-io": "HDF5 1.14.1 or newer", "evict-on-close": "a serial HDF5"},
	}
	collective := option.TransferFacts{Collective: true}
	both := option.TransferFacts{Collective: true, Chunked: true}
	alone := option.TransferFacts{OwnFiles: true}
	paged := settings{PageBytes: bytes(4096), PageBufferBytes: bytes(8192)}
	for _, c := range []struct {
		s    settings
		run  run
		want string // "": no error
	}{
		{settings{EvictOnClose: new(true)}, phdf5, "--evict-on-close on needs h5perf serial: HDF5 cannot use it for"},
		{settings{EvictOnClose: new(true)}, onefor, ""},
		{
			settings{EvictOnClose: new(true)},
			run{Serial: true, UsesHDF5: true, Library: lacking},
			"--evict-on-close on: HDF5 1.10.8, as it was built, does not have this setting: use a serial HDF5",
		},
		{
			settings{SelectionIO: "on"},
			run{UsesHDF5: true, Library: lacking},
			"--with selection-io=on: HDF5 1.10.8, as it was built, does not have this setting: use HDF5 1.14.1 or",
		},
		{settings{SelectionIO: "on"}, run{Library: lacking}, ""}, // HDF5 is not measured
		{settings{SelectionIO: "default"}, run{UsesHDF5: true, Library: lacking}, ""},
		{settings{ChunkIO: "link"}, run{Transfers: both}, ""},
		{settings{ChunkIO: "link"}, run{Transfers: collective}, "--with chunk-io=link needs datasets in chunks (-c): "},
		{settings{ChunkIO: "multi"}, chunkedRun(), "--with chunk-io=multi needs collective transfers (-C): "},
		{
			settings{ChunkCacheBytes: bytes(1)},
			run{Workload: true},
			"--chunk-cache 1 needs datasets in chunks (--layout given-chunked-independent, or chunks in the script): ",
		},
		{
			settings{ChunkIO: "link"},
			run{Workload: true, Transfers: collective},
			"--with chunk-io=link needs datasets in chunks (--layout given-chunked-collective, or chunks in the " +
				"script): ",
		},
		{
			settings{ChunkIO: "link"},
			run{Workload: true},
			"--with chunk-io=link needs collective transfers (--layout given-chunked-collective, or collective " +
				"transfers in the script): ",
		},
		{
			settings{CollectiveIO: "individual"},
			run{Workload: true},
			"--with collective-io=individual needs collective transfers (--layout given-contiguous-collective, or ",
		},
		{
			settings{CollectiveIO: "individual"},
			run{Workload: true, Transfers: option.TransferFacts{Chunked: true}},
			"--with collective-io=individual needs collective transfers (--layout given-chunked-collective, or ",
		},
		{
			settings{FileLocking: "off"},
			run{Workload: true},
			"--with file-locking=off needs files that one process opens alone (alone = True in the script): ",
		},
		{
			settings{ConversionBufferBytes: bytes(4096)},
			run{Workload: true},
			"--with conversion-buffer=4K needs transfers that convert elements: ",
		},
		{settings{CollectiveIO: "individual"}, phdf5, "--with collective-io=individual needs collective transfers"},
		{settings{CollectiveIO: "individual"}, run{Transfers: collective}, ""},
		{settings{ConversionBufferBytes: bytes(4096)}, phdf5, "--with conversion-buffer=4K needs transfers"},
		{settings{ConversionBufferBytes: bytes(4096)}, run{Transfers: option.TransferFacts{Converting: true}}, ""},
		{settings{FileLocking: "off"}, phdf5, "--with file-locking=off needs files that one process opens alone"},
		{settings{FileLocking: "off"}, run{Transfers: alone}, ""},
		{
			settings{AllocationTime: "late", Driver: "mpiposix"},
			phdf5,
			"-m with --with allocation-time: the MPI-POSIX driver allocates datasets when they are created",
		},
		{settings{AllocationTime: "late"}, phdf5, "--with allocation-time=late: in a file that several processes open"},
		{settings{AllocationTime: "early"}, phdf5, ""},
		{settings{AllocationTime: "late"}, onefor, ""},
		{settings{AllocationTime: "late"}, run{Transfers: alone}, ""},
		{settings{AllocationTime: "late"}, run{Transfers: option.TransferFacts{Filtered: true}}, ""},
		{settings{LibverHigh: "v114"}, run{UsesHDF5: true, Library: lacking}, "--with libver-high=v114: HDF5 1.10.8"},
		{settings{LibverHigh: "earliest"}, phdf5, `--with libver-high=earliest: "earliest" must be one of v18, v110`},
		{settings{LibverHigh: "v18", Libver: "v110"}, phdf5, "--libver v110 with --with libver-high=v18: the lowest"},
		{settings{LibverHigh: "v110", Libver: "v110"}, phdf5, ""},
		{settings{MetadataCacheBytes: bytes(1023)}, phdf5, "--with metadata-cache=1023: must be 1K to 128M"},
		{paged, onefor, ""},
		{paged, phdf5, "--with page-buffer=8K needs h5perf serial: HDF5 has no page buffer for a file that several"},
		{settings{PageBufferBytes: bytes(8192)}, onefor, "--with page-buffer=8K needs --paged-allocation: HDF5"},
		{
			settings{PageBytes: bytes(8192), PageBufferBytes: bytes(4096)},
			onefor,
			"--with page-buffer=4K with --paged-allocation 8K: the buffer must hold at least one page",
		},
		{
			settings{PageBytes: bytes(8192), SmallDataBlockBytes: bytes(4096)},
			onefor,
			"--paged-allocation 8K with --with small-data-block: HDF5 places small datasets in pages",
		},
	} {
		_, _, err := c.s.Complete(c.run)
		if _, is := errors.AsType[*usage.Error](err); is != (c.want != "") ||
			is && !strings.HasPrefix(err.Error(), c.want) || !is && err != nil {
			t.Errorf("%+v, %+v: %v, want %q", c.s, c.run, err, c.want)
		}
	}
	if used, _, err := (settings{EvictOnClose: new(false)}).Complete(phdf5); err != nil || used.EvictOnClose != nil {
		t.Errorf("off: %v, %v", used.EvictOnClose, err)
	}
}

func chunkedRun() run { return run{Transfers: option.TransferFacts{Chunked: true}} }
