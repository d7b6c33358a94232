package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
)

// datasets is how many a file of the suite has.
const datasets = 2

// access is an engine prepared for a pattern, and what its buffers hold.
type access struct {
	*suite
	spec    engine.Spec
	session engine.Session
	tag     uint64
	inLoop  bool
}

// with prepares the engine for the variant and pattern of the suite, with a number of transfer buffers (0: one for each
// transfer), and releases it after body.
func (s *suite) with(slots uint64, body func(*access) error) (err error) {
	rank := uint64(s.world.Rank())
	seq := s.pattern.Sequence(rank)
	if s.variant.ChunkEmulation {
		seq = s.pattern.ChunkSequence(rank)
	}
	spec, err := Spec(s.world, seq, s.pattern.Block, slots)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Unmap(spec.Buffer.Pool)) }()
	spec.Datasets, spec.Buffer.OneForReads = datasets, s.one
	if s.timed {
		if spec.Latency, err = engine.NewLatency(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, engine.FreeLatency(spec.Latency)) }()
	}
	if s.variant.Set != nil && !s.variant.Set(s.pattern, &spec) {
		return nil
	}
	session, err := s.newEngine().Prepare(spec)
	if err := s.agree(err); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	a := &access{
		suite: s, spec: spec, session: session, inLoop: fill.Position.InLoop(s.pattern.Block),
		tag: fill.Tag{Run: 1, Iteration: 2, File: 3, Rank: s.world.Rank()}.Pack(),
	}
	fill.Position.Fill(spec.Buffer.Pool, a.seed())
	return body(a)
}

func (a *access) seed() uint64 { return uint64(a.world.Rank()) }

// path is the name of a file that does not exist, the same on all processes.
func (s *suite) path() string {
	s.files++
	return filepath.Join(s.dir, fmt.Sprintf("file%d", s.files))
}

// content is what transfer t of dataset k holds.
func (a *access) content(k int, t uint64) fill.Transfer {
	base := uint64(k) * a.spec.DatasetBytes
	return fill.Transfer{
		Data: fill.Position, Seed: a.seed(), At: a.spec.Buffer.At(a.spec.Turn(k, t)), Tag: a.tag,
		Offset:   func(run uint64) uint64 { return base + a.spec.Nest.Offset(t, run) },
		RunBytes: a.spec.Nest.RunBytes, Grain: a.spec.Buffer.Grain,
	}
}

// write writes a file in batches of transfers (0: one batch).
func (a *access) write(path string, batch uint64) error {
	return a.open(path, engine.Write, func(f engine.File) error {
		err := a.datasets(f, batch, func(k int, set engine.Dataset, from, to uint64) error {
			for t := from; t < to && !a.inLoop; t++ {
				a.content(k, t).Stamp(a.spec.Buffer.Slot(a.spec.Turn(k, t)))
			}
			return set.Transfer(to - from)
		})
		if err != nil {
			return err
		}
		return a.agree(f.Sync())
	})
}

// read reads a file in batches of transfers (0: one batch) and checks what it gets.
func (a *access) read(path string, batch uint64) error {
	return a.open(path, engine.Read, func(f engine.File) error {
		return a.datasets(f, batch, func(k int, set engine.Dataset, from, to uint64) error {
			fill.Poison(a.spec.Buffer.Pool)
			err := set.Transfer(to - from)
			slots := a.spec.Buffer.Slots
			if a.one {
				slots = 1
			}
			for t := from; t < to && err == nil; t++ {
				err = a.check(k, t, a.spec.Buffer.Slot(a.spec.Turn(k, t)%slots))
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

// check compares the data of a transfer with what was written.
func (a *access) check(k int, t uint64, data []byte) error {
	if wrong, found := a.content(k, t).Check(data, 3); wrong > 0 {
		return fmt.Errorf("dataset %d, transfer %d: %d bytes wrong: %v", k, t, wrong, found)
	}
	return nil
}

// open opens a file for body and closes it, also after an error.
func (a *access) open(path string, op engine.Op, body func(engine.File) error) (err error) {
	f, err := a.session.Open(path, op)
	if f != nil {
		defer func() { err = errors.Join(err, a.agree(f.Close())) }()
	}
	if err := a.agree(err); err != nil {
		return fmt.Errorf("open for %s: %w", op, err)
	}
	return body(f)
}

// datasets opens the datasets of a file in turn, does all their transfers in batches, and closes each, also after an error.
func (a *access) datasets(
	f engine.File, batch uint64, body func(k int, set engine.Dataset, from, to uint64) error,
) error {
	total := a.spec.Sequence.Transfers()
	if batch == 0 {
		batch = total
	}
	one := func(k int) (err error) {
		set, err := f.Dataset(k, a.tag, a.inLoop)
		if set != nil {
			defer func() { err = errors.Join(err, a.agree(set.Close())) }()
		}
		err = a.agree(err)
		for from := uint64(0); from < total && err == nil; from += batch {
			err = a.agree(body(k, set, from, min(from+batch, total)))
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

// size compares the size of a written file, all that it consists of, with the one the engine tells, and returns it.
func (a *access) size(path string) (uint64, error) {
	files, err := a.session.Files(path)
	if err != nil {
		return 0, err
	}
	size := uint64(0)
	for _, f := range files {
		size += f.Bytes
	}
	want, exact := a.session.FileBytes()
	if least := uint64(a.spec.Datasets) * a.spec.DatasetBytes; want < least || a.plain && (want != least || !exact) {
		return 0, fmt.Errorf("FileBytes is %d (exact: %v) for %d bytes of data", want, exact, least)
	}
	if size < want || exact && size != want {
		return 0, fmt.Errorf("the file has %d bytes (%v), FileBytes is %d (exact: %v)", size, files, want, exact)
	}
	return size, nil
}
