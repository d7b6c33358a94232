//go:build cgo

package hdf5_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/h5test"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

var fewTransfers = pattern.ParallelPattern{BytesPerProcess: 4 << 10, BlockSize: 1 << 10, TransferSize: 1 << 10}

// byName returns a function that applies settings of the form option=value.
func applySettings(t *testing.T, settings ...string) func(*enginetest.Spec) {
	return func(s *enginetest.Spec) {
		t.Helper()
		for _, setting := range settings {
			name, value, _ := strings.Cut(setting, "=")
			for _, row := range option.AllHDF5Settings() {
				if row.Name == name {
					must(t, row.SetValue(&s.HDF5, value))
				}
			}
		}
	}
}

// libraryDefaults returns the settings of a file for which no setting is requested.
func libraryDefaults() h5test.Settings {
	earliest, latest := h5test.Bounds()
	if slices.Contains(hdf5.Library().Libvers, option.LibverV114) && latest > earliest+4 { // HDF5 2.0
		earliest++
	}
	return h5test.Settings{
		Threshold: 1, Alignment: 1, MetaBlock: 2048, SmallDataBlock: 2048, Cache: 2 << 20, Low: earliest, High: latest,
		Evictions: true, Resizing: true,
	}
}

// settingsCases lists requested settings, the resulting settings of the file, what the session reports (told), and what
// h5dump prints.
var settingsCases = []struct {
	settings []string
	change   func(*h5test.Settings)
	told     string
	dump     string
}{
	{nil, func(*h5test.Settings) {}, "", ""},
	{
		[]string{"align=64K", "threshold=1K", "meta-block-size=128K"},
		func(s *h5test.Settings) { s.Alignment, s.Threshold, s.MetaBlock = 64<<10, 1<<10, 128<<10 },
		"align=65536 threshold=1024 meta-block-size=131072", "",
	},
	{
		[]string{"small-data-block=64K"},
		func(s *h5test.Settings) { s.SmallDataBlock = 64 << 10 }, "small-data-block=65536", "",
	},
	{
		[]string{"metadata-cache=64K"},
		func(s *h5test.Settings) { s.Cache = 64 << 10 }, "metadata-cache=65536", "",
	},
	{
		[]string{"metadata-cache=64M", "defer-metadata=on"},
		func(s *h5test.Settings) { s.Cache, s.Evictions, s.Resizing = 64<<20, false, false },
		"defer-metadata=on metadata-cache=67108864", "",
	},
	{[]string{"libver-high=v18"}, func(s *h5test.Settings) { s.High = 1 }, "libver-high=v18", ""},
	{
		[]string{"libver=v18", "libver-high=v18"},
		func(s *h5test.Settings) { s.Low, s.High = 1, 1 }, "libver=v18 libver-high=v18", "SUPERBLOCK_VERSION 2",
	},
	{
		[]string{"defer-metadata=on"},
		func(s *h5test.Settings) { s.Evictions, s.Resizing = false, false },
		"defer-metadata=on", "",
	},
	{
		[]string{"libver=earliest"},
		func(s *h5test.Settings) { s.Low, _ = h5test.Bounds() },
		"libver=earliest", "SUPERBLOCK_VERSION 0",
	},
	{[]string{"libver=v18"}, func(s *h5test.Settings) { s.Low = 1 }, "libver=v18", "SUPERBLOCK_VERSION 2"},
	{[]string{"libver=v110"}, func(s *h5test.Settings) { s.Low = 2 }, "libver=v110", "SUPERBLOCK_VERSION 3"},
	{
		[]string{"paged-allocation=8K"},
		func(s *h5test.Settings) { s.Page = 8 << 10 }, "paged-allocation=8192",
		"FILE_SPACE_STRATEGY H5F_FSPACE_STRATEGY_PAGE FREE_SPACE_PERSIST FALSE FREE_SPACE_SECTION_THRESHOLD 1 " +
			"FILE_SPACE_PAGE_SIZE 8192",
	},
}

// checkSettings checks the settings of a file while it is written, and the settings that the session reports.
func checkSettings(
	t *testing.T, world mpi.Comm, path string, base func(*enginetest.Spec), settings []string, want h5test.Settings,
	told string,
) {
	t.Helper()
	prepare(t, world, fewTransfers, func(s *enginetest.Spec) {
		base(s)
		applySettings(t, settings...)(s)
		s.DataMayBeZeros = true
	}, func(e *prepared) {
		e.inFile(path, workload.Write, func(f *enginetest.File) {
			got, err := h5test.OfFile()
			must(t, err)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%v: %s", settings, d)
			}
			must(t, e.transfer(f, 0))
		})
		e.inFile(path, workload.Read, func(f *enginetest.File) { must(t, e.transfer(f, 0)) })
		if got := texts(e.session.Report().Settings); got != told {
			t.Errorf("%v: the session says %q, want %q", settings, got, told)
		}
	})
}

