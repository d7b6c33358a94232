package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// part is what a process selects of a dataset of two dimensions, and its memory. It is computed twice: as a selection
// by package pattern, and as coordinates by the test.
type part struct {
	kind pattern.SelectionKind
	form pattern.MemoryArrangement
	// The elements in the order of the selection.
	elements [][2]uint64
	// Of a hyperslab: the shape of its buffer.
	shape [2]uint64
	make  func(dims []uint64, element uint64) (pattern.Selection, error)
}

// A process has this many rows of a dataset, and a dataset has this many columns.
const (
	partRows    = 12
	partColumns = 10
)

// partOf returns what a process selects of its rows, which begin at first. All is everything.
func partOf(kind pattern.SelectionKind, dims []uint64, first uint64) part {
	p := part{kind: kind}
	slab := func(h pattern.Hyperslab) {
		p.make = func(dims []uint64, element uint64) (pattern.Selection, error) {
			return pattern.SelectHyperslab(dims, element, h)
		}
		p.shape = [2]uint64{h.Count[0] * h.Block[0], h.Count[1] * h.Block[1]}
		for _, y := range coordinates(h, 0) {
			for _, x := range coordinates(h, 1) {
				p.elements = append(p.elements, [2]uint64{y, x})
			}
		}
	}
	switch kind {
	case pattern.None:
		p.make = pattern.SelectNothing
	case pattern.All:
		slab(pattern.Hyperslab{Start: []uint64{0, 0}, Stride: dims, Count: []uint64{1, 1}, Block: dims})
		p.make = pattern.SelectEverything
	case pattern.Singular:
		slab(pattern.Hyperslab{
			Start: []uint64{first + 2, 3}, Stride: []uint64{1, 1}, Count: []uint64{1, 1}, Block: []uint64{5, 4},
		})
	case pattern.Regular:
		slab(pattern.Hyperslab{
			Start: []uint64{first + 1, 1}, Stride: []uint64{4, 4}, Count: []uint64{3, 2}, Block: []uint64{2, 3},
		})
	case pattern.Irregular: // in another order than that of the file
		p.boxes(first, [][4]uint64{{7, 0, 2, 10}, {2, 6, 4, 3}, {2, 0, 3, 2}, {1, 2, 1, 5}, {9, 0, 1, 4}})
	case pattern.Points:
		p.points(first)
	}
	return p
}

// coordinates returns the coordinates of a hyperslab in a dimension.
func coordinates(h pattern.Hyperslab, d int) []uint64 {
	var all []uint64
	for i := range h.Count[d] {
		for j := range h.Block[d] {
			all = append(all, h.Start[d]+i*h.Stride[d]+j)
		}
	}
	return all
}

// boxes makes the part a union of boxes: row, column, rows and columns of each.
func (p *part) boxes(first uint64, boxes [][4]uint64) {
	var start, extent []uint64
	for _, b := range boxes {
		start, extent = append(start, first+b[0], b[1]), append(extent, b[2], b[3])
		for y := range b[2] {
			for x := range b[3] {
				p.elements = append(p.elements, [2]uint64{first + b[0] + y, b[1] + x})
			}
		}
	}
	slices.SortFunc(p.elements, func(a, b [2]uint64) int { return slices.Compare(a[:], b[:]) })
	p.make = func(dims []uint64, element uint64) (pattern.Selection, error) {
		return pattern.SelectBoxes(dims, element, start, extent)
	}
}

// points makes the part points in an order of their own. Some follow each other in the file.
func (p *part) points(first uint64) {
	r := rand.New(rand.NewPCG(first, 1))
	var all []uint64
	for _, at := range r.Perm(partRows * partColumns / 2)[:25] {
		y, x := first+uint64(2*at)/partColumns, uint64(2*at)%partColumns
		p.elements = append(p.elements, [2]uint64{y, x})
		all = append(all, y, x)
		if at%3 == 0 {
			p.elements = append(p.elements, [2]uint64{y, x + 1})
			all = append(all, y, x+1)
		}
	}
	p.make = func(dims []uint64, element uint64) (pattern.Selection, error) {
		return pattern.SelectPoints(dims, element, all)
	}
}

