// Package enginetest tests that an engine does what package engine demands.
package enginetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// Options describe an engine to the suite.
type Options struct {
	// Plain states that a file holds the bytes of the datasets, one after another, and nothing else.
	Plain bool
	// Listed states that the engine does listed moves, batches of several datasets, and several files at once.
	Listed bool
	// Single states that the engine refuses programs with calls for several datasets.
	Single bool
	// Dir is the directory of the files; "" is a new one in memory, where a sync takes no time.
	Dir string
	// Variants are the settings with which each pattern is tested. If there are none, it is tested once without
	// changes.
	Variants []Variant
}

// Variant is a set of settings of an engine.
type Variant struct {
	Name string
	// ChunkEmulation stores the dataset as a sequence of chunks in a plain file.
	ChunkEmulation bool
	// Set changes the spec of a pattern. It reports whether the variant applies to the pattern. nil changes nothing.
	Set func(p pattern.ParallelPattern, s *Spec) bool
	// Dataset changes a family of datasets of listed moves. nil changes nothing.
	Dataset func(o *workload.Object)
	// Calls returns the number of data calls of one transfer; nil: one for each run.
	Calls func(s Spec) uint64
}

// grace is how long a process that failed waits for the others, which may be in a long call.
const grace = time.Minute

// Run runs the suite on all processes of world, on the calling goroutine, as MPI and HDF5 require. Collective.
func Run(t *testing.T, world mpi.Comm, newEngine func() engine.Engine, o Options) {
	t.Helper()
	if len(o.Variants) == 0 {
		o.Variants = []Variant{{Name: "plain"}}
	}
	if o.Dir == "" {
		o.Dir = inMemory(t, world)
	}
	s := &suite{world: world, newEngine: newEngine, dir: o.Dir, plain: o.Plain, together: !o.Single}
	s.run(t, rows, o.Variants)
	if o.Listed {
		s.run(t, listedRows, o.Variants)
	}
}

// RunListed runs only the part of the suite that Options.Listed adds.
func RunListed(t *testing.T, world mpi.Comm, newEngine func() engine.Engine, o Options) {
	t.Helper()
	s := &suite{world: world, newEngine: newEngine, dir: inMemory(t, world), plain: o.Plain, together: !o.Single}
	s.run(t, listedRows, o.Variants)
}

// run runs rows of the suite.
func (s *suite) run(t *testing.T, rows []row, variants []Variant) {
	t.Helper()
	for _, row := range rows {
		for _, v := range variants {
			for _, p := range row.patterns(uint64(s.world.Size())) {
				s.variant, s.pattern, s.timed, s.single = v, p, false, false
				err := s.agree(row.run(s))
				if s.world.Rank() == 0 { // the others wait for it before they make the next file
					err = errors.Join(err, s.remove())
				}
				if err != nil {
					t.Errorf("%s (%s, %+v): rank %d: %v", row.name, v.Name, p, s.world.Rank(), err)
				}
			}
		}
	}
}

