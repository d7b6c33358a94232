package enginetest

import (
	"errors"
	"fmt"
	"os"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/workload"
)

func writtenIsReadBack(s *suite) error { return s.roundTrip(0, 0, 0) }

func batchesInPieces(s *suite) error {
	return errors.Join(s.roundTrip(1, 1, 1), s.roundTrip(2, 2, 2), s.roundTrip(0, 1, 0), s.roundTrip(0, 0, 1))
}

func fewBuffers(s *suite) error {
	return s.with(2, func(a *access) error {
		batch := uint64(0)
		if !a.inLoop {
			batch = 2
		}
		return a.writeAndRead(batch, 2)
	})
}

func readsIntoOneBuffer(s *suite) error {
	s.single = true
	return s.roundTrip(0, 0, 1)
}

// roundTrip writes a file, checks its size, and reads it. The numbers are as of with, write and read.
func (s *suite) roundTrip(slots, writeBatch, readBatch uint64) error {
	return s.with(slots, func(a *access) error { return a.writeAndRead(writeBatch, readBatch) })
}

func (a *access) writeAndRead(writeBatch, readBatch uint64) error {
	path := a.path()
	if err := a.write(path, writeBatch); err != nil {
		return err
	}
	_, err := a.size(path)
	return errors.Join(err, a.read(path, readBatch))
}

// runsAtTheirOffsets checks the file without the engine.
func runsAtTheirOffsets(s *suite) error {
	if !s.plain {
		return nil
	}
	return s.with(0, func(a *access) error {
		path := a.path()
		if err := a.write(path, 0); err != nil {
			return err
		}
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		data := make([]byte, 0, a.spec.Buffer.SlotBytes)
		for k := range a.spec.Datasets {
			for t := range a.spec.Sequence.NumTransfers() {
				data = data[:0]
				for run := range a.spec.Nest.RunsPerTransfer() {
					at := a.content(k, t).Offset(run)
					data = append(data, file[at:at+a.spec.Nest.RunBytes]...)
				}
				if err := a.check(k, t, data); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func progressCounts(s *suite) error {
	return s.with(0, func(a *access) error {
		calls := a.spec.Nest.RunsPerTransfer()
		if a.variant.Calls != nil {
			calls = a.variant.Calls(a.spec)
		}
		path, size := a.path(), a.spec.Sequence.TransferBytes()
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			before := a.session.Report()
			var all engine.Progress
			err := a.open(path, op, func(f *File) error {
				return a.datasets(f, 1, func(_ int, set *Dataset, from, to uint64) error {
					if err := set.Transfer(to - from); err != nil {
						return err
					}
					p := set.Progress()
					if p.Transfers != to || p.Bytes != to*size || p.Calls != to*calls {
						return fmt.Errorf("after %d transfers of %d bytes in %d calls: %+v", to, size, calls, p)
					}
					if to == a.spec.Sequence.NumTransfers() {
						all.Calls += p.Calls
						all.SetViews += p.SetViews
					}
					return nil
				})
			})
			if err != nil {
				return fmt.Errorf("%s: %w", op, err)
			}
			after := a.session.Report()
			if after.Calls-before.Calls != all.Calls || after.SetViews-before.SetViews != all.SetViews {
				return fmt.Errorf("%s: the account went from %+v to %+v, the datasets counted %+v",
					op, before, after, all)
			}
		}
		return nil
	})
}

func callsAreTimed(s *suite) error {
	s.timed = true
	return s.with(0, func(a *access) error {
		path, h := a.path(), a.spec.Latency
		accesses := []func(path string, batch uint64) error{workload.Write: a.write, workload.Read: a.read}
		for op, access := range accesses {
			op := workload.Op(op)
			h.Reset()
			before, start := a.session.Report().Calls, time.Now()
			if err := access(path, uint64(op)); err != nil { // write in one batch, read in batches of one transfer
				return err
			}
			passed, calls := uint64(time.Since(start)), a.session.Report().Calls-before
			// the clocks differ by some parts in a million
			if h.Count() != calls || h.Min == 0 || h.Sum < h.Max || h.Sum > passed+passed/1000 {
				return fmt.Errorf("%s: %d calls in %d ns: %d are timed, %d to %d ns, together %d ns",
					op, calls, passed, h.Count(), h.Min, h.Max, h.Sum)
			}
			if a.session.CallName(op) == "" {
				return fmt.Errorf("the call of %s has no name", op)
			}
		}
		return nil
	})
}

// startsEmpty overwrites a longer file.
func startsEmpty(s *suite) error {
	path := s.path()
	var long uint64
	err := s.with(0, func(a *access) (err error) {
		if err := a.write(path, 0); err != nil {
			return err
		}
		long, err = a.size(path)
		return err
	})
	if err := s.agree(err); err != nil {
		return err
	}
	s.pattern.BytesPerProcess, s.pattern.TransferSize = 1024, 1024
	return s.with(0, func(a *access) error {
		if err := a.write(path, 0); err != nil {
			return err
		}
		short, err := a.size(path)
		if err == nil && short >= long && long > 0 {
			err = fmt.Errorf("%d bytes, as many as before (%d)", short, long)
		}
		return errors.Join(err, a.read(path, 0))
	})
}
