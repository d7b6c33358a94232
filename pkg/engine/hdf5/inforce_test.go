//go:build cgo

package hdf5_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		Threshold: 1, Alignment: 1, MetaBlock: 2048, Low: earliest, High: latest, Evictions: true, Resizing: true,
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
		if err == nil || !strings.Contains(err.Error(), "--paged-allocation 8192 was asked for, but the file has 0") {
			t.Errorf("error %v", err)
		}
		if n := h5test.OpenObjects(); n != 0 {
			t.Errorf("%d objects are open", n)
		}
	})
}
