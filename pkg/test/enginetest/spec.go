package enginetest

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// Spec is a sweep and where it is executed.
type Spec struct {
	engine.Env
	workload.Sweep
}

// NewSpec returns the spec of a sequence of blocks: independent access to one dataset of contiguous storage, without
// hints. The buffer has the given number of slots; 0: one for each transfer. Free its pool with engine.UnmapMemory.
func NewSpec(comm mpi.Comm, seq pattern.Sequence, block, slots uint64) (Spec, error) {
	if slots == 0 || slots > seq.NumTransfers() {
		slots = seq.NumTransfers()
	}
	stop, err := engine.NewStopFlag()
	if err != nil {
		return Spec{}, err
	}
	size := seq.TransferBytes()
	pool, err := engine.MapMemory(slots * size)
	if err != nil {
		return Spec{}, err
	}
	return Spec{engine.Env{Comm: comm, Stop: stop}, workload.Sweep{
		Sequence: seq, Nest: seq.LoopNest(),
		Buffer:   workload.Buffer{Pool: pool, Slots: slots, SlotBytes: size, Grain: fill.StampDistance(block)},
		Datasets: 1, DatasetBytes: seq.DatasetBytes(),
	}}, nil
}

// Ordinal returns the number of transfer t of dataset k among all transfers of the file.
func (s *Spec) Ordinal(k int, t uint64) uint64 { return uint64(k)*s.Sequence.NumTransfers() + t }

// Session is an engine prepared for a sweep.
type Session struct {
	engine.Session
}

// Prepare prepares an engine for a sweep.
func Prepare(e engine.Engine, spec Spec) (*Session, error) {
	s, err := e.Prepare(spec.Env, spec.Program())
	if err != nil {
		return nil, err
	}
	return &Session{s}, nil
}

// Open creates (Write) or opens (Read) a file.
func (s *Session) Open(path string, op workload.Op) (*File, error) {
	f := &File{s, workload.Batch{Op: op, Path: path, Move: workload.NoMove}}
	if err := f.do(workload.FileOpen); err != nil {
		return nil, err
	}
	return f, nil
}

// File is an open file.
type File struct {
	session *Session
	batch   workload.Batch
}

func (f *File) do(class workload.StepClass) error {
	b := f.batch
	b.Class = class
	return f.session.Do(&b)
}

// Sync makes durable what was written.
func (f *File) Sync() error { return f.do(workload.Sync) }

// Close closes the file, also after an error.
func (f *File) Close() error { return f.do(workload.FileClose) }

// Dataset creates or opens dataset k, counted from 0.
func (f *File) Dataset(k int, tag uint64, stamping bool) (*Dataset, error) {
	d := &Dataset{f.session, f.batch}
	d.batch.First, d.batch.Count, d.batch.Move = uint64(k), 1, 0
	d.batch.Tag, d.batch.Stamping = tag, stamping
	class := workload.Create
	if f.batch.Op == workload.Read {
		class = workload.Open
	}
	if err := d.do(class); err != nil {
		return nil, err
	}
	return d, nil
}

// Dataset is an open dataset, positioned at its first transfer.
type Dataset struct {
	session *Session
	batch   workload.Batch
}

func (d *Dataset) do(class workload.StepClass) error {
	d.batch.Class = class
	return d.session.Do(&d.batch)
}

// Transfer does the next n transfers in one batch.
func (d *Dataset) Transfer(n uint64) error {
	d.batch.NumTransfers = n
	return d.do(workload.Transfer)
}

// Progress returns what was done since the dataset was opened, also after an error.
func (d *Dataset) Progress() engine.Progress { return d.session.Progress(d.batch.Move) }

// Close closes the dataset, also after an error.
func (d *Dataset) Close() error { return d.do(workload.ObjectClose) }
