//go:build cgo

package hdf5

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/h5"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// trialDataset is a small dataset that a test of the library writes and reads.
type trialDataset struct {
	object     workload.Object
	collective bool
	inParts    bool // a part of each chunk is written first, and the rest after the file is closed and opened again
	again      bool // everything is written again, after the file is closed and opened again
}

// The dataset of a trial has about maxTrialBytes bytes. One whose filters are timed has more: filters process whole
// chunks, and a small chunk takes longer for each byte. Chunks have at least minTrialElements elements, if the chunks
// of the program have that many. This is the largest number of elements that a filter processes together (a block of
// szip).
const (
	maxTrialBytes    = 64 << 10
	maxTimedBytes    = 2 << 20
	maxTimedChunks   = 256 // a chunk of a few bytes takes as long as one of some KiB
	minTrialElements = 32
)

// TryOut returns an error if the library cannot read back data that it writes with the filters of a dataset of the
// program. For each kind of filtered dataset, it writes and reads a small file at path, with the file driver and the
// mode of the program. Only this process opens the file: in a file that all processes have open, a failed call on one
// process leaves the others waiting.
//
// The file driver matters. If a filter does not make a chunk smaller, HDF5 stores the chunk unfiltered, and marks it as
// unfiltered. Collective writes of HDF5 1.10 lose that mark, so that reads decode a chunk that was never encoded.
//
// With all drivers, HDF5 up to 2.1 at least keeps the old mark if a chunk is written again and has the same size in the
// file as before. That happens if processes write parts of a chunk one after another: one process stores the chunk
// filtered, with the same size as unfiltered, and the next process stores it unfiltered. So if the program writes
// chunks more than once, the test writes chunks in parts, unless the compression ratio makes sure that the filters make
// each part smaller.
func (hdf5Engine) TestWrites(env engine.Env, program workload.Program, path string) error {
	env.HDF5.Driver = cmp.Or(env.HDF5.Driver, option.DriverMPIO)
	if refused := checkEnv(&env) != nil || checkProgram(&env, &program) != nil; refused {
		return nil // Prepare returns this error
	}
	again := familiesWithRewrittenChunks(&program, func(file int) bool {
		return env.HDF5.Driver.IsParallel() && program.Files[file].Group == workload.All
	})
	return eachFilteredWrite(&program, maxTrialBytes, func(t trialDataset, m *workload.Move, name string) error {
		o := &program.Objects[m.Object]
		trials := []trialDataset{t}
		if again[m.Object] && (o.CompressionRatio == 0 || o.ChunkBytes() < fill.MaxRatio) {
			trials = append(trials, t.withPartialChunkWrites())
		}
		for _, t := range trials {
			if _, err := t.writeAndReadBack(env, path); err != nil {
				return fmt.Errorf("dataset %s of type %v with %s: %w: HDF5 %s cannot read back what it wrote in "+
					"a try with %d bytes%s: %w; give the dataset other filters, or none%s", name, o.Type,
					filterNamesText(o.Filters), engine.ErrUnsupported, h5.Version(), t.object.Bytes(), t.partsText(),
					err, t.adviceText())
			}
		}
		return nil
	})
}

// eachFilteredWrite calls a function for each different kind of dataset with filters that the program writes. t is a
// dataset like it, with about maxBytes bytes, m its first write, and name its name.
func eachFilteredWrite(
	program *workload.Program, maxBytes uint64, try func(t trialDataset, m *workload.Move, name string) error,
) error {
	var done []trialDataset
	for step := range program.Parts[workload.Write].Steps() {
		if step.Class != workload.Transfer {
			continue
		}
		for i := range step.Moves() {
			m := &program.Moves[i]
			o := &program.Objects[m.Object]
			if len(o.Filters) == 0 || o.Type.IsVariable() { // filters then work on references
				continue
			}
			t := trialDataset{
				object:     smallDatasetLike(o, program.Files[o.File].Group, maxBytes),
				collective: m.Collective,
			}
			if slices.ContainsFunc(done, func(d trialDataset) bool { return reflect.DeepEqual(d, t) }) {
				continue
			}
			done = append(done, t)
			if err := try(t, m, o.NameOf(step.First)); err != nil {
				return err
			}
		}
	}
	return nil
}

// timedTries is how often each dataset is written and read while its filters are timed. The shortest time counts.
const timedTries = 3

