//go:build cgo && !nompi

package hdf5_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/h5test"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// Files of several processes have the same settings as files of one process. Their metadata operations can be
// collective, even if independent transfers look up chunks.
func testSettings(t *testing.T, world mpi.Comm) {
	cases := slices.Clone(settingsCases)
	for _, words := range []string{"writes", "reads", "both"} {
		c := settingsCases[0]
		c.settings, c.told = []string{"collective-metadata=" + words}, "collective-metadata="+words
		c.change = func(s *h5test.Settings) { s.Writes, s.Reads = words != "reads", words != "writes" }
		cases = append(cases, c)
	}
	for _, c := range cases {
		want := libraryDefaults()
		c.change(&want)
		for _, a := range []access{{}, {chunk: 512}, {chunk: 512, collective: true}} {
			checkSettings(t, world, filepath.Join(mpitest.Dir(t, world), "x.h5"), a.set, c.settings, want, c.told)
		}
	}
}

// Metadata operations are not collective in a file that each process opens alone: other processes do not take part.
func testMetadataOfOwnFilesAreNotCollective(t *testing.T, world mpi.Comm) {
	spec := newSpec(t, world, small,
		applySettings(t, "collective-metadata=both", "defer-metadata=on", "meta-block-size=64K"))
	defer func() { must(t, engine.UnmapMemory(spec.Buffer.Pool)) }()
	program := spec.Program()
	program.Files[0].Group = workload.Self
	made, err := hdf5.New().Prepare(spec.Env, program)
	must(t, err)
	session := &enginetest.Session{Session: made}
	defer func() { must(t, session.Close()) }()
	dir := mpitest.Dir(t, world)
	if world.Rank() == 0 { // the other process opens nothing
		f, err := session.Open(filepath.Join(dir, "own.h5"), workload.Write)
		must(t, err)
		got, err := h5test.OfFile()
		must(t, err)
		want := libraryDefaults()
		want.MetaBlock, want.Evictions, want.Resizing = 64<<10, false, false
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		must(t, f.Close())
		if told := texts(session.Report().Settings); told != "meta-block-size=65536 defer-metadata=on" {
			t.Errorf("the session says %q", told)
		}
	}
}

// HDF5 tells how it moved chunks.
func testChunksAreMovedAsAskedFor(t *testing.T, world mpi.Comm) {
	// In the same order on all processes. HDF5 1.14.5 links the chunks of some processes even if multi is asked for:
	// then the transfer is an error, because the setting is not in force.
	words := [][2]string{
		{"chunk-io=link", "H5D_MPIO_LINK_CHUNK"},
		{"link-threshold=1", "H5D_MPIO_LINK_CHUNK"},
		{"chunk-io=multi", "H5D_MPIO_MULTI_CHUNK"},
		{"link-threshold=1000", "H5D_MPIO_MULTI_CHUNK"},
	}
	if h5.VersionAtLeast(1, 14, 0) {
		words = words[:2]
	}
	for _, c := range words {
		setting, mode := c[0], c[1]
		change := func(s *enginetest.Spec) {
			access{chunk: 512, collective: true}.set(s)
			applySettings(t, setting)(s)
			s.DataMayBeZeros = true
		}
		prepare(t, world, fewTransfers, change, func(e *prepared) {
			path := filepath.Join(mpitest.Dir(t, world), "x.h5")
			for _, op := range []workload.Op{workload.Write, workload.Read} {
				e.inFile(path, op, func(f *enginetest.File) { must(t, e.transfer(f, 0)) })
			}
			got := e.session.Report()
			if strings.HasPrefix(setting, "chunk-io") && texts(got.Settings) != setting {
				t.Errorf("%s: the session says %q", setting, texts(got.Settings))
			}
			for op, did := range got.Collective {
				if !slices.Equal(did.ChunkOptimizations, []string{mode}) {
					t.Errorf("%s, %v: the session says %+v", setting, workload.Op(op), did)
				}
			}
		})
	}
}

// A chunk in which few processes have data is transferred independently.
func testChunksOfFewAreTransferredIndependently(t *testing.T, world mpi.Comm) {
	if h5.VersionAtLeast(1, 14, 0) { // see testChunksAreMovedAsAskedFor
		return
	}
	for percent, collective := range map[string]uint64{"0": 4, "100": 0} {
		change := func(s *enginetest.Spec) {
			access{chunk: 512, collective: true}.set(s)
			applySettings(t, "chunk-io=multi", "multi-percent="+percent)(s)
			s.DataMayBeZeros = true
		}
		prepare(t, world, fewTransfers, change, func(e *prepared) {
			e.inFile(filepath.Join(mpitest.Dir(t, world), "x.h5"), workload.Write, func(f *enginetest.File) {
				must(t, e.transfer(f, 0))
			})
			if got := e.session.Report().Collective[workload.Write]; got.Collective+got.Mixed != collective {
				t.Errorf("multi-percent=%s: %+v", percent, got)
			}
		})
	}
}

// A collective transfer that MPI-IO executes for each process alone makes many more system calls than one that it
// executes for all processes together.
func TestCollectiveTransfersAreExecutedAsAskedFor(t *testing.T) {
	// the component that Open MPI chooses here never puts data of processes together
	t.Setenv("OMPI_MCA_fcoll", "vulcan")
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		p := pattern.ParallelPattern{
			BytesPerProcess: 4 << 20, BlockSize: 4 << 10, TransferSize: 4 << 20, Interleaved: true,
		}
		calls := map[string]int{}
		for _, word := range []string{"collective", "individual"} {
			change := func(s *enginetest.Spec) {
				access{collective: true}.set(s)
				applySettings(t, "collective-io="+word)(s)
			}
			prepare(t, world, p, change, func(e *prepared) {
				e.inFile(filepath.Join(mpitest.Dir(t, world), "x.h5"), workload.Write, func(f *enginetest.File) {
					before := numCalls(t)
					must(t, e.transfer(f, 0))
					calls[word] = numCalls(t) - before
				})
			})
		}
		if calls["individual"] < 4*calls["collective"] || calls["individual"] == 0 {
			t.Errorf("rank %d: %v system calls", world.Rank(), calls)
		}
	})
}

// HDF5 allocates datasets of a file that several processes open when they are created.
func testLateAllocationOfSharedFilesIsRefused(t *testing.T, world mpi.Comm) {
	for word, taken := range map[string]bool{"early": true, "late": false, "incremental": false} {
		spec := newSpec(t, world, fewTransfers, applySettings(t, "allocation-time="+word))
		session, err := hdf5.New().Prepare(spec.Env, spec.Program())
		if (err == nil) != taken || err != nil && !errors.Is(err, engine.ErrUnsupported) {
			t.Errorf("allocation-time=%s: %v", word, err)
		}
		if err == nil {
			must(t, session.Close())
		}
		must(t, engine.UnmapMemory(spec.Buffer.Pool))
	}
}