// memory returns where element i is in a slot, in bytes.
func (p *part) memory(i, element uint64) uint64 {
	f := p.form
	switch f.Kind {
	case pattern.Ghost:
		y, x := i/p.shape[1], i%p.shape[1]
		top := f.GhostCells
		if f.GhostDims == 1 {
			top = 0
		}
		return ((top+y)*(p.shape[1]+2*f.GhostCells) + f.GhostCells + x) * element
	case pattern.Member:
		return i*f.StructBytes + f.MemberOffset
	case pattern.Strided:
		return i * f.StrideElements * element
	}
	return i * element
}

// slotBytes is the size of a slot, more than any part needs.
const slotBytes = 24 << 10

// array is a dataset of a program, of which a process moves a part.
type array struct {
	part
	object workload.Object
}

// bytes returns where the bytes of an element are in member k of the family.
func (a *array) bytes(k uint64, at [2]uint64) uint64 {
	return a.object.Base + k*a.object.Stride + (at[0]*a.object.Dims[1]+at[1])*a.object.Type.Bytes()
}

// batches is a session of an engine for a program that a test makes.
type batches struct {
	*suite
	env     engine.Env
	program workload.Program
	arrays  []array // by move
	session engine.Session
	tag     uint64

	collective bool
}

// listed is a program of families of datasets.
type listed struct {
	files  []workload.File
	arrays []array // File and Each of an object are set, Stride and Base too
	slots  uint64
	timed  bool
	plan   []workload.Epoch // steps that the engine is told of when it is prepared
	refuse bool             // the engine must refuse the program
}

// newArray returns a family of datasets in a file of which this process moves a part of the given kind: members of
// dims elements, at base in a plain file, with a gap between them.
func newArray(p part, name string, file int, dims []uint64, element, count, base uint64) array {
	return array{p, workload.Object{
		Kind: workload.DatasetObject, File: file, Parent: workload.NoParent, PerGroup: count, Count: count,
		Name: name + "_%d", Type: workload.Type{Class: workload.Unsigned, Size: element}, Dims: dims, Base: base,
		Stride: dims[0]*dims[1]*element + 24,
	}}
}

// end returns where the data of a family end in a plain file.
func (a *array) end() uint64 {
	o := &a.object
	return o.Base + (o.Count-1)*o.Stride + o.Bytes()
}

// batches prepares the engine for a program, calls body, and closes the session.
func (s *suite) batches(l listed, body func(*batches) error) (err error) {
	if s.variant.ChunkEmulation {
		return nil
	}
	env, collective, applies, err := s.environment()
	if err != nil || !applies {
		return err
	}
	b := &batches{suite: s, env: env, arrays: l.arrays, collective: collective}
	b.tag = fill.Tag{Run: 7, Rank: s.world.Rank()}.Pack()
	b.program.Files, b.program.Parts[workload.Write].Begin = l.files, l.plan
	slots := max(l.slots, 1)
	pool, err := engine.MapMemory(uint64(len(l.arrays)) * slots * slotBytes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.UnmapMemory(pool)) }()
	for i := range l.arrays {
		a := &l.arrays[i]
		o := &a.object
		if s.variant.Dataset != nil {
			s.variant.Dataset(o)
		}
		f := &b.program.Files[o.File]
		f.Bytes = max(f.Bytes, a.end())
		selection, err := a.make(o.Dims, o.Type.Bytes())
		if err != nil {
			return err
		}
		own := pool[uint64(i)*slots*slotBytes:][:slots*slotBytes]
		b.program.Objects = append(b.program.Objects, *o)
		b.program.Moves = append(b.program.Moves, workload.Move{
			Object: i, Listed: true, Selection: selection, PlainSelection: selection, Form: a.form,
			Collective: collective,
			Buffer:     workload.Buffer{Pool: own, Slots: l.slots, SlotBytes: slotBytes, Grain: 16},
		})
	}
	if l.timed {
		if b.env.Latency, err = engine.NewLatencyHistogram(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, engine.FreeLatencyHistogram(b.env.Latency)) }()
	}
	b.session, err = s.newEngine().Prepare(b.env, b.program)
	if l.refuse && errors.Is(err, engine.ErrUnsupported) {
		return s.agree(nil)
	}
	if err := s.agree(err); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	if l.refuse {
		return errors.Join(errors.New("the program was not refused"), b.session.Close())
	}
	defer func() { err = errors.Join(err, b.session.Close()) }()
	return body(b)
}

