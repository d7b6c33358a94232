package workload_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// job is a rule, applied to a dataset and a number of processes.
type job struct {
	workload.Rule
	dims  []uint64
	ranks uint64
}

const element = 8

var (
	// byPlace are the rules that choose elements by their coordinates.
	byPlace = []workload.RuleName{
		workload.SliceRule, workload.FrameRule, workload.CornersRule, workload.DiagonalRule,
	}
	ruleNames = append([]workload.RuleName{
		workload.BlockRule, workload.SlabRule, workload.ConcatRule, workload.CyclicRule, workload.MapRule,
		workload.AllRule, workload.NoneRule, workload.RandomRule, workload.StridedRule,
	}, byPlace...)
	allCounts = []workload.CountMethod{
		workload.EqualCounts, workload.ModuloCounts, workload.NormalCounts, workload.ListCounts, workload.SharedCounts,
	}
)

func (j job) part(t *testing.T, rank uint64) pattern.Selection {
	s, err := j.Selection(j.dims, element, rank, j.ranks)
	if err != nil {
		t.Fatalf("%+v, process %d: %v", j, rank, err)
	}
	return s
}

// rows returns the number of rows that rule Concat needs.
func (j job) rows(ranks uint64) uint64 {
	j.Piece = 0
	if j.Counts == workload.NormalCounts && j.Mean == 0 {
		return j.dims[0]
	}
	n, _ := j.TotalBytes([]uint64{1 << 40}, 1, ranks)
	return n
}

