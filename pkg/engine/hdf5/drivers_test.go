//go:build cgo

package hdf5_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

// layout lists the files that make up the data file data_1.h5 with a driver, and says how h5dump reads them.
type layout struct {
	files  []string
	dumped string // the name for h5dump
	option string
}

var (
	oneFile = layout{files: []string{"data_1.h5"}, dumped: "data_1.h5"}
	layouts = map[option.Driver]layout{
		"sec2": oneFile, "stdio": oneFile, "core": oneFile, "direct": oneFile,
		"split": {[]string{"data_1-m.h5", "data_1-r.h5"}, "data_1", "--filedriver=split"},
		"multi": {
			[]string{"data_1-s.h5", "data_1-b.h5", "data_1-r.h5", "data_1-g.h5", "data_1-l.h5", "data_1-o.h5"},
			"data_1", "--filedriver=multi",
		},
		"family": {
			[]string{"data_1-00000.h5", "data_1-00001.h5", "data_1-00002.h5"},
			"data_1-%05d.h5", "--filedriver=family",
		},
	}
)

// large is a pattern whose data and metadata need three member files of the driver family.
var large = pattern.ParallelPattern{BytesPerProcess: 2 << 20, BlockSize: 1 << 18, TransferSize: 1 << 18}

// A run does not change foreign files, lists its own files, and removes them all. The path looks like a printf format.
func TestFilesOfDrivers(t *testing.T) {
	lockThread(t)
	want := make([]byte, 0, large.BytesPerProcess)
	for n := range large.BytesPerProcess / large.TransferSize {
		for i := range large.TransferSize {
			want = append(want, content(0)(0, n, i))
		}
	}
	for _, driver := range drivers(t) {
		base := filepath.Join(t.TempDir(), "100% of %s%n %05d")
		must(t, os.Mkdir(base, 0o700))
		l := layouts[driver]
		for _, name := range append(l.files, "data_1.h5") {
			must(t, os.WriteFile(filepath.Join(base, name), []byte("foreign"), 0o600))
		}
		d, err := rundir.NewDir(base, false, "1-"+string(driver))
		must(t, err)
		held, err := d.Make()
		must(t, err)
		path := filepath.Join(d.Path, "data_1.h5")
		prepare(t, mpi.Self{}, large, using(driver), func(e *prepared) {
			if got := e.session.Report().Driver; got != string(driver) {
				t.Errorf("driver %s in effect, want %s", got, driver)
			}
			e.write(path, content(0))
			checkFiles(t, e, path, l.files)
			for i := range e.spec.Buffer.Pool {
				e.spec.Buffer.Pool[i] = 0
			}
			e.inFile(path, workload.Read, func(f *enginetest.File) { must(t, e.transfer(f, 0)) })
			if !bytes.Equal(e.spec.Buffer.Pool, want) {
				t.Errorf("%s: other data are read than were written", driver)
			}
		})
		got := dump(t, filepath.Join(d.Path, l.dumped), "Dataset_1", strings.Fields(l.option)...)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: h5dump finds other data", driver)
		}
		must(t, errors.Join(held.Clean(false), held.Close()))
		entries, err := os.ReadDir(base)
		must(t, err)
		for _, e := range entries {
			if data, err := os.ReadFile(filepath.Join(base, e.Name())); err != nil || string(data) != "foreign" {
				t.Errorf("%s: %s is left, or was changed: %v", driver, e.Name(), err)
			}
		}
		foreign := len(slices.Compact(slices.Sorted(slices.Values(append(l.files, "data_1.h5")))))
		if len(entries) != foreign {
			t.Errorf("%s: %d files of others are left of %d", driver, len(entries), foreign)
		}
	}
}

