package null

import (
	"sync/atomic"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/workload"
)

// move is the state of the transfers of a move.
type move struct {
	*workload.Move
	base     uint64 // of the dataset, in bytes of the file
	stamping bool
	stamp    fill.Transfer
	end      uint64        // end of what this process has written, in bytes of the file
	next     atomic.Uint64 // the next transfer; atomic, because other goroutines read the progress
}

// begin starts the transfers that begin with a batch, if any do.
func (s *session) begin(b *workload.Batch) {
	if b.Move == workload.NoMove {
		return
	}
	m, object := &s.moves[b.Move], &s.program.Objects[b.Object]
	m.Move = &s.program.Moves[b.Move]
	m.base, m.stamping, m.end = object.Base+b.First*object.Stride, b.Stamping, 0
	m.next.Store(0)
	m.stamp = fill.Transfer{
		Data: fill.Position, Tag: b.Tag, Offset: m.offset, RunBytes: m.Nest.RunBytes, Grain: m.Buffer.Grain,
	}
}

// offset returns the file offset of a run of the next transfer.
func (m *move) offset(run uint64) uint64 { return m.base + m.Nest.Offset(m.next.Load(), run) }

// transfer does the next transfers of a batch, each in at least the time that Options.Delay asks for.
func (s *session) transfer(step Step, b *workload.Batch) error {
	var err error
	start := s.engine.now()
	for n := b.Times; n > 0 && err == nil; n-- {
		if s.env.Stop.IsSet() {
			return engine.ErrStopped
		}
		start, err = s.one(step, b, start)
	}
	return err
}

// one does the next transfer, which began at start, and returns when it ended.
func (s *session) one(step Step, b *workload.Batch, start time.Time) (time.Time, error) {
	m, e := &s.moves[b.Move], s.engine
	t := m.next.Load()
	step.Transfer = t
	if err := e.fail(step, m.offset(0), m.Nest.RunBytes); err != nil {
		return start, err
	}
	buffer := m.Buffer.Slot(m.Ordinal(b.First, t) % m.Buffer.SlotsOf(b.Op))
	if m.stamping && b.Op == workload.Write {
		m.stamp.Stamp(buffer)
	}
	called := e.now()
	size := m.Nest.RunBytes
	for run := range m.Nest.RunsPerTransfer() {
		at := m.offset(run)
		if at+size > uint64(len(s.file.content)) {
			return start, &engine.Error{
				Call: string(Transfer), Path: step.Path, Offset: at, Bytes: size, Err: engine.ErrShort,
			}
		}
		part, content := buffer[run*size:(run+1)*size], s.file.content[at:at+size]
		if b.Op == workload.Write {
			m.end = max(m.end, at+size)
			copy(content, part)
		} else {
			copy(part, content)
		}
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
	return engine.Progress{Transfers: n, Bytes: n * s.program.Moves[i].Buffer.SlotBytes, Calls: n}
}

// end counts the transfers that end with a batch.
func (s *session) end(b *workload.Batch) {
	if b.Move != workload.NoMove {
		s.calls += s.Progress(b.Move).Calls
	}
}

// closeDataset extends the file to the end of what this process has written.
func (s *session) closeDataset(step Step, b *workload.Batch) error {
	s.end(b)
	if b.Move == workload.NoMove || s.moves[b.Move].end == 0 {
		return nil
	}
	// The file only grows, in any order of processes.
	if _, err := s.file.WriteAt([]byte{0}, int64(s.moves[b.Move].end-1)); err != nil {
		return failed(step, err)
	}
	return nil
}