// numberOf returns the number of elements in an extent.
func numberOf(dims []uint64) uint64 {
	n := uint64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// wanted reports whether the element at these coordinates belongs to a process. It is for rules that choose elements by
// their coordinates.
func (j job) wanted(at []uint64) bool {
	outside := func(margin uint64) int { // number of dimensions in which the element is near a side
		n := 0
		for d := range at {
			if at[d] < margin || at[d]+margin >= j.dims[d] {
				n++
			}
		}
		return n
	}
	low := func(d int) bool { return at[d] < j.Width }
	switch j.Name {
	case workload.SliceRule:
		return at[(j.Dim+len(at))%len(at)] == j.Index
	case workload.FrameRule:
		return outside(j.Width) > 0
	case workload.CornersRule:
		return outside(j.Width) == 2 && (low(0) == low(1)) != j.Anti
	case workload.DiagonalRule:
		return at[0]/j.Width == at[1]/j.Width && (at[0]/j.Width+1)*j.Width <= min(j.dims[0], j.dims[1])
	}
	return true
}

// check tests that the parts of all processes have the properties of the rule.
func (j job) check(t *testing.T) {
	t.Helper()
	total, err := j.TotalBytes(j.dims, element, j.ranks)
	if err != nil {
		t.Fatalf("%+v: %v", j, err)
	}
	times := make([]uint64, numberOf(j.dims)) // by element: how many processes have it
	sum := uint64(0)
	for rank := range j.ranks {
		s := j.part(t, rank)
		sum += s.Bytes()
		for at, n := range s.Runs() {
			for i := at / element; i < (at+n)/element; i++ {
				times[i]++
			}
		}
	}
	if total != sum {
		t.Fatalf("%+v: %d bytes in total, but the parts have %d", j, total, sum)
	}
	users := j.ranks
	if j.Ranks > 0 {
		users = j.Ranks
	}
	least, most := uint64(0), uint64(1) // of times
	switch j.Name {
	case workload.BlockRule, workload.SlabRule, workload.CyclicRule, workload.MapRule:
		least = 1
	case workload.AllRule:
		least, most = users, users
	}
	at := make([]uint64, len(j.dims))
	for i, n := range times {
		if n < least || n > most {
			t.Fatalf("%+v: element %d is in %d parts, want %d to %d", j, i, n, least, most)
		}
		if !slices.Contains(byPlace, j.Name) {
			continue
		}
		rest := uint64(i)
		for d := len(at) - 1; d >= 0; d-- {
			at[d], rest = rest%j.dims[d], rest/j.dims[d]
		}
		if j.wanted(at) != (n == 1) {
			t.Fatalf("%+v: element %v is in %d parts", j, at, n)
		}
	}
}

// numberSource is a source of numbers below a limit.
type numberSource interface{ below(limit uint64) uint64 }

// dice is a random source of numbers.
type dice struct{ *rand.Rand }

func (d dice) below(limit uint64) uint64 { return d.Uint64N(limit) }

// bytes is a source of numbers from a fuzz input. Zeros follow the input.
type bytes struct{ left []byte }

func (b *bytes) below(limit uint64) uint64 {
	if len(b.left) == 0 {
		return 0
	}
	x := uint64(b.left[0])
	b.left = b.left[1:]
	return x % limit
}

// draw makes a valid job for the rule with this name. Datasets have up to about side elements in a dimension.
func draw(s numberSource, name workload.RuleName, ranks, side uint64) (j job) {
	j = job{Rule: workload.Rule{Name: name}, ranks: ranks}
	two := name == workload.FrameRule || name == workload.CornersRule || name == workload.DiagonalRule
	if s.below(4) == 1 && ranks > 1 { // only the first processes take part
		j.Ranks = 1 + s.below(ranks)
		all := ranks
		defer func() { j.ranks = all }()
		ranks = j.Ranks
	}
	dims := 1 + s.below(3)
	if two {
		dims = 2
	}
	for range dims {
		j.dims = append(j.dims, 2+s.below(side))
	}
	switch name {
	case workload.BlockRule:
		if s.below(2) == 1 {
			j.Grid = make([]uint64, dims)
			j.Grid[s.below(dims)] = ranks
			for d := range j.Grid {
				if j.Grid[d] == 0 {
					j.Grid[d] = s.below(2) // chosen by the rule, or given
				}
			}
		}
		fallthrough
	case workload.SlabRule:
		if s.below(2) == 1 {
			j.Idle = 2 + s.below(4)
		}
	case workload.ConcatRule:
		switch j.Counts = allCounts[s.below(uint64(len(allCounts)))]; j.Counts {
		case workload.EqualCounts:
			j.Count = s.below(6)
		case workload.ModuloCounts:
			j.Base, j.Modulus = s.below(6), 1+s.below(5)
		case workload.NormalCounts:
			j.Mean, j.Deviation, j.Seed = float64(s.below(60))/4, float64(s.below(20))/4, s.below(250)
		case workload.ListCounts:
			for range 1 + s.below(5) {
				j.Each = append(j.Each, s.below(6))
			}
		case workload.SharedCounts:
			j.Count = s.below(4 * ranks)
		}
		j.Unit = s.below(4)
		if j.Counts != workload.NormalCounts {
			j.Piece = s.below(5)
		}
		j.dims[0] = j.rows(ranks) + s.below(2) // sometimes a row is left over
	case workload.CyclicRule:
		j.Dim, j.Length = int(s.below(2*dims))-int(dims), 1+s.below(5)
	case workload.MapRule:
		j.Dim, j.Length, j.Seed = int(s.below(2*dims))-int(dims), 1+s.below(5), s.below(250)
	case workload.SliceRule:
		d := s.below(dims)
		j.Dim, j.Index = int(d), s.below(j.dims[d])
	case workload.FrameRule, workload.CornersRule:
		j.Width = 1 + s.below(min(j.dims[0], j.dims[1])/2)
		j.Anti = name == workload.CornersRule && s.below(2) == 1
	case workload.DiagonalRule:
		j.Width = 1 + s.below(min(j.dims[0], j.dims[1]))
	case workload.RandomRule:
		j.Seed, j.First = s.below(250), s.below(j.dims[0]+1)
		if most := (j.dims[0] - j.First) / ranks; most > 0 {
			j.Count = s.below(most + 1)
		}
	case workload.StridedRule:
		j.Length, j.Count = 1+s.below(3), 1+s.below(3)
		j.Stride = j.Length + s.below(3)
		j.dims[0] = ranks*((j.Count-1)*j.Stride+j.Length) + s.below(ranks)
	}
	return j
}

func TestPartsCoverWhatTheyShall(t *testing.T) {
	r := dice{rand.New(rand.NewPCG(1, 1))}
	for _, name := range ruleNames {
		for _, ranks := range []uint64{1, 2, 3, 4, 7, 100} {
			for range 100 {
				draw(r, name, ranks, 30).check(t)
			}
		}
	}
}

func FuzzRule(f *testing.F) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		data := make([]byte, 40)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := &bytes{data}
		name := ruleNames[b.below(uint64(len(ruleNames)))]
		draw(b, name, 1+b.below(40), 20).check(t)
	})
}