// checkFiles compares the files that a session names with the wanted files and with the files that exist.
func checkFiles(t *testing.T, e *prepared, path string, want []string) {
	t.Helper()
	files, err := e.spec.FileSizes(path, e.session.FileNames(path))
	must(t, err)
	var names []string
	var sum uint64
	for _, f := range files {
		names = append(names, f.Name)
		sum += f.Bytes
		info, err := os.Stat(filepath.Join(filepath.Dir(path), f.Name))
		if err != nil || uint64(info.Size()) != f.Bytes {
			t.Errorf("%s: %+v is there as %v, %v", e.spec.HDF5.Driver, f, info, err)
		}
	}
	there, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if !slices.Equal(names, want) || len(there) != len(names) {
		t.Errorf("%s: files %v, want %v; there are %v", e.spec.HDF5.Driver, names, want, there)
	}
	if least, _ := e.session.FileBytes(0); sum < least {
		t.Errorf("%s: %d bytes in files, want at least %d", e.spec.HDF5.Driver, sum, least)
	}
}

func TestMetadataInOneFileOfMulti(t *testing.T) {
	lockThread(t)
	metadata := func(s *enginetest.Spec) { s.HDF5.DriverSettings.MultiMap = "metadata" }
	prepare(t, mpi.Self{}, large, using("multi", metadata), func(e *prepared) {
		path := filepath.Join(t.TempDir(), "data_1.h5")
		e.write(path, content(0))
		checkFiles(t, e, path, []string{"data_1-s.h5", "data_1-r.h5"})
		e.inFile(path, workload.Read, func(f *enginetest.File) { must(t, e.transfer(f, 0)) })
	})
}

func TestCoreWithoutBackingStoreMakesNoFile(t *testing.T) {
	lockThread(t)
	memory := func(s *enginetest.Spec) { s.HDF5.DriverSettings.CoreBackingStore = new(false) }
	prepare(t, mpi.Self{}, large, using("core", memory), func(e *prepared) {
		path := filepath.Join(t.TempDir(), "data_1.h5")
		e.inFile(path, workload.Write, func(f *enginetest.File) {
			must(t, e.transfer(f, 0))
			must(t, f.Sync())
		})
		checkFiles(t, e, path, nil)
		if least, exact := e.session.FileBytes(0); least != 0 || !exact {
			t.Errorf("FileBytes %d, %v without a file", least, exact)
		}
	})
}

func TestFamilyMembersHaveTheSizeAskedFor(t *testing.T) {
	lockThread(t)
	small := func(s *enginetest.Spec) { s.HDF5.DriverSettings.FamilyMemberBytes = new(uint64(100 << 10)) }
	prepare(t, mpi.Self{}, large, using("family", small), func(e *prepared) {
		path := filepath.Join(t.TempDir(), "data_1.h5")
		e.write(path, content(0))
		files, err := e.spec.FileSizes(path, e.session.FileNames(path))
		must(t, err)
		if len(files) != 21 || files[0].Bytes != 100<<10 || files[19].Bytes != 100<<10 {
			t.Errorf("members %v", files)
		}
	})
}

// Objects are aligned within each file. The sizes of the datasets are not multiples of the alignment, so that unaligned
// objects are noticed.
func TestAlignmentOfDrivers(t *testing.T) {
	lockThread(t)
	p := pattern.ParallelPattern{BytesPerProcess: 5000, BlockSize: 5000, TransferSize: 5000}
	second := make([]byte, p.BytesPerProcess)
	for i := range second {
		second[i] = content(0)(1, 0, uint64(i))
	}
	for _, driver := range drivers(t) {
		for _, align := range []uint64{1, 4096} {
			change := func(s *enginetest.Spec) { s.HDF5.AlignmentBytes, s.Datasets = &align, 2 }
			prepare(t, mpi.Self{}, p, using(driver, change), func(e *prepared) {
				path := filepath.Join(t.TempDir(), "data_1.h5")
				e.write(path, content(0))
				files, err := e.spec.FileSizes(path, e.session.FileNames(path))
				must(t, err)
				at := -1
				for i := 0; i < len(files) && at < 0; i++ {
					data, err := os.ReadFile(filepath.Join(filepath.Dir(path), files[i].Name))
					must(t, err)
					at = bytes.Index(data, second)
				}
				if at < 0 || (at%4096 == 0) != (align == 4096) {
					t.Errorf("%s, alignment %d: the second dataset begins at %d of its file", driver, align, at)
				}
			})
		}
	}
}