// inMemory returns a new directory in memory that all processes of world share. It is removed at the end of the test.
// Where there is no /dev/shm, it is a temporary directory. Collective.
func inMemory(t *testing.T, world mpi.Comm) string {
	t.Helper()
	var dir string
	if world.Rank() == 0 {
		var err error
		if dir, err = os.MkdirTemp("/dev/shm", "h5perf-test"); err != nil { //nolint:usetesting // in memory
			dir = t.TempDir()
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	return string(world.Bcast([]byte(dir), 0))
}

// row is a sentence of the contract, with the patterns for which it is tested.
type row struct {
	name     string
	patterns func(processes uint64) []pattern.ParallelPattern
	run      func(*suite) error
}

// rows are the sentences of the contract.
var rows = []row{
	{"what is written is read back", everyPattern, writtenIsReadBack},
	{"batches in pieces do what one batch does", everyPattern, batchesInPieces},
	{"a loop that stamps needs no more than two buffers", everyPattern, fewBuffers},
	{"reads go into one buffer, when asked", everyPattern, readsIntoOneBuffer},
	{"a plain file holds the runs at their offsets", everyPattern, runsAtTheirOffsets},
	{"progress and account count transfers, bytes and calls", everyPattern, progressCounts},
	{"each data call is timed once, when asked", everyPattern, callsAreTimed},
	{"a file opened for writing starts empty", onePattern, startsEmpty},
	{"a set stop flag ends the loop", onePattern, stopEndsTheLoop},
	{"a file in a missing directory cannot be created", onePattern, missingDirectory},
	{"a missing file cannot be read", onePattern, missingFile},
	{"a truncated file cannot be read", onePattern, truncatedFile},
	{"a transfer allocates no Go memory", manyTransfers, noAllocations},
}

// listedRows are those of listed moves, and of batches of several datasets. What these move, chunks do not change.
var listedRows = []row{
	{"a listed transfer moves what it selects between its memory and the file", onePattern, listedTransfers},
	{"a dataset without elements takes no data", onePattern, noElements},
	{"moves of a batch are transferred together", onePattern, movesTogether},
	{"several files are open at once, also those of one process, and can be changed", onePattern, ownFiles},
	{"processes open a file in turn, or one alone", onePattern, filesInTurn},
	{"what plain files do not have is done at once", onePattern, nothingToDo},
	{"each data call of a listed transfer is timed once", onePattern, listedCallsAreTimed},
	{"a set stop flag ends a batch", onePattern, stopEndsTheBatch},
	{"a listed transfer beyond the end of a file fails", onePattern, truncatedList},
	{"a process that cannot open its own file fails alone", onePattern, oneCannotOpen},
	{"a batch allocates no Go memory", onePattern, batchesDoNotAllocate},
}

// everyPattern returns patterns in 1D and 2D, contiguous and interleaved, with blocks around the sizes of stamps and
// grains.
func everyPattern(n uint64) []pattern.ParallelPattern {
	var all []pattern.ParallelPattern
	for _, interleaved := range []bool{false, true} {
		for _, p := range []pattern.ParallelPattern{
			{BytesPerProcess: 8, TransferSize: 4, BlockSize: 2},
			{BytesPerProcess: 60, TransferSize: 20, BlockSize: 10},
			{BytesPerProcess: 480, TransferSize: 96, BlockSize: 48},
			{BytesPerProcess: 3 * 4100, TransferSize: 4100, BlockSize: 4100},
			{BytesPerProcess: 1 << 15, TransferSize: 1 << 14, BlockSize: 1 << 13},
			{BytesPerProcess: 4, TransferSize: 2 * n, BlockSize: 2, TwoD: true},
			{BytesPerProcess: 4, TransferSize: 4, BlockSize: 4, TwoD: true},
			{BytesPerProcess: 96, TransferSize: 96, BlockSize: 48, TwoD: true},
			{BytesPerProcess: 64, TransferSize: 64 * n, BlockSize: 32, TwoD: true},
		} {
			p.Processes, p.Interleaved = n, interleaved
			all = append(all, p)
		}
	}
	return all
}

// onePattern returns a pattern of one transfer: if that is collective and fails on some processes, no other process
// waits for them in a next one.
func onePattern(n uint64) []pattern.ParallelPattern {
	return []pattern.ParallelPattern{{Processes: n, BytesPerProcess: 4096, TransferSize: 4096, BlockSize: 1024}}
}

// manyTransfers returns a pattern with the transfers that noAllocations needs.
func manyTransfers(n uint64) []pattern.ParallelPattern {
	return []pattern.ParallelPattern{
		{
			Processes: n, BytesPerProcess: 128 * (allocationRuns + 1), TransferSize: 128, BlockSize: 64,
			Interleaved: true,
		},
	}
}

// suite is the state of the suite at one row, variant and pattern.
type suite struct {
	world     mpi.Comm
	newEngine func() engine.Engine
	dir       string
	plain     bool
	together  bool // the engine transfers several datasets in one call
	variant   Variant
	pattern   pattern.ParallelPattern
	timed     bool // data calls are timed
	single    bool // all reads use one buffer
	files     int  // number of paths so far
}

// remove removes the files so far.
func (s *suite) remove() error {
	files, err := filepath.Glob(filepath.Join(s.dir, "file*"))
	for _, f := range files {
		err = errors.Join(err, os.Remove(f))
	}
	return err
}

// agree returns an error on all processes if any of them passes one. Collective.
func (s *suite) agree(err error) error {
	code := 0
	if err != nil {
		code = 1
	}
	highest, rank, lost := s.world.Agree(code, nil, grace, mpi.Awake)
	switch {
	case err != nil || lost != nil:
		return errors.Join(err, lost)
	case highest > 0:
		return fmt.Errorf("rank %d failed", rank)
	default:
		return nil
	}
}

// expectFailure returns an error if no process passes one: what must fail on at least one of them. Collective.
func (s *suite) expectFailure(err error, what string) error {
	if s.agree(err) == nil {
		return fmt.Errorf("%s succeeded", what)
	}
	return nil
}