func TestPartsOf100000ProcessesCoverWhatTheyShall(t *testing.T) {
	const ranks = 100_000
	type dims = []uint64
	for _, j := range []job{
		{workload.Rule{Name: workload.BlockRule}, dims{101, 90, 110}, ranks},
		{workload.Rule{Name: workload.BlockRule, Grid: dims{0, 1, 0}}, dims{700, 3, 500}, ranks},
		{workload.Rule{Name: workload.SlabRule}, dims{ranks*3 + 17, 2}, ranks},
		{workload.Rule{Name: workload.SlabRule}, dims{ranks - 17, 3}, ranks},
		{
			workload.Rule{Name: workload.ConcatRule, Counts: workload.ModuloCounts, Base: 2, Modulus: 3},
			dims{0, 2},
			ranks,
		},
		{
			workload.Rule{Name: workload.ConcatRule, Counts: workload.NormalCounts, Mean: 6, Deviation: 2, Seed: 4},
			dims{0},
			ranks,
		},
		{workload.Rule{Name: workload.ConcatRule, Counts: workload.ListCounts, Each: dims{3, 0, 1}}, dims{0}, ranks},
		{
			workload.Rule{
				Name: workload.ConcatRule, Counts: workload.ListCounts, Each: dims{3, 0, 1}, Unit: 2,
				Piece: 3,
			},
			dims{0},
			ranks,
		},
		{
			workload.Rule{Name: workload.ConcatRule, Counts: workload.SharedCounts, Count: 5*ranks/2 + 1, Unit: 3},
			dims{0},
			ranks,
		},
		{workload.Rule{Name: workload.CyclicRule, Length: 2, Dim: -1}, dims{2, ranks*5 + 1}, ranks},
		{workload.Rule{Name: workload.MapRule, Length: 6, Dim: -1, Seed: 5}, dims{2, ranks * 12}, ranks},
		{workload.Rule{Name: workload.SliceRule, Dim: 1, Index: 1}, dims{ranks + 5, 3}, ranks},
		{workload.Rule{Name: workload.FrameRule, Width: 2}, dims{ranks + 50, 7}, ranks},
		{workload.Rule{Name: workload.CornersRule, Width: 3}, dims{500, 700}, ranks},
		{workload.Rule{Name: workload.DiagonalRule, Width: 2}, dims{900, 700}, ranks},
		{workload.Rule{Name: workload.AllRule}, dims{3, 2}, ranks},
		{workload.Rule{Name: workload.NoneRule}, dims{3, 2}, ranks},
		{workload.Rule{Name: workload.RandomRule, Count: 3, First: 50, Seed: 6}, dims{4 * ranks, 2}, ranks},
		{workload.Rule{Name: workload.RandomRule, Seed: 7}, dims{3*ranks + 1}, ranks},
		{workload.Rule{Name: workload.StridedRule, Count: 2, Length: 3, Stride: 5}, dims{9*ranks + 1}, ranks},
		{workload.Rule{Name: workload.BlockRule, Idle: 4}, dims{101, 90, 110}, ranks},
		{workload.Rule{Name: workload.BlockRule, Ranks: ranks / 3}, dims{101, 90, 110}, ranks},
	} {
		if j.Name == workload.ConcatRule {
			j.dims[0] = j.rows(ranks)
		}
		j.check(t)
	}
}