// TimeFilters measures the filters of each kind of dataset that the program writes. It writes and reads a small file in
// memory, with filters and without. The file is at path while it is closed.
func (hdf5Engine) TimeFilters(env engine.Env, program workload.Program, path string) ([]engine.FilterTime, error) {
	increment, onDisk := uint64(maxTimedBytes), true
	env.HDF5 = option.HDF5{Driver: option.DriverCore, DriverSettings: &option.DriverSettings{
		SerialSettings: option.SerialSettings{CoreIncrementBytes: &increment, CoreBackingStore: &onDisk},
	}}
	var all []engine.FilterTime
	err := eachFilteredWrite(&program, maxTimedBytes, func(t trialDataset, _ *workload.Move, name string) error {
		// The second write finds the memory of the file in use already. Using new memory takes as long as a filter.
		t.collective, t.object.File, t.again = false, 0, true
		t.object.Dims[0] = min(t.object.Dims[0], maxTimedChunks*t.object.Chunk[0])
		one := engine.FilterTime{
			Dataset: name, Filters: filterNames(t.object.Filters), Bytes: t.object.Bytes(),
		}
		if slices.ContainsFunc(all, func(f engine.FilterTime) bool {
			return f.Dataset == one.Dataset && slices.Equal(f.Filters, one.Filters)
		}) {
			return nil
		}
		for try := range timedTries {
			for _, filters := range [][]workload.Filter{t.object.Filters, nil} {
				plain := t
				plain.object.Filters = filters
				took, err := plain.writeAndReadBack(env, path)
				if err != nil {
					return fmt.Errorf("dataset %s, filters in memory: %w", name, err)
				}
				with := &one.With
				if filters == nil {
					with = &one.Without
				}
				for op := range with {
					if try == 0 || took[op] < with[op] {
						with[op] = took[op]
					}
				}
			}
		}
		all = append(all, one)
		return nil
	})
	return all, err
}

// filterNamesText returns the names of filters for an error message.
func filterNamesText(all []workload.Filter) string {
	text := "the filter "
	if len(all) > 1 {
		text = "the filters "
	}
	return text + strings.Join(filterNames(all), ", ")
}

func filterNames(all []workload.Filter) (names []string) {
	for _, f := range all {
		name := f.Name
		if name == "" {
			name = fmt.Sprint("number ", f.Number)
		}
		names = append(names, name)
	}
	return names
}

// smallDatasetLike returns a small dataset with the type, filters and values of o. Its chunks are not larger than those
// of o. It has as many chunks as maxBytes allows, because some chunks compress better than others. group tells which
// processes open the file of o.
func smallDatasetLike(o *workload.Object, group workload.RankGroup, maxBytes uint64) workload.Object {
	p := workload.Object{
		Kind: workload.DatasetObject, Parent: workload.NoParent, PerGroup: 1, Count: 1, Name: "tried",
		Type: o.Type, Filters: o.Filters, CompressionRatio: o.CompressionRatio, ValueKind: o.ValueKind, Fill: o.Fill,
	}
	if group != workload.All {
		p.File = 1
	}
	rest := max(maxBytes/o.Type.Bytes(), minTrialElements)
	p.Chunk = make([]uint64, len(o.Chunk))
	for d := len(o.Chunk) - 1; d >= 0; d-- {
		p.Chunk[d] = max(1, min(o.Chunk[d], rest))
		rest /= p.Chunk[d]
	}
	p.Dims = slices.Clone(p.Chunk)
	p.Dims[0] *= max(1, maxBytes/p.ChunkBytes())
	return p
}

// withPartialChunkWrites returns a second test, which writes each chunk in parts. HDF5 fails if a filtered chunk
// happens to have the same size as an unfiltered chunk. The test has its own type, chunks and blocks, with which this
// is certain to happen in some chunks.
func (t *trialDataset) withPartialChunkWrites() trialDataset {
	p := trialDataset{object: t.object, collective: t.collective, inParts: true}
	o := &p.object
	o.Type, o.CompressionRatio, o.Chunk, o.Dims = workload.Byte, 0, []uint64{16}, []uint64{16 * 256}
	o.Filters = slices.Clone(o.Filters)
	for i := range o.Filters {
		if f := &o.Filters[i]; f.Name == "szip" {
			f.Level = 2
		}
	}
	return p
}

// partsText returns the part of an error message that says how the test writes its chunks; "" if it writes the whole
// dataset at once.
func (t *trialDataset) partsText() string {
	if !t.inParts {
		return ""
	}
	return ", first a part of each chunk and then, in a file opened again, the rest"
}

// adviceText returns the part of an error message that says what else the user can do, besides choosing other filters.
func (t *trialDataset) adviceText() string {
	if !t.inParts {
		return ""
	}
	return ", or let each chunk be written once, and whole"
}

// selections returns the selections that the test writes, one after another. If it writes chunks in parts, the first
// parts have all possible sizes.
func (t *trialDataset) selections() ([]pattern.Selection, error) {
	o := &t.object
	if !t.inParts {
		all, err := pattern.SelectEverything(o.Dims, o.Type.Bytes())
		if t.again {
			return []pattern.Selection{all, all}, err
		}
		return []pattern.Selection{all}, err
	}
	var parts [2]struct{ start, extent []uint64 }
	for at := uint64(0); at < o.Dims[0]; at += o.Chunk[0] {
		n := 1 + at/o.Chunk[0]%(o.Chunk[0]-1)
		for i, box := range [2][2]uint64{{at, n}, {at + n, o.Chunk[0] - n}} {
			parts[i].start, parts[i].extent = append(parts[i].start, box[0]), append(parts[i].extent, box[1])
		}
	}
	first, err := pattern.SelectBoxes(o.Dims, o.Type.Bytes(), parts[0].start, parts[0].extent)
	if err != nil {
		return nil, err
	}
	rest, err := pattern.SelectBoxes(o.Dims, o.Type.Bytes(), parts[1].start, parts[1].extent)
	return []pattern.Selection{first, rest}, err
}

