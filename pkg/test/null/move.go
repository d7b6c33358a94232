package null

import (
	"sync/atomic"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// move is the state of the transfers of a move.
type move struct {
	*workload.Move
	pieces   []pattern.ContiguousPiece // of a listed move
	piece    uint64                    // file offset of the one that is stamped
	base     uint64                    // of the dataset, in bytes of the file
	stamping bool
	stamp    fill.Transfer
	member   uint64        // the dataset
	began    uint64        // number of the first transfer with it
	end      uint64        // end of what this process has written, in bytes of the file
	next     atomic.Uint64 // the next transfer; atomic, because other goroutines read the progress
}

// prepare sets the move of the program.
func (m *move) prepare(planned *workload.Move) error {
	m.Move = planned
	m.stamp = fill.Transfer{Data: fill.Position, Grain: planned.Buffer.Grain}
	if !planned.Listed {
		m.stamp.Offset, m.stamp.RunBytes = m.offset, planned.Nest.RunBytes
		return nil
	}
	m.stamp.Offset = func(uint64) uint64 { return m.piece }
	pieces, err := pattern.ContiguousPieces(planned.PlainSelection, planned.Form)
	if err != nil {
		return err
	}
	for p := range pieces {
		m.pieces = append(m.pieces, p)
	}
	return nil
}

// begin starts the transfers that begin with a batch, if any do.
func (s *session) begin(b *workload.Batch) {
	if b.Move != workload.NoMove {
		s.beginMove(b.Move, b)
	}
}

// beginMove starts transfers of a move with the first dataset of a batch.
func (s *session) beginMove(i int, b *workload.Batch) {
	m := &s.moves[i]
	m.stamping, m.stamp.Tag, m.end = b.Stamping, b.Tag, 0
	m.next.Store(0)
	s.dataset(m, b.First)
}

// dataset goes to the first transfer with a dataset.
func (s *session) dataset(m *move, member uint64) {
	object := &s.program.Objects[m.Object]
	m.member, m.base, m.began = member, object.Base+member*object.Stride, m.next.Load()
}

// transfer returns the number of the next transfer with the dataset.
func (m *move) transfer() uint64 { return m.next.Load() - m.began }

// offset returns the file offset of a run of the next transfer.
func (m *move) offset(run uint64) uint64 { return m.base + m.Nest.RunOffset(m.transfer(), run) }

// first returns the file offset and the size of the first piece of the next transfer.
func (m *move) first() (offset, bytes uint64) {
	switch {
	case !m.Listed:
		return m.offset(0), m.Nest.RunBytes
	case len(m.pieces) == 0:
		return m.base, 0
	}
	return m.base + m.pieces[0].File, m.pieces[0].Bytes
}

// stampAll stamps the next transfer.
func (m *move) stampAll(buffer []byte) {
	if !m.Listed {
		m.stamp.Stamp(buffer)
		return
	}
	for _, p := range m.pieces {
		m.piece, m.stamp.RunBytes = m.base+p.File, p.Bytes
		m.stamp.Stamp(buffer[p.Memory : p.Memory+p.Bytes])
	}
}

// each calls do for each piece of the next transfer, until it fails.
func (m *move) each(do func(offset, memory, bytes uint64) error) error {
	for _, p := range m.pieces {
		if err := do(m.base+p.File, p.Memory, p.Bytes); err != nil {
			return err
		}
	}
	if m.Listed {
		return nil
	}
	for run := range m.Nest.RunsPerTransfer() {
		if err := do(m.offset(run), run*m.Nest.RunBytes, m.Nest.RunBytes); err != nil {
			return err
		}
	}
	return nil
}

// transfer does the transfers of a batch.
func (s *session) transfer(step Step, f *file, b *workload.Batch) error {
	if !b.BeginsAndEnds {
		return s.times(step, f, b, &s.moves[b.Move])
	}
	for i := range b.Moves() {
		if err := s.whole(step, f, b, i); err != nil {
			return err
		}
	}
	return nil
}

// whole does the transfers with the datasets of a move, which begin and end with the batch.
func (s *session) whole(step Step, f *file, b *workload.Batch, i int) error {
	s.beginMove(i, b)
	defer s.end(i)
	m := &s.moves[i]
	for member := b.First; member < b.First+b.Count; member++ {
		s.dataset(m, member)
		step.Dataset = int(member)
		if err := s.times(step, f, b, m); err != nil {
			return err
		}
	}
	return f.extend(step, m)
}

// times does the next transfers with a dataset, each in at least the time that Options.Delay asks for.
func (s *session) times(step Step, f *file, b *workload.Batch, m *move) error {
	var err error
	start := s.engine.now()
	for n := b.NumTransfers; n > 0 && err == nil; n-- {
		if s.env.Stop.IsSet() {
			return engine.ErrStopped
		}
		start, err = s.one(step, f, b, m, start)
	}
	return err
}

// one does the next transfer, which began at start, and returns when it ended.
func (s *session) one(step Step, f *file, b *workload.Batch, m *move, start time.Time) (time.Time, error) {
	e, t := s.engine, m.transfer()
	step.Transfer = t
	offset, bytes := m.first()
	if err := e.fail(step, offset, bytes); err != nil {
		return start, err
	}
	var buffer []byte
	if slots := m.Buffer.SlotsUsedBy(b.Op); slots > 0 { // a process that moves nothing may have none
		buffer = m.Buffer.Slot(m.Ordinal(m.member, t) % slots)
	}
	if m.stamping && b.Op == workload.Write {
		m.stampAll(buffer)
	}
	called := e.now()
	err := m.each(func(at, memory, bytes uint64) error {
		if at+bytes > uint64(len(f.content)) {
			return &engine.CallError{
				Call: string(Transfer), Path: step.Path, Offset: at, Bytes: bytes, Err: engine.ErrShortTransfer,
			}
		}
		part, content := buffer[memory:memory+bytes], f.content[at:at+bytes]
		if b.Op == workload.Write {
			m.end = max(m.end, at+bytes)
			copy(content, part)
		} else {
			copy(part, content)
		}
		return nil
	})
	if err != nil {
		return start, err
	}
	if b.Op == workload.Read && e.options.Corrupt != nil {
		e.options.Corrupt(step, buffer)
	}
	e.wait(b.Op, t, called)
	end := e.now()
	if h := s.env.Latency; h != nil {
		h.Record(uint64(end.Sub(called)))
	}
	e.took.Add(int64(end.Sub(start)))
	if e.options.Took != nil {
		e.options.Took(b.Op, end.Sub(start), end.Sub(called))
	}
	m.next.Add(1)
	return end, nil
}

// Progress returns what was done; a transfer counts as one call. It may be called from other goroutines.
func (s *session) Progress(i int) engine.Progress {
	n := s.moves[i].next.Load()
	return engine.Progress{Transfers: n, Bytes: n * s.program.Moves[i].TransferBytes(), Calls: n}
}

// end counts the transfers of a move that end.
func (s *session) end(i int) { s.calls += s.Progress(i).Calls }

// closeDataset ends the transfers that end with a batch.
func (s *session) closeDataset(step Step, f *file, b *workload.Batch) error {
	if b.Move == workload.NoMove {
		return nil
	}
	s.end(b.Move)
	return f.extend(step, &s.moves[b.Move])
}

// extend extends the file to the end of what this process has written with a move.
func (f *file) extend(step Step, m *move) error {
	if m.end == 0 {
		return nil
	}
	// The file only grows, in any order of processes.
	if _, err := f.WriteAt([]byte{0}, int64(m.end-1)); err != nil {
		return failed(step, err)
	}
	return nil
}
