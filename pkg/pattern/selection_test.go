package pattern_test

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/pattern"
)

// extent returns the number of elements of a dataset.
func extent(dims []uint64) uint64 {
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// elementCoordinates returns the coordinates of element i.
func elementCoordinates(dims []uint64, i uint64) []uint64 {
	at := make([]uint64, len(dims))
	for d := len(dims) - 1; d >= 0; d-- {
		at[d] = i % dims[d]
		i /= dims[d]
	}
	return at
}

// inBox reports whether the element at is in the box that begins at start.
func inBox(at, start, extent []uint64) bool {
	for d := range at {
		if at[d] < start[d] || at[d]-start[d] >= extent[d] {
			return false
		}
	}
	return true
}

// modelOf returns the elements of a selection in order, by a check of each element of the dataset, or of each point.
// The second result reports whether an element is in two boxes.
func modelOf(kind pattern.SelectionKind, dims []uint64, slab pattern.Hyperslab, start, size, points []uint64) ([]uint64,
	bool,
) {
	var elements []uint64
	rank := len(dims)
	twice := false
	if kind == pattern.Points {
		for ; len(points) > 0; points = points[rank:] {
			n := uint64(0)
			for d, c := range points[:rank] {
				n = n*dims[d] + c
			}
			elements = append(elements, n)
		}
		return elements, false
	}
	for i := range extent(dims) {
		at := elementCoordinates(dims, i)
		times := 0
		switch kind {
		case pattern.All:
			times = 1
		case pattern.Regular:
			times = 1
			for d := range at {
				if at[d] < slab.Start[d] || (at[d]-slab.Start[d])/slab.Stride[d] >= slab.Count[d] ||
					(at[d]-slab.Start[d])%slab.Stride[d] >= slab.Block[d] {
					times = 0
				}
			}
		case pattern.Irregular:
			for b := 0; b < len(start); b += rank {
				if inBox(at, start[b:b+rank], size[b:b+rank]) {
					times++
				}
			}
		}
		twice = twice || times > 1
		if times > 0 {
			elements = append(elements, i)
		}
	}
	return elements, twice
}

// mergedElements returns the runs of some elements, in the given order.
func mergedElements(elements []uint64, element uint64) []call {
	var calls []call
	for _, e := range elements {
		if n := len(calls); n > 0 && calls[n-1].offset+calls[n-1].bytes == e*element {
			calls[n-1].bytes += element
			continue
		}
		calls = append(calls, call{e * element, element})
	}
	return calls
}

func collect(runs iter.Seq2[uint64, uint64]) []call {
	var calls []call
	for at, n := range runs {
		calls = append(calls, call{at, n})
	}
	return calls
}

// numbers takes small numbers from the bytes of a fuzz target, and zeros after the last byte.
type numbers []byte

func (n *numbers) below(limit uint64) uint64 {
	if len(*n) == 0 {
		return 0
	}
	x := uint64((*n)[0])
	*n = (*n)[1:]
	return x % limit
}

// drawn is a selection, with its elements in order according to the model.
type drawn struct {
	pattern.Selection
	elements []uint64
}

// draw returns a random valid selection. If boxes overlap, it checks that Union returns an error, and returns false.
func draw(t *testing.T, n *numbers) (drawn, bool) {
	t.Helper()
	element := 1 + n.below(3)
	dims := make([]uint64, 1+n.below(4))
	for d := range dims {
		dims[d] = 1 + n.below(6)
	}
	var slab pattern.Hyperslab
	var start, size, points []uint64
	kind := []pattern.SelectionKind{
		pattern.None, pattern.All, pattern.Regular, pattern.Irregular,
		pattern.Points,
	}[n.below(5)]
	var s pattern.Selection
	var err error
	switch kind {
	case pattern.None:
		s, err = pattern.SelectNothing(dims, element)
	case pattern.All:
		s, err = pattern.SelectEverything(dims, element)
	case pattern.Regular:
		for _, side := range dims {
			from := n.below(side)
			block := 1 + n.below(side-from)
			stride := block + n.below(3)
			slab.Start, slab.Block = append(slab.Start, from), append(slab.Block, block)
			slab.Stride = append(slab.Stride, stride)
			slab.Count = append(slab.Count, 1+n.below(1+(side-from-block)/stride))
		}
		s, err = pattern.SelectHyperslab(dims, element, slab)
	case pattern.Irregular:
		for range n.below(24) {
			for _, side := range dims {
				from := n.below(side)
				start, size = append(start, from), append(size, 1+n.below(min(3, side-from)))
			}
		}
		s, err = pattern.SelectBoxes(dims, element, start, size)
	case pattern.Points:
		for range n.below(20) {
			for _, side := range dims {
				points = append(points, n.below(side))
			}
		}
		s, err = pattern.SelectPoints(dims, element, points)
	}
	elements, twice := modelOf(kind, dims, slab, start, size, points)
	if twice != (err != nil) {
		t.Fatalf("%v in %v, boxes of %v at %v: overlap %v, error %v", kind, dims, size, start, twice, err)
	}
	return drawn{s, elements}, err == nil
}

// checkSelection compares a selection with the model.
func checkSelection(t *testing.T, s drawn) {
	t.Helper()
	want := mergedElements(s.elements, s.ElementBytes())
	got := collect(s.Runs())
	if !slices.Equal(got, want) {
		t.Fatalf("%v %+v in %v of %d bytes: runs %v, want %v", s.Kind(), s.Selection, s.Dims(), s.ElementBytes(), got,
			want)
	}
	if n := uint64(len(want)); s.RunCount() != n {
		t.Fatalf("%v %+v in %v: %d runs, want %d", s.Kind(), s.Selection, s.Dims(), s.RunCount(), n)
	}
	if n := uint64(len(s.elements)); s.NumElements() != n || s.Bytes() != n*s.ElementBytes() {
		t.Fatalf("%v %+v: %d elements, %d bytes, want %d elements", s.Kind(), s.Selection, s.NumElements(), s.Bytes(),
			n)
	}
	for i := range got { // after a break there are no more runs
		taken := 0
		for range s.Runs() {
			if taken++; taken > i {
				break
			}
		}
		if taken != i+1 {
			t.Fatalf("%v: %d runs where %d were wanted", s.Kind(), taken, i+1)
		}
	}
	q, ok := s.Sequence()
	regular := s.Kind() == pattern.All || s.Kind() == pattern.Singular || s.Kind() == pattern.Regular
	if ok != regular {
		t.Fatalf("%v is a sequence: %v", s.Kind(), ok)
	}
	if ok {
		checkSelections(t, q)
		var parts []call
		for _, c := range runs(q.LoopNest(), 0) {
			for i := range c.bytes {
				parts = append(parts, call{c.offset + i, 1})
			}
		}
		var bytes []call
		for _, c := range want {
			for i := range c.bytes {
				bytes = append(bytes, call{c.offset + i, 1})
			}
		}
		if !slices.Equal(parts, bytes) || q.NumTransfers() != 1 {
			t.Fatalf("%+v: the sequence has other bytes: %v", s.Selection, runs(q.LoopNest(), 0))
		}
	}
}

// noise returns random bytes for draw.
func noise(r *rand.Rand) *numbers {
	n := make(numbers, 200)
	for i := range n {
		n[i] = byte(r.Uint32())
	}
	return &n
}

func TestSelectionsAreThoseOfTheModel(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	seen := map[pattern.SelectionKind]int{}
	refused := 0
	for range 20000 {
		s, ok := draw(t, noise(r))
		if !ok {
			refused++
			continue
		}
		checkSelection(t, s)
		seen[s.Kind()]++
	}
	for k := pattern.None; k <= pattern.Points; k++ {
		if seen[k] < 150 {
			t.Errorf("only %d selections of kind %v", seen[k], k)
		}
	}
	if refused < 300 {
		t.Errorf("only %d unions with boxes that overlap", refused)
	}
}

func FuzzSelection(f *testing.F) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 20 {
		f.Add([]byte(*noise(r)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n := numbers(data)
		if s, ok := draw(t, &n); ok {
			checkSelection(t, s)
		}
	})
}

// tiles cuts a dataset into boxes of random sizes, in random order. It cuts each dimension, and within each part the
// next dimension. most is the largest side of a box.
func tiles(r *rand.Rand, dims []uint64, most uint64) (start, size []uint64) {
	var cut func(at, shape []uint64, d int)
	var boxes [][2][]uint64
	cut = func(at, shape []uint64, d int) {
		if d == len(dims) {
			boxes = append(boxes, [2][]uint64{slices.Clone(at), slices.Clone(shape)})
			return
		}
		for from := uint64(0); from < dims[d]; {
			n := min(1+r.Uint64N(most), dims[d]-from)
			cut(append(at, from), append(shape, n), d+1)
			from += n
		}
	}
	cut(nil, nil, 0)
	r.Shuffle(len(boxes), func(i, j int) { boxes[i], boxes[j] = boxes[j], boxes[i] })
	for _, b := range boxes {
		start, size = append(start, b[0]...), append(size, b[1]...)
	}
	return start, size
}

// Unions of many boxes use other code paths than unions of a few boxes.
func TestOverlapsAmongManyBoxesAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 300 {
		dims := make([]uint64, 1+r.IntN(4))
		for d := range dims {
			dims[d] = 4 + r.Uint64N([]uint64{500, 40, 12, 6}[len(dims)-1])
		}
		start, size := tiles(r, dims, 3)
		s, err := pattern.SelectBoxes(dims, 2, start, size)
		if err != nil {
			t.Fatalf("boxes that cover %v once: %v", dims, err)
		}
		if got := collect(s.Runs()); !slices.Equal(got, []call{{
			0,
			2 * extent(dims),
		}}) || s.NumElements() != extent(dims) {
			t.Fatalf("boxes that cover %v once: %v", dims, got)
		}
		// With one more element, a box overlaps its neighbours.
		b := r.IntN(len(start))
		if d := b % len(dims); start[b]+size[b] == dims[d] {
			continue
		}
		size = slices.Clone(size)
		size[b]++
		if _, err := pattern.SelectBoxes(dims, 2, start, size); err == nil {
			t.Fatalf("%d: a box of %d in %v overlaps another one, and no error is returned", i, len(start)/len(dims),
				dims)
		} else if !strings.Contains(err.Error(), "overlaps") {
			t.Fatal(err)
		}
	}
}

