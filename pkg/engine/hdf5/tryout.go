//go:build cgo

package hdf5

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/h5"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// trial is a small dataset that is written and read to try out the library.
type trial struct {
	object     workload.Object
	collective bool
}

// The dataset of a trial has about mostTried bytes, and its chunks at least leastTried elements, if those of the
// program have as many: the most that a filter takes together (a block of szip).
const (
	mostTried  = 64 << 10
	leastTried = 32
)

// TryOut returns an error if the library cannot read back what it writes with the filters of a dataset of the program.
// For each kind of filtered dataset, it writes and reads a small file at path, with the file driver and the mode of the
// program, but alone: a call that fails in a file that all processes have open leaves the others waiting in theirs.
//
// The file driver matters. Where a filter does not make a chunk smaller, HDF5 stores the chunk as it was, and notes
// that. The collective writes of HDF5 1.10 lose that note, and reads then decode what was never encoded.
func (api) TryOut(env engine.Env, program workload.Program, path string) error {
	env.HDF5.Driver = cmp.Or(env.HDF5.Driver, option.MPIO)
	if checkEnv(&env) != nil || check(&env, &program) != nil {
		return nil // Prepare returns this error
	}
	var done []trial
	for step := range program.Parts[workload.Write].Steps() {
		if step.Class != workload.Transfer {
			continue
		}
		for i := range step.Moves() {
			m := &program.Moves[i]
			o := &program.Objects[m.Object]
			if len(o.Filters) == 0 {
				continue
			}
			t := trial{object: smallLike(o, program.Files[o.File].Group), collective: m.Collective}
			if slices.ContainsFunc(done, func(d trial) bool { return reflect.DeepEqual(d, t) }) {
				continue
			}
			done = append(done, t)
			if err := t.run(env, path); err != nil {
				return fmt.Errorf("dataset %s of type %v with %s: %w: HDF5 %s cannot read back what it wrote in a try "+
					"with %d bytes: %w; give the dataset other filters, or none", o.NameOf(step.First), o.Type,
					named(o.Filters), engine.ErrUnsupported, h5.Version(), t.object.Bytes(), err)
			}
		}
	}
	return nil
}

// named returns the names of filters in words.
func named(all []workload.Filter) string {
	text := "the filter "
	if len(all) > 1 {
		text = "the filters "
	}
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
	}
	return text + strings.Join(names, ", ")
}

// smallLike returns a dataset like another one with chunks as large, or smaller. There are as many chunks as mostTried
// allows: the values of some compress better than those of others. The file of the other dataset belongs to a group of
// processes.
func smallLike(o *workload.Object, group workload.Group) workload.Object {
	p := workload.Object{
		Kind: workload.DatasetObject, Parent: workload.NoParent, Each: 1, Count: 1, Name: "tried",
		Type: o.Type, Filters: o.Filters, Ratio: o.Ratio, Fill: o.Fill,
	}
	if group != workload.All {
		p.File = 1
	}
	rest := max(mostTried/o.Type.Bytes(), leastTried)
	p.Chunk = make([]uint64, len(o.Chunk))
	for d := len(o.Chunk) - 1; d >= 0; d-- {
		p.Chunk[d] = max(1, min(o.Chunk[d], rest))
		rest /= p.Chunk[d]
	}
	p.Dims = slices.Clone(p.Chunk)
	p.Dims[0] *= max(1, mostTried/p.ChunkSize())
	return p
}

// run writes the dataset to a new file and reads it back.
func (t trial) run(env engine.Env, path string) (err error) {
	o := t.object
	env.Comm = env.Comm.Alone()
	defer env.Comm.Free()
	all, err := pattern.Everything(o.Dims, o.Type.Bytes())
	if err != nil {
		return err
	}
	pool, err := engine.Map(o.Bytes())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Unmap(pool)) }()
	program := workload.Program{
		Files:   []workload.File{{Bytes: o.Bytes()}, {Bytes: o.Bytes(), Group: workload.Self}},
		Objects: []workload.Object{o},
		Moves: []workload.Move{{
			Listed: true, Selection: all, Plain: all, Collective: t.collective,
			Buffer: workload.Buffer{Pool: pool, Slots: 1, SlotBytes: o.Bytes(), Grain: fill.Grain(o.Bytes())},
		}},
	}
	s, err := newSession(env, program)
	if err != nil {
		return err
	}
	defer func() {
		s.Abandon()
		err = errors.Join(err, s.Close(), remove(env, s.Names(path)))
	}()
	written := triedBytes(&o)
	for _, op := range []workload.Op{workload.Write, workload.Read} {
		if op == workload.Write {
			copy(pool, written)
		} else {
			fill.Poison(pool)
		}
		if err := s.doAll(op, o.File, path); err != nil {
			return err
		}
	}
	for i, b := range written {
		if pool[i] != b {
			return fmt.Errorf("byte %d is not the one that was written", i)
		}
	}
	return nil
}

// triedBytes returns the data of a trial. Where a library decodes with szip what was never encoded, it takes the first
// 4 bytes of the chunk for the number of bytes that it decodes, which takes a minute if that is a large one. So the
// higher 2 of them are 0, both as they are and after a shuffle, which moves the first bytes of elements to the front.
func triedBytes(o *workload.Object) []byte {
	data := make([]byte, o.Bytes())
	values := o.Values(1)
	values.Fill(data, 0)
	element := o.Type.Bytes()
	for chunk := range slices.Chunk(data, int(o.ChunkSize())) {
		for _, at := range []uint64{2, 3, 2 * element, 3 * element} {
			if at < uint64(len(chunk)) {
				chunk[at] = 0
			}
		}
	}
	return data
}

// doAll writes or reads the only dataset of the file at path.
func (s *session) doAll(op workload.Op, file int, path string) error {
	begin := workload.Create
	if op == workload.Read {
		begin = workload.Open
	}
	for _, class := range []workload.Class{
		workload.FileOpen, begin, workload.Select, workload.Transfer, workload.ObjectClose, workload.FileClose,
	} {
		b := workload.Batch{
			Class: class, Op: op, File: file, Path: path, Count: 1, Times: 1, Whole: true, Move: workload.NoMove,
		}
		if class == workload.Select || class == workload.Transfer {
			b.Move = 0
		}
		if err := s.Do(&b); err != nil {
			if e, is := errors.AsType[*engine.Error](err); is {
				return fmt.Errorf("%s: %w", e.Call, e.Err)
			}
			return err
		}
	}
	return nil
}

// remove removes the files of a trial, as far as they are there.
func remove(env engine.Env, names []string) (err error) {
	for _, name := range names {
		if e := env.Remove(name); e != nil && !errors.Is(e, unix.ENOENT) {
			err = errors.Join(err, e)
		}
	}
	return err
}