// The parts have the same size for all numbers of processes.
func TestAPartCostsTheSameForEveryJob(t *testing.T) {
	type dims = []uint64
	for _, r := range []struct {
		workload.Rule
		dims func(ranks uint64) []uint64
	}{
		{workload.Rule{Name: workload.BlockRule, Grid: dims{0, 1}}, func(n uint64) []uint64 { return dims{3 * n, 5} }},
		{workload.Rule{Name: workload.SlabRule}, func(n uint64) []uint64 { return dims{3 * n, 5} }},
		{
			workload.Rule{Name: workload.ConcatRule, Counts: workload.NormalCounts, Mean: 9, Deviation: 2},
			func(n uint64) []uint64 { return dims{20 * n} },
		},
		{
			workload.Rule{Name: workload.ConcatRule, Counts: workload.ListCounts, Each: dims{1, 2, 3}},
			func(n uint64) []uint64 { return dims{3 * n} },
		},
		{workload.Rule{Name: workload.CyclicRule, Length: 2}, func(n uint64) []uint64 { return dims{20*n - 1} }},
		{workload.Rule{Name: workload.MapRule, Length: 6}, func(n uint64) []uint64 { return dims{600 * n} }},
		{workload.Rule{Name: workload.SliceRule, Dim: 1}, func(n uint64) []uint64 { return dims{3 * n, 5} }},
		{workload.Rule{Name: workload.FrameRule, Width: 1}, func(n uint64) []uint64 { return dims{3 * n, 5} }},
		{workload.Rule{Name: workload.CornersRule, Width: 2}, func(n uint64) []uint64 { return dims{3 * n, 5} }},
		{workload.Rule{Name: workload.DiagonalRule, Width: 2}, func(n uint64) []uint64 { return dims{20 * n, 20 * n} }},
		{workload.Rule{Name: workload.RandomRule, Count: 50}, func(n uint64) []uint64 { return dims{60 * n, 5} }},
		{
			workload.Rule{Name: workload.StridedRule, Count: 5, Length: 2, Stride: 3},
			func(n uint64) []uint64 { return dims{20 * n, 5} },
		},
	} {
		allocations := func(ranks uint64) (parts, total float64) {
			j := job{r.Rule, r.dims(ranks), ranks}
			parts = testing.AllocsPerRun(5, func() {
				for _, rank := range []uint64{0, ranks / 2, ranks - 1} {
					s := j.part(t, rank)
					for range s.Runs() {
						continue
					}
				}
			})
			total = testing.AllocsPerRun(5, func() { _, _ = j.TotalBytes(j.dims, element, ranks) })
			return parts, total
		}
		few, fewTotal := allocations(4)
		many, manyTotal := allocations(1_000_000)
		if many > 2*few+20 || manyTotal > fewTotal+10 { // allow for the list of prime factors of 10^6
			t.Errorf("%+v: %v allocations for parts of 10^6 processes, %v for those of 4; %v and %v for the total",
				r.Rule, many, few, manyTotal, fewTotal)
		}
	}
}

func TestEachProcessGetsTheSameAgain(t *testing.T) {
	r := dice{rand.New(rand.NewPCG(3, 3))}
	for _, name := range ruleNames {
		j := draw(r, name, 5, 300)
		for rank := range j.ranks {
			if a, b := j.part(t, rank), j.part(t, rank); fmt.Sprint(a) != fmt.Sprint(b) {
				t.Errorf("%+v, process %d: %v, then %v", j, rank, a, b)
			}
		}
	}
}