// environment returns the env of the current variant, and whether its transfers are collective and whether it applies.
func (s *suite) environment() (env engine.Env, collective, applies bool, err error) {
	spec, err := NewSpec(s.world, s.pattern.Sequence(uint64(s.world.Rank())), s.pattern.BlockSize, 1)
	if err != nil {
		return env, false, false, err
	}
	err = engine.UnmapMemory(spec.Buffer.Pool)
	spec.Buffer.Pool = nil
	applies = s.variant.Set == nil || s.variant.Set(s.pattern, &spec)
	return spec.Env, spec.Collective, applies, err
}

// do does a batch of a class.
func (b *batches) do(class workload.StepClass, batch workload.Batch) error {
	batch.Class, batch.Tag = class, b.tag
	return b.session.Do(&batch)
}

// file opens a file of a family, calls body, syncs what was written, and closes it, also after an error. If all
// processes open it, they agree when it is open: each of them may truncate it.
func (b *batches) file(f workload.Batch, body func(workload.Batch) error) (err error) {
	f.Move = workload.NoMove
	opened := b.do(workload.FileOpen, f)
	if opened == nil {
		defer func() { err = errors.Join(err, b.do(workload.FileClose, f)) }()
	}
	if b.program.Files[f.File].Group == workload.All {
		opened = b.agree(opened)
	}
	if opened != nil {
		return fmt.Errorf("open: %w", opened)
	}
	if err := body(f); err != nil {
		return err
	}
	if f.Op == workload.Write {
		return b.do(workload.Sync, f)
	}
	return nil
}

// transfer opens or creates so many datasets from first on, for each of some moves from move on, builds the selections
// of the moves, transfers the datasets in one batch, and closes them. begin is Create or Open.
func (b *batches) transfer(
	f workload.Batch, begin workload.StepClass, move, moves int, first, count uint64, stamping bool,
) error {
	f.First, f.Count = first, count
	if err := b.each(begin, f, move, moves); err != nil {
		return err
	}
	err := b.selections(f, move, moves)
	if err == nil {
		err = b.move(f, move, moves, stamping)
	}
	return errors.Join(err, b.each(workload.ObjectClose, f, move, moves))
}

// selections builds the selections of some moves.
func (b *batches) selections(f workload.Batch, move, moves int) error {
	for i := range moves {
		f.Object, f.Move, f.Count = move+i, move+i, 1
		if err := b.do(workload.Select, f); err != nil {
			return err
		}
	}
	return nil
}

// each does a batch with the datasets of each of some moves.
func (b *batches) each(class workload.StepClass, f workload.Batch, move, moves int) error {
	for i := range moves {
		f.Object = move + i
		if err := b.do(class, f); err != nil {
			return err
		}
	}
	return nil
}

// move transfers the datasets of a batch, with each of some moves from move on.
func (b *batches) move(f workload.Batch, move, moves int, stamping bool) error {
	f.Stamping = stamping
	return b.do(workload.Transfer, transferOf(f, move, moves))
}

// transferOf returns the batch that transfers the datasets of a batch with some moves from move on.
func transferOf(f workload.Batch, move, moves int) workload.Batch {
	f.Class, f.Object, f.Move, f.NumTransfers, f.BeginsAndEnds = workload.Transfer, move, move, 1, true
	if moves > 1 {
		f.MultiMoves = moves
	}
	return f
}

// fillPools gives each byte of memory a value that is neither 0 nor that of poison, and differs among processes.
func (b *batches) fillPools() {
	for i := range b.program.Moves {
		content(b.program.Moves[i].Buffer.Pool, b.world.Rank(), i)
	}
}

