package enginetest

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// dims returns the extent of the datasets of listed transfers.
func (s *suite) dims() []uint64 { return []uint64{partRows * uint64(s.world.Size()), partColumns} }

// mixed returns what a process selects: in each of the turns another kind, and each process another kind than the next.
func (s *suite) mixed(rank, turn int) part {
	kinds := []pattern.SelectionKind{pattern.None, pattern.Points, pattern.Irregular, pattern.Regular, pattern.Singular}
	return partOf(kinds[(rank+turn)%len(kinds)], s.dims(), partRows*uint64(rank))
}

// one returns what a process selects where one process has all of a dataset.
func (s *suite) one(rank, owner int) part {
	kind := pattern.None
	if rank == owner {
		kind = pattern.All
	}
	return partOf(kind, s.dims(), 0)
}

// turns is the number of turns of mixed.
const turns = 5

// forms are the kinds of memory for elements of some bytes. HDF5 needs members at multiples of that.
func forms(element uint64) []pattern.MemoryArrangement {
	return []pattern.MemoryArrangement{
		{},
		{Kind: pattern.Ghost, GhostCells: 2},
		{Kind: pattern.Ghost, GhostCells: 1, GhostDims: 1},
		{Kind: pattern.Member, MemberOffset: max(4, element), StructBytes: 3 * max(5, element)},
		{Kind: pattern.Strided, StrideElements: 3},
	}
}

// in returns the part with memory of a form. Only what has the shape of a block can have margins.
func (p part) in(f pattern.MemoryArrangement) part {
	if f.Kind != pattern.Ghost || p.kind != pattern.Points && p.kind != pattern.Irregular {
		p.form = f
	}
	return p
}

func listedTransfers(s *suite) error {
	for turn := range turns + 1 {
		for i := range forms(1) {
			element := uint64(1 + 7*(i+turn)%14)
			of := func(rank int) part {
				p := s.mixed(rank, turn)
				if turn == turns {
					p = s.one(rank, i%s.world.Size())
				}
				return p.in(forms(element)[i])
			}
			for _, slots := range []uint64{3, 2} { // with fewer slots than datasets, only stamps tell them apart
				if err := s.listedTransfer(of, element, slots, slots == 2); err != nil {
					return fmt.Errorf("turn %d, memory %+v, elements of %d bytes, %d slots: %w", turn,
						forms(element)[i], element, slots, err)
				}
			}
		}
	}
	return nil
}

// listedTransfer writes three datasets in one batch, looks at the file, and reads them. of returns what a process
// selects.
func (s *suite) listedTransfer(of func(rank int) part, element, slots uint64, stamping bool) error {
	const count = 3
	family := func(rank int) array { return newArray(of(rank), "data", 0, s.dims(), element, count, 40) }
	a := family(s.world.Rank())
	l := listed{files: []workload.File{{Name: "a"}}, arrays: []array{a}, slots: slots}
	return s.batches(l, func(b *batches) error {
		path := s.path()
		b.fillPools()
		err := b.file(workload.Batch{Op: workload.Write, Path: path}, func(f workload.Batch) error {
			return b.counted(&a, count, func() error {
				return b.transfer(f, workload.Create, 0, 1, 0, count, stamping)
			})
		})
		if err := s.agree(err); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		if s.plain {
			want := newPlainFile(a.end())
			for rank := range s.world.Size() {
				other := family(rank)
				for k := range uint64(count) {
					want.put(&other, b.slot(&other, rank, 0, k, stamping), k)
				}
			}
			err = b.check(path, want)
		}
		if err := s.agree(err); err != nil {
			return err
		}
		b.poisonPools()
		err = b.file(workload.Batch{Op: workload.Read, Path: path}, func(f workload.Batch) error {
			return b.counted(&a, count, func() error {
				return b.transfer(f, workload.Open, 0, 1, 0, count, stamping)
			})
		})
		return s.agree(errors.Join(err, b.checkPool(0, count, stamping)))
	})
}

// noElements transfers nothing to and from datasets that have no elements.
func noElements(s *suite) error {
	const count = 3
	a := newArray(partOf(pattern.None, nil, 0), "data", 0, []uint64{0, partColumns}, 8, count, 0)
	l := listed{files: []workload.File{{Name: "a"}}, arrays: []array{a}, slots: count}
	return s.batches(l, func(b *batches) error {
		path := s.path()
		for op, begin := range []workload.StepClass{workload.Create, workload.Open} {
			err := b.file(workload.Batch{Op: workload.Op(op), Path: path}, func(f workload.Batch) error {
				return b.transfer(f, begin, 0, 1, 0, count, false)
			})
			if p := b.session.Progress(0); err == nil && (p.Transfers != count || p.Bytes != 0) {
				err = fmt.Errorf("%d transfers of nothing: %+v", count, p)
			}
			if err := s.agree(err); err != nil {
				return fmt.Errorf("%s: %w", workload.Op(op), err)
			}
		}
		return nil
	})
}

