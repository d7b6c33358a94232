package null

import (
	"sync/atomic"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
)

// dataset is an open dataset.
type dataset struct {
	file     *file
	k        int
	base     uint64
	stamping bool
	stamp    fill.Transfer
	end      uint64        // end of what this process has written, in bytes of the file
	next     atomic.Uint64 // the next transfer; atomic, because other goroutines read the progress
}

func newDataset(f *file, k int, tag uint64, stamping bool) *dataset {
	spec := &f.session.spec
	d := &dataset{
		file: f, k: k, base: uint64(k) * spec.DatasetBytes, stamping: stamping,
	}
	d.stamp = fill.Transfer{
		Data: fill.Position, Tag: tag, Offset: d.offset, RunBytes: spec.Nest.RunBytes, Grain: spec.Buffer.Grain,
	}
	return d
}

// offset returns the file offset of a run of the next transfer.
func (d *dataset) offset(run uint64) uint64 {
	return d.base + d.file.session.spec.Nest.Offset(d.next.Load(), run)
}

// Transfer does the next n transfers, each in at least the time that Options.Delay asks for.
func (d *dataset) Transfer(n uint64) error {
	var err error
	for start := d.file.session.engine.now(); n > 0 && err == nil; n-- {
		if d.file.session.spec.Stop.IsSet() {
			return engine.ErrStopped
		}
		start, err = d.one(start)
	}
	return err
}

// one does the next transfer, which began at start, and returns when it ended.
func (d *dataset) one(start time.Time) (time.Time, error) {
	t := d.next.Load()
	spec, e := &d.file.session.spec, d.file.session.engine
	step := d.file.step(Transfer, d.k)
	step.Transfer = t
	if err := e.fail(step, d.offset(0), spec.Nest.RunBytes); err != nil {
		return start, err
	}
	buffer := spec.Buffer.Slot(spec.Ordinal(d.k, t) % spec.Buffer.SlotsOf(d.file.op))
	if d.stamping && d.file.op == engine.Write {
		d.stamp.Stamp(buffer)
	}
	called := e.now()
	size := spec.Nest.RunBytes
	for run := range spec.Nest.RunsPerTransfer() {
		at := d.offset(run)
		if at+size > uint64(len(d.file.content)) {
			return start, &engine.Error{
				Call: string(Transfer), Path: d.file.path, Offset: at, Bytes: size, Err: engine.ErrShort,
			}
		}
		part, content := buffer[run*size:(run+1)*size], d.file.content[at:at+size]
		if d.file.op == engine.Write {
			d.end = max(d.end, at+size)
			copy(content, part)
		} else {
			copy(part, content)
		}
	}
	if d.file.op == engine.Read && e.options.Corrupt != nil {
		e.options.Corrupt(step, buffer)
	}
	e.wait(d.file.op, t, called)
	end := e.now()
	if h := spec.Latency; h != nil {
		h.Record(uint64(end.Sub(called)))
	}
	e.took.Add(int64(end.Sub(start)))
	if e.options.Took != nil {
		e.options.Took(d.file.op, end.Sub(start), end.Sub(called))
	}
	d.next.Add(1)
	return end, nil
}

// Progress returns what was done; a transfer counts as one call. It may be called from other goroutines.
func (d *dataset) Progress() engine.Progress {
	n := d.next.Load()
	return engine.Progress{Transfers: n, Bytes: n * d.file.session.spec.Buffer.SlotBytes, Calls: n}
}

// Close extends the file to the end of what this process has written.
func (d *dataset) Close() error {
	step := d.file.step(DatasetClose, d.k)
	d.file.session.calls += d.Progress().Calls
	if err := d.file.session.engine.fail(step, 0, 0); err != nil {
		return err
	}
	if d.end > 0 {
		if _, err := d.file.f.WriteAt([]byte{0}, int64(d.end-1)); err != nil { // only grows, in any order of processes
			return failed(step, err)
		}
	}
	return nil
}