// writeAndReadBack writes the dataset to a new file and reads it back. It returns the processor times of the last write
// and of the read, without those of opening and closing the file.
func (t *trialDataset) writeAndReadBack(env engine.Env, path string) (took [2]time.Duration, err error) {
	o := t.object
	env.Comm = env.Comm.SplitSelf()
	defer env.Comm.Free()
	parts, err := t.selections()
	if err != nil {
		return took, err
	}
	whole, err := pattern.SelectEverything(o.Dims, o.Type.Bytes())
	if err != nil {
		return took, err
	}
	pool, err := engine.MapMemory(o.Bytes())
	if err != nil {
		return took, err
	}
	defer func() { err = errors.Join(err, engine.UnmapMemory(pool)) }()
	program := workload.Program{
		Files:   []workload.File{{Bytes: o.Bytes()}, {Bytes: o.Bytes(), Group: workload.Self}},
		Objects: []workload.Object{o},
	}
	for _, part := range append(parts, whole) {
		program.Moves = append(program.Moves, workload.Move{
			Listed: true, Selection: part, PlainSelection: part, Collective: t.collective,
			Buffer: workload.Buffer{
				Pool: pool, Slots: 1, SlotBytes: part.Bytes(),
				Grain: fill.StampDistance(part.Bytes()),
			},
		})
	}
	s, err := newSession(env, program)
	if err != nil {
		return took, err
	}
	defer func() {
		s.CloseAfterError()
		err = errors.Join(err, s.Close(), removeFiles(env, s.FileNames(path)))
	}()
	written := trialData(&o)
	for move, part := range parts {
		at := 0
		for from, n := range part.Runs() {
			at += copy(pool[at:], written[from:from+n])
		}
		if took[workload.Write], err = s.writeOrReadFile(workload.Write, o.File, move, path); err != nil {
			return took, err
		}
	}
	fill.Poison(pool)
	if took[workload.Read], err = s.writeOrReadFile(workload.Read, o.File, len(parts), path); err != nil {
		return took, err
	}
	for i, b := range written {
		if pool[i] != b {
			return took, fmt.Errorf("byte %d is not the one that was written", i)
		}
	}
	return took, nil
}

// trialData returns the data of a trial. If a library decodes a chunk with szip that was never encoded, it takes the
// first 4 bytes of the chunk as the number of bytes to decode. A large number takes a minute. So the higher 2 of these
// bytes are 0, both in the data and after a shuffle, which moves the first bytes of elements to the front.
func trialData(o *workload.Object) []byte {
	data := make([]byte, o.Bytes())
	values := o.Values(1)
	values.Fill(data, 0)
	element := o.Type.Bytes()
	for chunk := range slices.Chunk(data, int(o.ChunkBytes())) {
		for _, at := range []uint64{2, 3, 2 * element, 3 * element} {
			if at < uint64(len(chunk)) {
				chunk[at] = 0
			}
		}
	}
	return data
}

// writeOrReadFile writes or reads the only dataset of the file at path with a move. The first move creates the file. It
// returns the processor time that this took, without that of opening and closing the file.
func (s *session) writeOrReadFile(op workload.Op, file, move int, path string) (took time.Duration, err error) {
	begin := workload.Create
	if move > 0 {
		begin = workload.Open
	}
	for _, class := range []workload.StepClass{
		workload.FileOpen, begin, workload.Select, workload.Transfer, workload.ObjectClose, workload.FileClose,
	} {
		b := workload.Batch{
			Class: class, Op: op, File: file, Path: path, Existing: op == workload.Write && move > 0,
			Count: 1, NumTransfers: 1, BeginsAndEnds: true, Move: workload.NoMove,
		}
		if class == workload.Select || class == workload.Transfer {
			b.Move = move
		}
		began := processorTime()
		if err := s.Do(&b); err != nil {
			if e, is := errors.AsType[*engine.CallError](err); is {
				return took, fmt.Errorf("%s: %w", e.Call, e.Err)
			}
			return took, err
		}
		if class != workload.FileOpen && class != workload.FileClose {
			took += processorTime() - began
		}
	}
	return took, nil
}

// processorTime returns the processor time of all threads of this process.
func processorTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) // it fails only for unknown clocks
	return time.Duration(t.Nano())
}

// removeFiles removes the files of a trial. It ignores files that do not exist.
func removeFiles(env engine.Env, names []string) (err error) {
	for _, name := range names {
		if e := env.RemoveFile(name); e != nil && !errors.Is(e, unix.ENOENT) {
			err = errors.Join(err, e)
		}
	}
	return err
}