// counted calls transfer, which transfers count datasets with move 0, and checks that progress and account tell so.
func (b *batches) counted(a *array, count uint64, transfer func() error) error {
	before := b.session.Report()
	if err := transfer(); err != nil {
		return err
	}
	calls := a.runs()
	if b.variant.Calls != nil {
		calls = b.variant.Calls(Spec{})
	}
	p := b.session.Progress(0)
	bytes := uint64(len(a.elements)) * a.object.Type.Bytes()
	if p.Transfers != count || p.Bytes != count*bytes || p.Calls != count*calls {
		return fmt.Errorf("after %d transfers of %d bytes in %d calls: %+v", count, bytes, calls, p)
	}
	after := b.session.Report()
	if after.Calls-before.Calls != p.Calls || after.SetViews-before.SetViews != p.SetViews {
		return fmt.Errorf("the account went from %+v to %+v, the transfers counted %+v", before, after, p)
	}
	return nil
}

// runs returns the number of runs of the part in a plain file.
func (a *array) runs() uint64 {
	n, end := uint64(0), uint64(0)
	for _, at := range a.elements {
		offset := a.bytes(0, at)
		if n == 0 || offset != end {
			n++
		}
		end = offset + a.object.Type.Bytes()
	}
	return n
}

// movesTogether writes two datasets of each of three families with one batch. Then it reads them, with two batches. An
// engine that cannot do so refuses a program with such a batch.
func movesTogether(s *suite) error {
	const count, slots = 2, 2
	rank := s.world.Rank()
	var l listed
	l.files, l.slots = []workload.File{{Name: "a"}}, slots
	base := uint64(0)
	for i, element := range []uint64{8, 1, 4} {
		a := newArray(s.mixed(rank, i), fmt.Sprintf("data%d", i), 0, s.dims(), element, count, base)
		l.arrays = append(l.arrays, a)
		base = a.end() + 8
	}
	l.refuse = !s.together
	step := workload.Step{Batch: transferOf(workload.Batch{Op: workload.Write, Count: count}, 0, len(l.arrays))}
	l.plan = []workload.Epoch{{Steps: []workload.Step{step}}}
	return s.batches(l, func(b *batches) error {
		path := s.path()
		b.fillPools()
		err := b.file(workload.Batch{Op: workload.Write, Path: path}, func(f workload.Batch) error {
			return b.transfer(f, workload.Create, 0, 3, 0, count, true)
		})
		if err := s.agree(err); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		b.poisonPools()
		err = b.file(workload.Batch{Op: workload.Read, Path: path}, func(f workload.Batch) error {
			return errors.Join(b.transfer(f, workload.Open, 0, 1, 0, count, true),
				b.transfer(f, workload.Open, 1, 2, 0, count, true))
		})
		for i := range b.arrays {
			err = errors.Join(err, b.checkPool(i, count, true))
		}
		return s.agree(err)
	})
}

// ownFiles writes a file of all processes and one of this process while both are open, changes the own one later, and
// reads both.
func ownFiles(s *suite) error {
	rank := s.world.Rank()
	shared := newArray(s.mixed(rank, 0), "shared", 0, s.dims(), 8, 2, 0)
	own := newArray(partOf(pattern.Points, []uint64{partRows, partColumns}, 0), "own", 1,
		[]uint64{partRows, partColumns}, 8, 3, 16)
	l := listed{
		files:  []workload.File{{Name: "shared"}, {Name: "own", Group: workload.Self}},
		arrays: []array{shared, own}, slots: 3,
	}
	return s.batches(l, func(b *batches) error {
		paths := []string{s.path(), fmt.Sprintf("%s.%d", s.path(), rank)}
		both := func(op workload.Op, body func(shared, own workload.Batch) error) error {
			return b.file(workload.Batch{Op: op, File: 0, Path: paths[0]}, func(shared workload.Batch) error {
				return b.file(workload.Batch{Op: op, File: 1, Path: paths[1]}, func(own workload.Batch) error {
					return body(shared, own)
				})
			})
		}
		b.fillPools()
		err := both(workload.Write, func(shared, own workload.Batch) error {
			own.Count = 3
			return errors.Join(b.each(workload.Create, own, 1, 1), b.each(workload.ObjectClose, own, 1, 1),
				b.transfer(own, workload.Open, 1, 1, 0, 1, false),
				b.transfer(shared, workload.Create, 0, 1, 0, 2, false),
				b.transfer(own, workload.Open, 1, 1, 2, 1, false))
		})
		change := workload.Batch{Op: workload.Write, File: 1, Path: paths[1], Existing: true}
		err = errors.Join(err, b.file(change, func(f workload.Batch) error {
			return b.transfer(f, workload.Open, 1, 1, 1, 1, false)
		}))
		if s.plain && err == nil {
			want := newPlainFile(own.end())
			for k := range uint64(3) {
				want.put(&own, b.slot(&own, rank, 1, k, false), k)
			}
			err = b.check(paths[1], want)
		}
		if err := s.agree(err); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		b.poisonPools()
		err = both(workload.Read, func(shared, own workload.Batch) error {
			return errors.Join(b.transfer(own, workload.Open, 1, 1, 0, 3, false),
				b.transfer(shared, workload.Open, 0, 1, 0, 2, false))
		})
		return s.agree(errors.Join(err, b.checkPool(0, 2, false), b.checkPool(1, 3, false)))
	})
}

