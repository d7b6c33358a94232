//go:build cgo && !nompi

package hdf5_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/mpi"
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
