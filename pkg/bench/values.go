package bench

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/workload"
)

// workloadData makes the data that the moves of a workload write, and compares the data that they read. Its methods are
// called only while no clock measures. The data depend on their offset in the dataset, on the run and on the iteration,
// but not on the process that writes them.
type workloadData struct {
	program   *workload.Program
	run       string
	iteration int
	wrong     uint64   // bytes that differ
	zeros     uint64   // of these, bytes in fields that are all 0
	places    []string // descriptions of the first differences
}

// mapMoveMemory maps memory for all moves of a program, and assigns each move its part. Free the memory with
// engine.UnmapMemory.
func mapMoveMemory(p *workload.Program) ([]byte, error) {
	starts, slots, bytes := p.PlaceBuffers()
	pool, err := engine.MapMemory(bytes)
	if err != nil {
		return nil, err
	}
	for i := range p.Moves {
		b := &p.Moves[i].Buffer
		b.Slots = slots[i]
		end := starts[i] + b.Slots*b.SlotBytes
		b.Pool = pool[starts[i]:end:end]
	}
	return pool, nil
}

// datasetValues returns the expected data of a dataset, which are the same on all processes.
func (v *workloadData) datasetValues(object int, member uint64) fill.FieldValues {
	object = v.program.FirstNames(object)
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, v.run, " ", v.iteration, " ", v.program.PathOf(object, member)) // never fails
	return v.program.Objects[object].Values(h.Sum64())
}

// eachPiece calls do for each piece of the transfers of a batch, that is, for each range that is contiguous in the
// dataset and in memory. The arguments of do are the memory and the offset of the piece, and the expected data and the
// name of the dataset.
func (v *workloadData) eachPiece(b *workload.Batch,
	do func(memory []byte, at uint64, data fill.FieldValues, name string),
) error {
	for i := range b.Moves() {
		m := &v.program.Moves[i]
		for k := b.First; k < b.First+b.Count; k++ {
			slot := m.Buffer.Slot(m.Ordinal(k, 0))
			data, name := v.datasetValues(m.Object, k), v.program.PathOf(m.Object, k)
			err := m.EachPiece(func(file, memory, bytes uint64) {
				do(slot[memory:memory+bytes], file, data, name)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// beginFile starts the files of an iteration, which is counted from 1.
func (v *workloadData) beginFile(iteration, _ int) { v.iteration = iteration }

// fillMemory fills the memory that epochs write from, and overwrites the memory that they read back into.
func (v *workloadData) fillMemory(epochs []workload.Epoch) error {
	return errors.Join(v.poisonMemory(epochs), v.eachTransferPiece(epochs, workload.Write,
		func(memory []byte, at uint64, data fill.FieldValues, _ string) { data.Fill(memory, at) }))
}

// poisonMemory overwrites the memory that epochs read into.
func (v *workloadData) poisonMemory(epochs []workload.Epoch) error {
	return v.eachTransferPiece(epochs, workload.Read,
		func(memory []byte, _ uint64, _ fill.FieldValues, _ string) { fill.Poison(memory) })
}

// eachTransferPiece calls do for each piece of the transfers in a direction: see eachPiece.
func (v *workloadData) eachTransferPiece(
	epochs []workload.Epoch, op workload.Op, do func(memory []byte, at uint64, data fill.FieldValues, name string),
) error {
	var all error
	for _, e := range epochs {
		for i := range e.Steps {
			if b := &e.Steps[i].Batch; b.Class == workload.Transfer && b.Op == op {
				all = errors.Join(all, v.eachPiece(b, do))
			}
		}
	}
	return all
}

// compareMemory compares the data that epochs have read with the data that were written.
func (v *workloadData) compareMemory(epochs []workload.Epoch, path string) error {
	err := v.eachTransferPiece(epochs, workload.Read,
		func(memory []byte, at uint64, data fill.FieldValues, name string) {
			wrong, found := data.Check(memory, at, maxPlaces-len(v.places))
			if v.wrong += wrong; wrong > 0 {
				v.zeros += data.ZeroedBytes(memory, at)
			}
			for _, f := range found {
				v.places = append(v.places, name+": "+f)
			}
		})
	if err != nil {
		return err
	}
	return v.differenceError(path)
}

// differenceError returns an error if compareMemory found differences in a file, and resets them.
func (v *workloadData) differenceError(path string) error {
	if v.wrong == 0 {
		return nil
	}
	places, unwritten := strings.Join(v.places, "; "), "were not written, or are lost: they are 0"
	var err error
	switch v.zeros {
	case v.wrong:
		err = fmt.Errorf("%s: %d bytes %s: %s", path, v.wrong, unwritten, places)
	case 0:
		err = fmt.Errorf("%s: %d bytes differ from the data that were written: %s", path, v.wrong, places)
	default:
		err = fmt.Errorf("%s: %d bytes differ from the data that were written; %d of them %s: %s", path, v.wrong,
			v.zeros, unwritten, places)
	}
	v.wrong, v.zeros, v.places = 0, 0, nil
	return err
}

// setBatchStamp does nothing: a workload has no stamps, since each value already depends on its offset.
func (v *workloadData) setBatchStamp(*workload.Batch, bool) {}

// endOfWrittenBytes returns the offset after the last byte that this process writes: see roleData. A workload may leave
// parts of its files unwritten.
func (v *workloadData) endOfWrittenBytes(family int) (end uint64, all bool) {
	for step := range v.program.Parts[workload.Write].Steps() {
		if step.TimedClass(workload.Write) != workload.Transfer || step.File != family {
			continue
		}
		for i := range step.Moves() {
			m := &v.program.Moves[i]
			o := &v.program.Objects[m.Object]
			last := uint64(0)
			_ = m.EachPiece(func(file, _, bytes uint64) { last = max(last, file+bytes) }) // errors were checked before
			if last > 0 {
				end = max(end, o.Base+(step.First+step.Count-1)*o.Stride+last)
			}
		}
	}
	return end, false
}