// filesInTurn writes a file of process 0 alone, and one that each process opens after the one before has closed it.
func filesInTurn(s *suite) error {
	rank := s.world.Rank()
	root := newArray(partOf(pattern.Regular, s.dims(), 0), "root", 0, s.dims(), 8, 1, 0)
	band := newArray(partOf(pattern.Irregular, s.dims(), partRows*uint64(rank)), "band", 1, s.dims(), 8, 1, 0)
	l := listed{
		files: []workload.File{
			{Name: "root", Group: workload.Root}, {Name: "band", Group: workload.TurnGroup},
		},
		arrays: []array{root, band}, slots: 1,
	}
	return s.batches(l, func(b *batches) error {
		path, inTurn := s.path(), s.path()
		b.fillPools()
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			begin := workload.Create
			if op == workload.Read {
				begin = workload.Open
				b.poisonPools()
			}
			if rank == 0 {
				err := b.file(workload.Batch{Op: op, Path: path}, func(f workload.Batch) error {
					return b.transfer(f, begin, 0, 1, 0, 1, false)
				})
				if err == nil && op == workload.Read {
					err = b.checkPool(0, 1, false)
				}
				if err != nil {
					return s.agree(err)
				}
			}
			for turn := range s.world.Size() {
				var err error
				if turn == rank {
					if rank > 0 {
						begin = workload.Open
					}
					f := workload.Batch{Op: op, File: 1, Path: inTurn, Existing: op == workload.Write && rank > 0}
					err = b.file(f, func(f workload.Batch) error { return b.transfer(f, begin, 1, 1, 0, 1, false) })
				}
				if err := s.agree(err); err != nil {
					return fmt.Errorf("%s of process %d: %w", op, turn, err)
				}
			}
		}
		return b.checkPool(1, 1, false)
	})
}

// nothingToDo does batches of classes that plain files do not have.
func nothingToDo(s *suite) error {
	if !s.plain {
		return nil
	}
	a := newArray(s.one(s.world.Rank(), 0), "data", 0, s.dims(), 8, 1, 0)
	l := listed{files: []workload.File{{Name: "a"}}, arrays: []array{a}, slots: 1}
	return s.batches(l, func(b *batches) error {
		path := s.path()
		err := b.file(workload.Batch{Op: workload.Write, Path: path}, func(f workload.Batch) error {
			f.Count = 1
			for _, c := range []workload.StepClass{
				workload.Create, workload.Attribute, workload.Select, workload.Open, workload.Extend,
				workload.ObjectClose, workload.Unlink, workload.CreateLink, workload.Stat, workload.List,
				workload.Rename,
			} {
				if err := b.do(c, f); err != nil {
					return fmt.Errorf("%s: %w", c, err)
				}
			}
			return nil
		})
		if err == nil {
			err = b.check(path, plainFile{})
		}
		return s.agree(err)
	})
}

func listedCallsAreTimed(s *suite) error {
	form := pattern.MemoryArrangement{Kind: pattern.Strided, StrideElements: 2}
	a := newArray(s.mixed(s.world.Rank(), 1).in(form), "data", 0, s.dims(), 8, 4, 0)
	l := listed{files: []workload.File{{Name: "a"}}, arrays: []array{a}, slots: 1, timed: true}
	return s.batches(l, func(b *batches) error {
		path, h := s.path(), b.env.Latency
		b.fillPools()
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			h.Reset()
			begin := workload.Create
			if op == workload.Read {
				begin = workload.Open
			}
			err := b.file(workload.Batch{Op: op, Path: path}, func(f workload.Batch) error {
				return b.transfer(f, begin, 0, 1, 0, 4, true)
			})
			if calls := b.session.Progress(0).Calls; err == nil && h.Count() != calls {
				err = fmt.Errorf("%s: %d calls, %d are timed", op, calls, h.Count())
			}
			if err := s.agree(err); err != nil {
				return err
			}
		}
		return nil
	})
}