func texts(settings []units.KeyValue) string {
	var all []string
	for _, s := range settings {
		all = append(all, s.Key+"="+s.Value)
	}
	return strings.Join(all, " ")
}

func TestFilesHaveTheSettingsThatWereAskedFor(t *testing.T) {
	lockThread(t)
	for _, c := range settingsCases {
		want := libraryDefaults()
		c.change(&want)
		path := filepath.Join(t.TempDir(), "data_1.h5")
		checkSettings(t, mpi.Self{}, path, using("sec2"), c.settings, want, c.told)
		if got := printed(t, path, "h5dump", "-B", "-H"); !strings.Contains(got, c.dump) {
			t.Errorf("%v: h5dump has no %q: %s", c.settings, c.dump, got)
		}
	}
}

// A file that was created without a setting does not have it. A run that requests the setting gets an error.
func TestAFileWithoutASettingIsAnError(t *testing.T) {
	lockThread(t)
	path := filepath.Join(t.TempDir(), "data_1.h5")
	prepare(t, mpi.Self{}, fewTransfers, using("sec2"), func(e *prepared) {
		e.inFile(path, workload.Write, func(f *enginetest.File) { must(t, e.transfer(f, 0)) })
	})
	prepare(t, mpi.Self{}, fewTransfers, using("sec2", applySettings(t, "paged-allocation=8K")), func(e *prepared) {
		_, err := e.session.Open(path, workload.Read)
		if err == nil || !strings.Contains(err.Error(), "--paged-allocation 8K was asked for, but the file has 0") {
			t.Errorf("error %v", err)
		}
		if n := h5test.OpenObjects(); n != 0 {
			t.Errorf("%d objects are open", n)
		}
	})
}

// The data of the first small dataset take a whole block, and the metadata of the second one follow it.
func TestSmallDatasetsAreInTheBlockThatWasAskedFor(t *testing.T) {
	lockThread(t)
	sizes := map[string]int64{}
	for _, block := range []string{"2K", "256K"} {
		change := using("sec2", applySettings(t, "small-data-block="+block, "meta-block-size=0"),
			func(s *enginetest.Spec) { s.Datasets, s.DataMayBeZeros = 2, true })
		prepare(t, mpi.Self{}, fewTransfers, change, func(e *prepared) {
			path := filepath.Join(t.TempDir(), "data_1.h5")
			e.inFile(path, workload.Write, func(f *enginetest.File) {
				must(t, e.transfer(f, 0))
				must(t, e.transfer(f, 1))
			})
			file, err := os.Stat(path)
			must(t, err)
			sizes[block] = file.Size()
		})
	}
	if sizes["2K"] > 32<<10 || sizes["256K"] < 256<<10 {
		t.Errorf("size of the file by the size of a block: %v", sizes)
	}
}

// h5dump shows when the storage of a dataset was allocated.
func TestDatasetsAreAllocatedWhenAskedFor(t *testing.T) {
	lockThread(t)
	for _, chunk := range [][]uint64{nil, {512}} {
		for word, dump := range map[string]string{"early": "EARLY", "late": "LATE", "incremental": "INCR"} {
			path := filepath.Join(t.TempDir(), "data_1.h5")
			base := using("sec2", func(s *enginetest.Spec) { s.Chunk = chunk })
			checkSettings(t, mpi.Self{}, path, base, []string{"allocation-time=" + word}, libraryDefaults(),
				"allocation-time="+word)
			want := "ALLOC_TIME_" + dump
			if got := printed(t, path, "h5dump", "-p", "-H"); !strings.Contains(got, want) {
				t.Errorf("allocation-time=%s: h5dump has no %s: %s", word, want, got)
			}
		}
	}
}

// Another lock of a file cannot be got while HDF5 has it locked.
func TestFilesAreLockedWhenAskedFor(t *testing.T) {
	lockThread(t)
	for word, locked := range map[string]bool{"on": true, "best-effort": true, "off": false} {
		prepare(t, mpi.Self{}, fewTransfers, using("sec2", applySettings(t, "file-locking="+word)), func(e *prepared) {
			path := filepath.Join(t.TempDir(), "data_1.h5")
			e.inFile(path, workload.Write, func(f *enginetest.File) {
				must(t, e.transfer(f, 0))
				other, err := os.Open(path)
				must(t, err)
				defer func() { must(t, other.Close()) }()
				err = unix.Flock(int(other.Fd()), unix.LOCK_EX|unix.LOCK_NB)
				if (err != nil) != locked {
					t.Errorf("file-locking=%s: another lock: %v", word, err)
				}
			})
		})
	}
}

