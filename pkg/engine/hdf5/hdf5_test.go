//go:build cgo

package hdf5_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

// prepared holds an engine prepared for a pattern, with a buffer for each transfer.
type prepared struct {
	t       *testing.T
	spec    enginetest.Spec
	session *enginetest.Session
}

// prepare prepares the engine for body. change may change the spec; nil changes nothing.
func prepare(t *testing.T, world mpi.Comm, p pattern.ParallelPattern, change func(*enginetest.Spec),
	body func(*prepared),
) {
	t.Helper()
	withSpec(t, newSpec(t, world, p, change), body)
}

// withSpec prepares the engine, calls body, and then releases everything.
func withSpec(t *testing.T, spec enginetest.Spec, body func(*prepared)) {
	t.Helper()
	defer func() { must(t, engine.UnmapMemory(spec.Buffer.Pool)) }()
	session, err := enginetest.Prepare(hdf5.New(), spec)
	must(t, err)
	defer func() { must(t, session.Close()) }()
	body(&prepared{t, spec, session})
}

func newSpec(t *testing.T, world mpi.Comm, p pattern.ParallelPattern, change func(*enginetest.Spec)) enginetest.Spec {
	t.Helper()
	p.Processes = uint64(world.Size())
	spec, err := enginetest.NewSpec(world, p.Sequence(uint64(world.Rank())), p.BlockSize, 0)
	must(t, err)
	if change != nil {
		change(&spec)
	}
	return spec
}

// inFile opens a file, calls body, and closes the file.
func (p *prepared) inFile(path string, op workload.Op, body func(*enginetest.File)) {
	p.t.Helper()
	file, err := p.session.Open(path, op)
	must(p.t, err)
	defer func() { must(p.t, file.Close()) }()
	body(file)
}

// write writes a file with datasets. content returns the byte at a position (place) in a transfer of this process.
func (p *prepared) write(path string, content func(dataset int, transfer, place uint64) byte) {
	p.t.Helper()
	p.inFile(path, workload.Write, func(file *enginetest.File) {
		for k := range p.spec.Datasets {
			for n := range p.spec.Sequence.NumTransfers() {
				slot := p.spec.Buffer.Slot(n)
				for i := range slot {
					slot[i] = content(k, n, uint64(i))
				}
			}
			must(p.t, p.transfer(file, k))
		}
	})
}

// content returns a function for write that makes the bytes of a rank. In a small pattern, bytes at different positions
// differ.
func content(rank uint64) func(dataset int, transfer, place uint64) byte {
	return func(dataset int, transfer, place uint64) byte {
		return byte(rank*131 + uint64(dataset)*61 + transfer*37 + place*7 + 1)
	}
}

// transfer does all transfers of a dataset, without stamps.
func (p *prepared) transfer(file *enginetest.File, k int) error {
	set, err := file.Dataset(k, 0, false)
	if err != nil {
		return err
	}
	return errors.Join(set.Transfer(p.spec.Sequence.NumTransfers()), set.Close())
}

// dump returns the data of a dataset, as h5dump exports them.
func dump(t *testing.T, path, dataset string, options ...string) []byte {
	t.Helper()
	raw := filepath.Join(t.TempDir(), "raw")
	cmd := exec.Command("h5dump", append(options, "-d", "/"+dataset, "-b", "LE", "-o", raw, filepath.Base(path))...)
	cmd.Dir = filepath.Dir(path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	data, err := os.ReadFile(raw)
	must(t, err)
	return data
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