// whole prepares the engine for one dataset of which process 0 has all, writes it, and calls body.
func (s *suite) whole(body func(b *batches, path string) error) error {
	a := newArray(s.one(s.world.Rank(), 0), "data", 0, s.dims(), 8, 1, 0)
	l := listed{files: []workload.File{{Name: "a"}}, arrays: []array{a}, slots: 1}
	return s.batches(l, func(b *batches) error {
		path := s.path()
		b.fillPools()
		err := b.file(workload.Batch{Op: workload.Write, Path: path}, func(f workload.Batch) error {
			return b.transfer(f, workload.Create, 0, 1, 0, 1, true)
		})
		if err := s.agree(err); err != nil {
			return fmt.Errorf("write: %w", err)
		}
		return body(b, path)
	})
}

func stopEndsTheBatch(s *suite) error {
	return s.whole(func(b *batches, path string) error {
		b.env.Stop.Set()
		err := b.file(workload.Batch{Op: workload.Read, Path: path}, func(f workload.Batch) error {
			if err := b.transfer(f, workload.Open, 0, 1, 0, 1, false); !errors.Is(err, engine.ErrStopped) {
				return fmt.Errorf("batch after stop: %w", errOr(err))
			}
			if p := b.session.Progress(0); p != (engine.Progress{SetViews: p.SetViews}) {
				return fmt.Errorf("progress after stop: %+v", p)
			}
			return nil
		})
		return s.agree(err)
	})
}

// truncatedList removes the last byte of a file, which is part of a stamp.
func truncatedList(s *suite) error {
	return s.whole(func(b *batches, path string) error {
		err := s.agree(s.truncate(&b.env, b.session, path))
		if err != nil {
			return err
		}
		err = b.file(workload.Batch{Op: workload.Read, Path: path}, func(f workload.Batch) error {
			return b.transfer(f, workload.Open, 0, 1, 0, 1, true)
		})
		if e, ok := errors.AsType[*engine.CallError](err); err != nil && (!ok || !strings.HasPrefix(e.Path, path)) {
			return s.agree(fmt.Errorf("not an *engine.Error with the path: %w", err))
		}
		return s.expectFailure(err, "reading a truncated file")
	})
}

// oneCannotOpen lets process 0 open a file in a directory that does not exist. The others open and write their own, and
// then process 0 does so, too.
func oneCannotOpen(s *suite) error {
	a := newArray(partOf(pattern.Singular, s.dims(), 0), "data", 0, s.dims(), 8, 1, 0)
	l := listed{
		files: []workload.File{{Name: "a", Group: workload.Self}}, arrays: []array{a}, slots: 1,
	}
	return s.batches(l, func(b *batches) error {
		rank := s.world.Rank()
		path := fmt.Sprintf("%s.%d", s.path(), rank)
		write := func(path string) error {
			return b.file(workload.Batch{Op: workload.Write, Path: path}, func(f workload.Batch) error {
				return b.transfer(f, workload.Create, 0, 1, 0, 1, false)
			})
		}
		b.fillPools()
		if rank == 0 {
			missing := filepath.Join(path, "file")
			err := write(missing)
			if e, ok := errors.AsType[*engine.CallError](err); !ok || e.Path != missing {
				return s.agree(fmt.Errorf("open in no directory: not an *engine.Error with the path: %w", errOr(err)))
			}
			b.session.CloseAfterError()
		}
		return s.agree(write(path))
	})
}

func batchesDoNotAllocate(s *suite) error {
	form := pattern.MemoryArrangement{Kind: pattern.Strided, StrideElements: 2}
	a := newArray(s.mixed(s.world.Rank(), 1).in(form), "data", 0, s.dims(), 8, 4, 0)
	l := listed{files: []workload.File{{Name: "a"}}, arrays: []array{a}, slots: 2}
	return s.batches(l, func(b *batches) error {
		path := s.path()
		b.fillPools()
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			begin := workload.Create
			if op == workload.Read {
				begin = workload.Open
			}
			err := b.file(workload.Batch{Op: op, Path: path}, func(f workload.Batch) error {
				f.Count = 4
				if err := errors.Join(b.each(begin, f, 0, 1), b.selections(f, 0, 1)); err != nil {
					return err
				}
				batch := transferOf(f, 0, 1)
				var err error
				n := testing.AllocsPerRun(allocationRuns, func() { err = errors.Join(err, b.session.Do(&batch)) })
				if err == nil && n != 0 {
					err = fmt.Errorf("%v allocations for each batch", n)
				}
				return errors.Join(err, b.each(workload.ObjectClose, f, 0, 1))
			})
			if err := s.agree(err); err != nil {
				return fmt.Errorf("%s: %w", op, err)
			}
		}
		return nil
	})
}