func TestSelectionsThatCannotBeAreRefused(t *testing.T) {
	dims := []uint64{4, 6}
	type list = []uint64
	slab := func(start, stride, count, block uint64) error {
		_, err := pattern.SelectHyperslab(dims, 1, pattern.Hyperslab{
			Start: list{0, start}, Stride: list{1, stride}, Count: list{1, count}, Block: list{1, block},
		})
		return err
	}
	union := func(start, extent list) error {
		_, err := pattern.SelectBoxes(dims, 1, start, extent)
		return err
	}
	points := func(dims, coordinates list) error {
		_, err := pattern.SelectPoints(dims, 1, coordinates)
		return err
	}
	all := func(dims list, element uint64) error {
		_, err := pattern.SelectEverything(dims, element)
		return err
	}
	_, none := pattern.SelectNothing(make(list, 33), 1)
	_, short := pattern.SelectHyperslab(dims, 1, pattern.Hyperslab{})
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"beyond the end":       {slab(5, 1, 1, 2), "beyond extent 6"},
		"beyond by strides":    {slab(0, 3, 3, 1), "beyond extent 6"},
		"beyond all numbers":   {slab(1, 1<<63, 3, 1), "beyond extent 6"},
		"start of 2^64 - 1":    {slab(1<<64-1, 1, 1, 2), "beyond extent 6"},
		"no block":             {slab(0, 1, 0, 1), "at least 1"},
		"blocks that overlap":  {slab(0, 1, 2, 2), "overlap"},
		"too few numbers":      {short, "for each"},
		"half a box":           {union(list{1}, list{1}), "coordinates"},
		"an empty box":         {union(list{0, 0}, list{1, 0}), "empty"},
		"a box beyond the end": {union(list{1, 0}, dims), "beyond"},
		"half a point":         {points(dims, list{1}), "coordinates"},
		"a point beyond":       {points(dims, list{0, 0, 3, 6}), "[3 6]"},
		"points in a scalar":   {points(nil, nil), "scalar"},
		"no bytes":             {all(dims, 0), "0 bytes"},
		"2^64 bytes":           {all(list{1 << 32, 1 << 30}, 4), "2^64"},
		"33 dimensions":        {none, "32 at most"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, c.err, c.want)
		}
	}
}

