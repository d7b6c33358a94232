package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/workload"
)

// datasets is the number of datasets of a file.
const datasets = 2

// access is a session of an engine for a pattern, and the content of its buffers.
type access struct {
	*suite
	spec    Spec
	session *Session
	tag     uint64
	inLoop  bool
}

// with prepares the engine for the current variant and pattern, calls body, and closes the session. slots is the number
// of transfer buffers; 0: one for each transfer.
func (s *suite) with(slots uint64, body func(*access) error) (err error) {
	rank := uint64(s.world.Rank())
	seq := s.pattern.Sequence(rank)
	if s.variant.ChunkEmulation {
		seq = s.pattern.ChunkSequence(rank)
	}
	spec, err := NewSpec(s.world, seq, s.pattern.BlockSize, slots)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.UnmapMemory(spec.Buffer.Pool)) }()
	spec.Datasets, spec.Buffer.OneForReads = datasets, s.single
	if s.timed {
		if spec.Latency, err = engine.NewLatencyHistogram(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, engine.FreeLatencyHistogram(spec.Latency)) }()
	}
	if s.variant.Set != nil && !s.variant.Set(s.pattern, &spec) {
		return nil
	}
	session, err := Prepare(s.newEngine(), spec)
	if err := s.agree(err); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	a := &access{
		suite: s, spec: spec, session: session, inLoop: fill.Position.StampsInLoop(s.pattern.BlockSize),
		tag: fill.Tag{Run: 1, Iteration: 2, File: 3, Rank: s.world.Rank()}.Pack(),
	}
	fill.Position.Fill(spec.Buffer.Pool, a.seed())
	return body(a)
}

// seed returns the seed of the content of the buffers. With the seed 0, the first word would be 0.
func (a *access) seed() uint64 { return uint64(a.world.Rank()) + 1 }

// path returns the path of a file that does not exist yet, the same on all processes.
func (s *suite) path() string {
	s.files++
	return filepath.Join(s.dir, fmt.Sprintf("file%d", s.files))
}

// content describes the data of transfer t of dataset k.
func (a *access) content(k int, t uint64) fill.Transfer {
	base := uint64(k) * a.spec.DatasetBytes
	return fill.Transfer{
		Data: fill.Position, Seed: a.seed(), PoolOffset: a.spec.Buffer.SlotOffset(a.spec.Ordinal(k, t)), Tag: a.tag,
		Offset:   func(run uint64) uint64 { return base + a.spec.Nest.RunOffset(t, run) },
		RunBytes: a.spec.Nest.RunBytes, Grain: a.spec.Buffer.Grain,
	}
}

// write writes a file. batch is the number of transfers in a batch; 0: all of a dataset.
func (a *access) write(path string, batch uint64) error {
	return a.open(path, workload.Write, func(f *File) error {
		err := a.datasets(f, batch, func(k int, set *Dataset, from, to uint64) error {
			for t := from; t < to && !a.inLoop; t++ {
				a.content(k, t).Stamp(a.spec.Buffer.Slot(a.spec.Ordinal(k, t)))
			}
			return set.Transfer(to - from)
		})
		if err != nil {
			return err
		}
		return f.Sync()
	})
}

// read reads a file and checks the data, and that no other buffers were changed than those that reads use. batch is the
// number of transfers in a batch; 0: all of a dataset.
func (a *access) read(path string, batch uint64) error {
	return a.open(path, workload.Read, func(f *File) error {
		return a.datasets(f, batch, func(k int, set *Dataset, from, to uint64) error {
			fill.Poison(a.spec.Buffer.Pool)
			err := set.Transfer(to - from)
			slots := a.spec.Buffer.Slots
			if a.single {
				slots = 1
			}
			for t := from; t < to && err == nil; t++ {
				err = a.check(k, t, a.spec.Buffer.Slot(a.spec.Ordinal(k, t)%slots))
			}
			rest := a.spec.Buffer.Pool[slots*a.spec.Buffer.SlotBytes : a.spec.Buffer.Slots*a.spec.Buffer.SlotBytes]
			untouched := make([]byte, len(rest))
			if fill.Poison(untouched); !bytes.Equal(rest, untouched) {
				err = errors.Join(err, fmt.Errorf("dataset %d: a read went into another buffer than the first", k))
			}
			return err
		})
	})
}

// check returns an error if the data of a transfer are not those that were written.
func (a *access) check(k int, t uint64, data []byte) error {
	if wrong, found := a.content(k, t).Check(data, 3); wrong > 0 {
		return fmt.Errorf("dataset %d, transfer %d: %d bytes wrong: %v", k, t, wrong, found)
	}
	return nil
}

// open opens a file, calls body, and closes the file, also after an error. The processes agree on errors only when the
// file is open and when it is closed: each agreement waits until all of them have had a processor. One that fails in
// between may leave the others in a collective call; then the job of the test ends when its time is over.
func (a *access) open(path string, op workload.Op, body func(*File) error) (err error) {
	f, err := a.session.Open(path, op)
	if f != nil {
		defer func() { err = errors.Join(err, a.agree(f.Close())) }()
	}
	if err := a.agree(err); err != nil {
		return fmt.Errorf("open for %s: %w", op, err)
	}
	return body(f)
}

// datasets opens the datasets of a file one after another, calls body for each batch of their transfers, and closes
// each, also after an error. A batch holds the transfers from from up to to, without to.
func (a *access) datasets(
	f *File, batch uint64, body func(k int, set *Dataset, from, to uint64) error,
) error {
	total := a.spec.Sequence.NumTransfers()
	if batch == 0 {
		batch = total
	}
	one := func(k int) (err error) {
		set, err := f.Dataset(k, a.tag, a.inLoop)
		if set != nil {
			defer func() { err = errors.Join(err, set.Close()) }()
		}
		for from := uint64(0); from < total && err == nil; from += batch {
			err = body(k, set, from, min(from+batch, total))
		}
		if err != nil {
			return fmt.Errorf("dataset %d: %w", k, err)
		}
		return nil
	}
	for k := range a.spec.Datasets {
		if err := one(k); err != nil {
			return err
		}
	}
	return nil
}

// size returns the size of a data file: the sum of the files that it consists of. It returns an error if that does not
// fit FileBytes.
func (a *access) size(path string) (uint64, error) {
	files, err := a.spec.FileSizes(path, a.session.FileNames(path))
	if err != nil {
		return 0, err
	}
	size := uint64(0)
	for _, f := range files {
		size += f.Bytes
	}
	want, exact := a.session.FileBytes(0)
	if least := uint64(a.spec.Datasets) * a.spec.DatasetBytes; want < least || a.plain && (want != least || !exact) {
		return 0, fmt.Errorf("FileBytes is %d (exact: %v) for %d bytes of data", want, exact, least)
	}
	if size < want || exact && size != want {
		return 0, fmt.Errorf("the file has %d bytes (%v), FileBytes is %d (exact: %v)", size, files, want, exact)
	}
	return size, nil
}