func content(pool []byte, rank, move int) {
	r := rand.New(rand.NewPCG(uint64(rank), uint64(move)))
	for i := range pool {
		pool[i] = byte(1 + r.IntN(200))
	}
}

// poison is in memory before it is read into.
const poison = 0xdb

// slot returns what a slot of a move has after member k of its family was written by a process, with all before it.
func (b *batches) slot(a *array, rank, move int, k uint64, stamping bool) []byte {
	buffer := &b.program.Moves[move].Buffer
	pool := make([]byte, len(buffer.Pool))
	content(pool, rank, move)
	slot := pool[buffer.SlotOffset(k):][:slotBytes]
	if stamping {
		a.stamp(slot, k, fill.Tag{Run: 7, Rank: rank}.Pack())
	}
	return slot
}

// stamp stamps each piece that is contiguous in the file and in memory.
func (a *array) stamp(slot []byte, k, tag uint64) {
	element := a.object.Type.Bytes()
	for i := 0; i < len(a.elements); {
		file, memory := a.bytes(k, a.elements[i]), a.memory(uint64(i), element)
		n := uint64(1)
		for j := i + int(n); j < len(a.elements) && a.bytes(k, a.elements[j]) == file+n*element &&
			a.memory(uint64(j), element) == memory+n*element; j++ {
			n++
		}
		fill.Transfer{
			Data: fill.Position, Tag: tag, Offset: func(uint64) uint64 { return file },
			RunBytes: n * element, Grain: 16,
		}.Stamp(slot[memory:][:n*element])
		i += int(n)
	}
}

// plainFile is what the bytes of a plain file must be.
type plainFile struct {
	data    []byte
	written []bool
}

func newPlainFile(bytes uint64) plainFile { return plainFile{make([]byte, bytes), make([]bool, bytes)} }

// put writes a process's part of member k of a family, as it is in a slot.
func (f plainFile) put(a *array, slot []byte, k uint64) {
	element := a.object.Type.Bytes()
	for i, at := range a.elements {
		offset := a.bytes(k, at)
		copy(f.data[offset:][:element], slot[a.memory(uint64(i), element):][:element])
		for j := range element {
			f.written[offset+j] = true
		}
	}
}

// check compares the file at path. What was not written is zero, or missing at the end. After collective calls it may
// be anything, since MPI-IO may write what lies between the parts of processes together with them.
func (b *batches) check(path string, want plainFile) error {
	got, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(got) > len(want.data) {
		return fmt.Errorf("the file has %d bytes, more than %d", len(got), len(want.data))
	}
	got = append(got, make([]byte, len(want.data)-len(got))...)
	for i := range got {
		if got[i] != want.data[i] && (want.written[i] || !b.collective) {
			return fmt.Errorf("byte %d of the file is %#x, want %#x", i, got[i], want.data[i])
		}
	}
	return nil
}

// checkPool compares the memory of a move after the first count members were read into poisoned memory with
// what was written. All other bytes must be poison.
func (b *batches) checkPool(move int, count uint64, stamping bool) error {
	a, buffer := &b.arrays[move], &b.program.Moves[move].Buffer
	want := bytes.Repeat([]byte{poison}, len(buffer.Pool))
	element := a.object.Type.Bytes()
	for k := range count {
		slot, from := want[buffer.SlotOffset(k):][:slotBytes], b.slot(a, b.world.Rank(), move, k, stamping)
		for i := range a.elements {
			at := a.memory(uint64(i), element)
			copy(slot[at:][:element], from[at:][:element])
		}
	}
	for i := range want {
		if buffer.Pool[i] != want[i] {
			return fmt.Errorf("move %d: byte %d of memory is %#x, want %#x", move, i, buffer.Pool[i], want[i])
		}
	}
	return nil
}

// poisonPools makes all memory poison.
func (b *batches) poisonPools() {
	for i := range b.program.Moves {
		pool := b.program.Moves[i].Buffer.Pool
		for j := range pool {
			pool[j] = poison
		}
	}
}