func TestAScalarHasOneElement(t *testing.T) {
	s, err := pattern.SelectEverything(nil, 8)
	if got := collect(s.Runs()); err != nil || !slices.Equal(got, []call{{0, 8}}) || s.Kind().String() != "all" {
		t.Errorf("%v, %v", got, err)
	}
	empty, err := pattern.SelectEverything([]uint64{0, 5}, 8)
	if got := collect(empty.Runs()); err != nil || len(got) != 0 || empty.Bytes() != 0 || empty.RunCount() != 0 {
		t.Errorf("a dataset without elements: %v, %v", got, err)
	}
}

func TestARegularSelectionNeedsNoMemoryForItsRuns(t *testing.T) {
	allocations := func(rows uint64) float64 {
		s, err := pattern.SelectHyperslab([]uint64{rows, 4}, 8, pattern.Hyperslab{
			Start: []uint64{0, 1}, Stride: []uint64{1, 1}, Count: []uint64{1, 1}, Block: []uint64{rows, 2},
		})
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(10, func() {
			for range s.Runs() {
			}
		})
	}
	if few, many := allocations(2), allocations(5000); many > few {
		t.Errorf("%v allocations for 5000 runs, %v for 2", many, few)
	}
}

// A mask in a climate model: a long list of short runs, the same on each level.
func TestAUnionOfManyBoxesIsCheap(t *testing.T) {
	const boxes, levels = 175_000, 4
	r := rand.New(rand.NewPCG(8, 8))
	var start, size []uint64
	for _, b := range r.Perm(boxes) {
		start, size = append(start, 0, 10*uint64(b)), append(size, levels, 5)
	}
	s, err := pattern.SelectBoxes([]uint64{levels, 10 * boxes}, 4, start, size)
	if err != nil {
		t.Fatal(err)
	}
	next, n := uint64(0), 0
	for at, bytes := range s.Runs() {
		if at != next || bytes != 20 {
			t.Fatalf("run %d: %d bytes at %d, want 20 at %d", n, bytes, at, next)
		}
		next += 40
		n++
	}
	if n != boxes*levels || s.Kind() != pattern.Irregular {
		t.Errorf("%d runs of a selection %v", n, s.Kind())
	}
	if n := testing.AllocsPerRun(2, func() { _ = s.RunCount() }); n > 20 { // every box covers all levels
		t.Errorf("%v allocations for the runs", n)
	}
}