// Training reads a batch at each step, until the shuffled rows of an epoch are used up.
func TestBatchesOfAnEpochHaveEachRowOnce(t *testing.T) {
	const rows, ranks, batch = 60, 3, 4
	times := make([]int, rows)
	for first := uint64(0); first < rows; first += ranks * batch {
		j := job{workload.Rule{Name: workload.RandomRule, Count: batch, First: first, Seed: 9}, []uint64{rows}, ranks}
		for rank := range j.ranks {
			for _, r := range runs(j.part(t, rank)) {
				for i := range r[1] {
					times[r[0]+i]++
				}
			}
		}
	}
	for row, n := range times {
		if n != 1 {
			t.Errorf("row %d is in %d batches", row, n)
		}
	}
}

// runs returns the runs of a part in elements.
func runs(s pattern.Selection) (list [][2]uint64) {
	for at, n := range s.Runs() {
		list = append(list, [2]uint64{at / element, n / element})
	}
	return list
}

// These numbers must never change or differ between machines: other processes, and later reads, rely on them.
func TestPartsThatAreKnown(t *testing.T) {
	for _, c := range []struct {
		name string
		job
		rank uint64
		want string
	}{
		{
			"blocks 4 × 3, as of MPI",
			job{workload.Rule{Name: workload.BlockRule}, []uint64{8, 9}, 12},
			5,
			"[[24 3] [33 3]]",
		},
		{
			"blocks 2 × 3 of the last two dimensions",
			job{workload.Rule{Name: workload.BlockRule, Grid: []uint64{2, 0}}, []uint64{2, 4, 9}, 6},
			4, "[[21 3] [30 3] [57 3] [66 3]]",
		},
		{
			"FLASH: 80 + rank mod 3 blocks",
			job{
				workload.Rule{Name: workload.ConcatRule, Counts: workload.ModuloCounts, Base: 80, Modulus: 3},
				[]uint64{1000},
				7,
			},
			5, "[[404 82]]",
		},
		{
			"normal counts",
			job{
				workload.Rule{
					Name: workload.ConcatRule, Counts: workload.NormalCounts, Mean: 524288, Deviation: 100000,
					Seed: 1,
				},
				[]uint64{1 << 33},
				8192,
			},
			4097, "[[2149724038 601164]]",
		},
		{
			"grids of AMR: units of 3072 numbers",
			job{
				workload.Rule{
					Name: workload.ConcatRule, Counts: workload.ListCounts, Each: []uint64{4, 8, 0, 4},
					Unit: 3072,
				},
				[]uint64{1 << 20},
				7,
			},
			5, "[[61440 24576]]",
		},
		{
			"the last but one grid",
			job{
				workload.Rule{
					Name: workload.ConcatRule, Counts: workload.ListCounts, Each: []uint64{4, 8, 0, 4}, Unit: 3072,
					Piece: 7,
				},
				[]uint64{1 << 20},
				7,
			},
			5, "[[79872 3072]]",
		},
		{
			"a grid that the process does not have",
			job{
				workload.Rule{
					Name: workload.ConcatRule, Counts: workload.ListCounts, Each: []uint64{4, 8, 0, 4}, Unit: 3072,
					Piece: 5,
				},
				[]uint64{1 << 20},
				7,
			},
			4, "[]",
		},
		{
			"parts of a mesh, 5 for 2 processes",
			job{
				workload.Rule{Name: workload.ConcatRule, Counts: workload.SharedCounts, Count: 5, Unit: 100},
				[]uint64{500},
				2,
			},
			1, "[[300 200]]",
		},
		{
			"blocks in turn",
			job{workload.Rule{Name: workload.CyclicRule, Length: 2}, []uint64{11}, 2},
			1,
			"[[2 2] [6 2] [10 1]]",
		},
		{
			"a map",
			job{workload.Rule{Name: workload.MapRule, Length: 6, Seed: 1}, []uint64{1000}, 50},
			3,
			"[[98 12] [297 1] [494 5] [611 16]]",
		},
		{
			"both corners",
			job{workload.Rule{Name: workload.CornersRule, Width: 2, Anti: true}, []uint64{6, 8}, 1},
			0,
			"[[6 2] [14 2] [32 2] [40 2]]",
		},
		{
			"a sample",
			job{workload.Rule{Name: workload.RandomRule, Count: 4, Seed: 1}, []uint64{1000}, 2},
			1,
			"[[58 1] [170 1] [689 1] [836 1]]",
		},
		{
			"every fourth of the rows of each process",
			job{workload.Rule{Name: workload.StridedRule, Count: 3, Length: 1, Stride: 4}, []uint64{31}, 3},
			1, "[[11 1] [15 1] [19 1]]", // of rows 11 to 20
		},
		{
			"the first process of three leaves its rows to the second one",
			job{workload.Rule{Name: workload.SlabRule, Idle: 3}, []uint64{10}, 5},
			1, "[[0 4]]",
		},
		{
			"the last process keeps its rows, as there is none after it",
			job{workload.Rule{Name: workload.SlabRule, Idle: 2}, []uint64{10}, 5},
			4, "[[8 2]]",
		},
		{
			"blocks 2 × 3 of which two are no block together",
			job{workload.Rule{Name: workload.BlockRule, Grid: []uint64{2, 3}, Idle: 3}, []uint64{4, 3}, 6},
			1, "[[0 2] [3 2]]",
		},
		{
			"two of four processes",
			job{workload.Rule{Name: workload.SlabRule, Ranks: 2}, []uint64{10}, 4},
			1, "[[5 5]]",
		},
		{
			"normal counts of all rows",
			job{
				workload.Rule{Name: workload.ConcatRule, Counts: workload.NormalCounts, Deviation: 2, Seed: 1},
				[]uint64{100},
				1,
			},
			0, "[[0 100]]",
		},
	} {
		if got := fmt.Sprint(runs(c.part(t, c.rank))); got != c.want {
			t.Errorf("%s: (first, number of elements) %s, want %s", c.name, got, c.want)
		}
	}
}