// A library without a setting refuses it before there is a file.
func TestSettingsThatTheLibraryLacksAreRefused(t *testing.T) {
	lockThread(t)
	for _, setting := range []string{"evict-on-close=on", "page-buffer=65536", "selection-io=off"} {
		spec := newSpec(t, mpi.Self{}, fewTransfers,
			using("sec2", applySettings(t, setting, "paged-allocation=8K")))
		spec.DataMayBeZeros = true
		name, _, _ := strings.Cut(setting, "=")
		if _, lacks := hdf5.Library().MissingSettings[name]; !lacks {
			withSpec(t, spec, func(e *prepared) {
				path := filepath.Join(t.TempDir(), "data_1.h5")
				e.inFile(path, workload.Write, func(f *enginetest.File) { must(t, e.transfer(f, 0)) })
				got := texts(e.session.Report().Settings)
				if name != "evict-on-close" && !strings.Contains(got, setting) { // which HDF5 does not tell
					t.Errorf("the session says %q, not %s", got, setting)
				}
			})
			continue
		}
		_, err := hdf5.New().Prepare(spec.Env, spec.Program())
		if !errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), "--") {
			t.Errorf("%s: %v", setting, err)
		}
		must(t, engine.UnmapMemory(spec.Buffer.Pool))
	}
}

// HDF5 converts as many elements at a time as fit in the buffer.
func TestConversionsUseTheBufferThatWasAskedFor(t *testing.T) {
	lockThread(t)
	const elements = 4096
	pair := workload.Type{Class: workload.Compound, Size: 8, Members: []workload.Member{
		{Name: "a", Type: workload.Type{Class: workload.Signed, Size: 4}},
		{Name: "b", Type: workload.Type{Class: workload.Signed, Size: 4}},
	}}
	calls := map[string]int{}
	for _, size := range []string{"1K", "64K"} {
		spec := newSpec(t, mpi.Self{}, pattern.ParallelPattern{
			BytesPerProcess: 8 * elements, BlockSize: 8 * elements, TransferSize: 8 * elements,
		}, using("sec2", applySettings(t, "conversion-buffer="+size, "sieve-buffer=0")))
		program := spec.Program()
		o := &program.Objects[0]
		o.Type, o.Dims = pair, []uint64{elements}
		all, err := pattern.SelectEverything(o.Dims, pair.Bytes())
		must(t, err)
		program.Moves[0] = workload.Move{
			Listed: true, Selection: all, PlainSelection: all, Member: "a",
			Form:   pattern.MemoryArrangement{Kind: pattern.Dense},
			Buffer: workload.Buffer{Pool: spec.Buffer.Pool, Slots: 1, SlotBytes: 8 * elements, Grain: 4},
		}
		s, err := hdf5.New().Prepare(spec.Env, program)
		must(t, err)
		b := workload.Batch{
			Op: workload.Write, Path: filepath.Join(t.TempDir(), "x.h5"), Count: 1, Move: workload.NoMove,
			NumTransfers: 1,
		}
		for _, b.Class = range []workload.StepClass{
			workload.FileOpen, workload.Create, workload.Select, workload.Transfer, workload.ObjectClose,
			workload.FileClose,
		} {
			one, before := b, numCalls(t)
			if b.Class == workload.Select || b.Class == workload.Transfer {
				one.Move, one.BeginsAndEnds = 0, true
			}
			must(t, s.Do(&one))
			if b.Class == workload.Transfer {
				calls[size] = numCalls(t) - before
			}
		}
		want := map[string]string{"1K": "1024", "64K": "65536"}[size]
		if told := texts(s.Report().Settings); told != "sieve-buffer=0 conversion-buffer="+want {
			t.Errorf("the session says %q", told)
		}
		must(t, s.Close())
		must(t, engine.UnmapMemory(spec.Buffer.Pool))
	}
	if calls["1K"] < 10*calls["64K"] || calls["64K"] == 0 {
		t.Errorf("system calls by the size of the buffer: %v", calls)
	}
}

// numCalls returns the number of system calls that read or write which this process has made.
func numCalls(t *testing.T) (all int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	must(t, err)
	for line := range strings.Lines(string(text)) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name != "syscr" && name != "syscw" {
			continue
		}
		n, err := strconv.Atoi(number)
		must(t, err)
		all += n
	}
	return all
}
