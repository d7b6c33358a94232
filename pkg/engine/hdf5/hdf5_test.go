//go:build cgo

package hdf5_test

import (
	"errors"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/enginetest"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
)

// prepared is the engine prepared for a pattern, with a buffer for each transfer.
type prepared struct {
	t       *testing.T
	spec    engine.Spec
	session engine.Session
}

// prepare prepares the engine for body. change may change the spec; nil changes nothing.
func prepare(t *testing.T, world mpi.Comm, p pattern.Parallel, change func(*engine.Spec), body func(*prepared)) {
	t.Helper()
	spec := newSpec(t, world, p, change)
	defer func() { must(t, engine.Unmap(spec.Buffer.Pool)) }()
	session, err := hdf5.New().Prepare(spec)
	must(t, err)
	defer func() { must(t, session.Close()) }()
	body(&prepared{t, spec, session})
}

func newSpec(t *testing.T, world mpi.Comm, p pattern.Parallel, change func(*engine.Spec)) engine.Spec {
	t.Helper()
	p.Processes = uint64(world.Size())
	spec, err := enginetest.Spec(world, p.Sequence(uint64(world.Rank())), p.Block, 0)
	must(t, err)
	if change != nil {
		change(&spec)
	}
	return spec
}

// inFile opens a file for body and closes it.
func (p *prepared) inFile(path string, op engine.Op, body func(engine.File)) {
	p.t.Helper()
	file, err := p.session.Open(path, op)
	must(p.t, err)
	defer func() { must(p.t, file.Close()) }()
	body(file)
}

// transfer does all transfers of a dataset, without stamps.
func (p *prepared) transfer(file engine.File, k int) error {
	set, err := file.Dataset(k, 0, false)
	if err != nil {
		return err
	}
	return errors.Join(set.Transfer(p.spec.Sequence.Transfers()), set.Close())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
