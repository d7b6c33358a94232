//go:build cgo && !nompi && nightly

package mpiio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// Blocks have more bytes than an int can count in MPI, and are no multiples of a MiB. The test needs twice their size
// of memory.
func TestLargeBlocks(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		processes int
		block     uint64
	}{{2, 3*gib + 8}, {1, 5*gib + 8}} {
		for _, mode := range []struct {
			collective bool
			view       option.ViewChoice
		}{{false, ""}, {true, option.ViewAuto}, {true, option.ViewTransfer}} {
			t.Run(fmt.Sprintf("%d-%v-%v", c.block, mode.collective, mode.view), func(t *testing.T) {
				mpitest.Parallel(t, c.processes, func(t *testing.T, world mpi.Comm) {
					l := layout{p: pattern.ParallelPattern{
						Processes: uint64(c.processes), BytesPerProcess: c.block, TransferSize: c.block,
						BlockSize:   c.block,
						Interleaved: true,
					}}
					spec := l.spec(t, world)
					spec.Collective, spec.MPIIO.View = mode.collective, mode.view
					if err := large(spec, filepath.Join(mpitest.Dir(t, world), "file")); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// large writes a file, checks it at offsets around the limits of int, and reads it.
func large(spec enginetest.Spec, path string) error {
	s, err := enginetest.Prepare(New(), spec)
	if err != nil {
		return err
	}
	pool, start := spec.Buffer.Pool, spec.Nest.Base
	word := func(i uint64) uint64 { return (start + i) * 0x9e3779b97f4a7c15 }
	for i := uint64(0); i < uint64(len(pool)); i += 8 {
		binary.NativeEndian.PutUint64(pool[i:], word(i))
	}
	if _, err := access(s, spec, path, workload.Write); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	for _, at := range []uint64{0, 1<<31 - 8, 1 << 31, 1<<32 - 8, 1 << 32, uint64(len(pool)) - 8} {
		if at >= uint64(len(pool)) {
			continue
		}
		got := make([]byte, 8)
		if _, err := f.ReadAt(got, int64(start+at)); err != nil {
			return err
		}
		if !bytes.Equal(got, pool[at:at+8]) {
			return fmt.Errorf("at %d of the buffer: %x in the file, want %x", at, got, pool[at:at+8])
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	clear(pool)
	if _, err := access(s, spec, path, workload.Read); err != nil {
		return err
	}
	for i := uint64(0); i < uint64(len(pool)); i += 8 {
		if got := binary.NativeEndian.Uint64(pool[i:]); got != word(i) {
			return fmt.Errorf("at %d of the buffer: %x was read, want %x", i, got, word(i))
		}
	}
	return s.Close()
}