// If the library has the driver direct, files are open with O_DIRECT. Otherwise Prepare refuses the case.
func TestDirectIsDirectOrRefused(t *testing.T) {
	lockThread(t)
	if !hasDirect(t) {
		spec := newSpec(t, mpi.Self{}, large, using("direct"))
		_, err := enginetest.Prepare(hdf5.New(), spec)
		must(t, engine.UnmapMemory(spec.Buffer.Pool))
		if !errors.Is(err, engine.ErrUnsupported) || !errors.Is(err, h5.ErrNotInLibrary) ||
			!strings.Contains(err.Error(), "--enable-direct-vfd") {
			t.Errorf("%v, want the reason and the way out", err)
		}
		return
	}
	prepare(t, mpi.Self{}, large, using("direct"), func(e *prepared) {
		path := filepath.Join(t.TempDir(), "data_1.h5")
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			e.inFile(path, op, func(f *enginetest.File) {
				must(t, e.transfer(f, 0))
				if flags := openFlags(t, path); flags&unix.O_DIRECT == 0 {
					t.Errorf("%s: %s is open with flags %#o", op, path, flags)
				}
			})
		}
	})
}

func openFlags(t *testing.T, path string) (flags int) {
	t.Helper()
	descriptors, err := filepath.Glob("/proc/self/fd/*")
	must(t, err)
	for _, d := range descriptors {
		if target, err := os.Readlink(d); err != nil || target != path {
			continue
		}
		info, err := os.ReadFile("/proc/self/fdinfo/" + filepath.Base(d))
		must(t, err)
		_, after, _ := strings.Cut(string(info), "flags:")
		_, err = fmt.Sscanf(after, "%o", &flags)
		must(t, err)
		return flags
	}
	t.Fatalf("%s is not open", path)
	return 0
}

// two is a communicator that says that it has two processes.
type twoProcesses struct{ mpi.Self }

func (twoProcesses) Size() int { return 2 }

func TestPrepareRefusesWhatDriversCannotDo(t *testing.T) {
	lockThread(t)
	for _, c := range []struct {
		driver option.Driver
		change func(*enginetest.Spec)
		reason string
	}{
		{"sec2", func(s *enginetest.Spec) { s.Comm = twoProcesses{} }, "several processes"},
		{"sec2", func(s *enginetest.Spec) { s.Collective = true }, "collective"},
		{"sec2", func(s *enginetest.Spec) { s.Extendible = true }, "chunked storage only"},
		{"sec2", func(s *enginetest.Spec) { s.Chunk = []uint64{3 << 20} }, "not larger than"},
		{"log", func(*enginetest.Spec) {}, "file driver log"},
		{"multi", func(s *enginetest.Spec) { s.HDF5.DriverSettings.MultiMap = "none" }, `multi map "none"`},
	} {
		spec := newSpec(t, mpi.Self{}, large, using(c.driver, c.change))
		_, err := enginetest.Prepare(hdf5.New(), spec)
		must(t, engine.UnmapMemory(spec.Buffer.Pool))
		if !errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want %q", c.driver, err, c.reason)
		}
	}
}

// HDF5 1.10.8 would overflow a buffer on its stack with such names.
func TestNamesThatMultiAndSplitCannotHold(t *testing.T) {
	lockThread(t)
	for _, driver := range []option.Driver{"split", "multi"} {
		prepare(t, mpi.Self{}, large, using(driver), func(e *prepared) {
			_, err := e.session.Open("/"+strings.Repeat("x/", 600)+"data_1.h5", workload.Write)
			if !errors.Is(err, engine.ErrUnsupported) {
				t.Errorf("%s: %v", driver, err)
			}
		})
	}
}