func TestRulesThatCannotBeAreRefused(t *testing.T) {
	type dims = []uint64
	for want, j := range map[string]job{
		"0 processes":                    {workload.Rule{Name: workload.SlabRule}, dims{4}, 0},
		"take everything() or nothing()": {workload.Rule{Name: workload.SlabRule}, nil, 2},
		"2^64 bytes":                     {workload.Rule{Name: workload.SlabRule}, dims{1 << 62}, 2},
		"all together must be less":      {workload.Rule{Name: workload.AllRule}, dims{1 << 60}, 2},
		"grid [1 1 2] for 2 dimensions": {
			workload.Rule{Name: workload.BlockRule, Grid: dims{1, 1, 2}},
			dims{4, 4},
			2,
		},
		"must divide their number":     {workload.Rule{Name: workload.BlockRule, Grid: dims{3, 0}}, dims{4, 4}, 4},
		"has 2 blocks for 4 processes": {workload.Rule{Name: workload.BlockRule, Grid: dims{2, 1}}, dims{4, 4}, 4},
		"equal counts do not use mean": {
			workload.Rule{Name: workload.ConcatRule, Counts: workload.EqualCounts, Mean: 1}, dims{4}, 2,
		},
		"need an extent of 6": {
			workload.Rule{Name: workload.ConcatRule, Counts: workload.EqualCounts, Count: 3},
			dims{5},
			2,
		},
		"normal counts do not use piece": {
			workload.Rule{Name: workload.ConcatRule, Counts: workload.NormalCounts, Mean: 1, Piece: 1}, dims{4}, 2,
		},
		"up to 13835058055282163712 rows": {
			workload.Rule{Name: workload.ConcatRule, Counts: workload.SharedCounts, Count: 1 << 62, Unit: 3},
			dims{4},
			2,
		},
		"counts modulo 0":       {workload.Rule{Name: workload.ConcatRule, Counts: workload.ModuloCounts}, dims{5}, 2},
		"a list without counts": {workload.Rule{Name: workload.ConcatRule, Counts: workload.ListCounts}, dims{5}, 2},
		"mean -1": {
			workload.Rule{Name: workload.ConcatRule, Counts: workload.NormalCounts, Mean: -1},
			dims{5},
			2,
		},
		"less than 2^62 rows": {
			workload.Rule{Name: workload.ConcatRule, Counts: workload.NormalCounts, Mean: 4e18},
			dims{5},
			2,
		},
		"less than 2^63": {
			workload.Rule{Name: workload.ConcatRule, Counts: workload.EqualCounts, Count: 1 << 62},
			dims{5},
			2,
		},
		"9223372036854775808 rows": {workload.Rule{
			Name: workload.ConcatRule, Counts: workload.ModuloCounts, Base: 1 << 63,
			Modulus: 1,
		}, dims{5}, 2},
		"dimension 2 of 2: give a number": {
			workload.Rule{Name: workload.CyclicRule, Length: 1, Dim: 2},
			dims{5, 5},
			2,
		},
		"dimension -3 of 2": {
			workload.Rule{Name: workload.MapRule, Length: 1, Dim: -3},
			dims{5, 5},
			2,
		},
		"blocks of length 0":                 {workload.Rule{Name: workload.CyclicRule}, dims{5}, 2},
		"a mean length of 0":                 {workload.Rule{Name: workload.MapRule}, dims{5}, 2},
		"index 5 in dimension 0 of extent 5": {workload.Rule{Name: workload.SliceRule, Index: 5}, dims{5, 6}, 2},
		"for 2 dimensions, not for 3":        {workload.Rule{Name: workload.FrameRule, Width: 1}, dims{5, 5, 5}, 2},
		"give a width from 1 to 2":           {workload.Rule{Name: workload.CornersRule, Width: 3}, dims{5, 6}, 2},
		"width 0 in [5 6]":                   {workload.Rule{Name: workload.DiagonalRule}, dims{5, 6}, 2},
		"there can be 4194304 at most": {
			workload.Rule{Name: workload.MapRule, Dim: 0, Length: 1},
			dims{1 << 30},
			2,
		},
		"there are too few": {
			workload.Rule{Name: workload.RandomRule, Count: 2, First: 2},
			dims{5},
			2,
		},
		"first row 6 in the shuffled": {workload.Rule{Name: workload.RandomRule, First: 6}, dims{5}, 2},
		"give a count and a length":   {workload.Rule{Name: workload.StridedRule, Count: 1}, dims{5}, 2},
		"apart, overlap": {
			workload.Rule{Name: workload.StridedRule, Count: 2, Length: 2, Stride: 1}, dims{9}, 2,
		},
		"more than the 4 rows": {
			workload.Rule{Name: workload.StridedRule, Count: 2, Length: 2, Stride: 3}, dims{9}, 2,
		},
		"of each 1 processes is idle": {workload.Rule{Name: workload.SlabRule, Idle: 1}, dims{5}, 2},
		"the first 3 of 2 processes":  {workload.Rule{Name: workload.SlabRule, Ranks: 3}, dims{5}, 2},
	} {
		if _, err := j.TotalBytes(j.dims, element, j.ranks); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", j, err, want)
		}
	}
	if _, err := (workload.Rule{Name: workload.SlabRule}).Selection([]uint64{4}, element, 2, 2); err == nil {
		t.Error("there is a process 2 of 2")
	}
}

func TestADatasetWithoutElementsCanBeDivided(t *testing.T) {
	for _, name := range []workload.RuleName{
		workload.BlockRule, workload.SlabRule, workload.CyclicRule,
		workload.MapRule, workload.RandomRule, workload.AllRule, workload.NoneRule,
	} {
		r := workload.Rule{Name: name}
		if name == workload.CyclicRule || name == workload.MapRule {
			r.Length = 2
		}
		for _, dims := range [][]uint64{{0, 5}, {5, 0}} {
			job{r, dims, 3}.check(t)
		}
	}
}
