package mpitest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/mpi"
)

// Conformance checks, on each process, that world fulfils the contract of mpi.Comm. All its processes must be on one
// node. Collective.
func Conformance(t *testing.T, world mpi.Comm) {
	t.Helper()
	for _, s := range sentences {
		if err := s.holds(world); err != nil {
			t.Errorf("rank %d of %d: %s: %v", world.Rank(), world.Size(), s.text, err)
		}
		world.Barrier()
	}
}

// sentences are the sentences of the contract, each with its check.
var sentences = []struct {
	text  string
	holds func(world mpi.Comm) error
}{
	{"ranks go from 0 to the size", ranksAreNumbered},
	{"Reduce finds the extremes, the sum, and the lowest rank that has the maximum", reduces},
	{"Reduce of nothing is nothing", reducesNothing},
	{"SumUint64 adds in place", adds},
	{"a Reduction gives each value its extremes, Sum each number its sum", reducesByName},
	{"Bcast gives the bytes of the root to all", broadcasts},
	{"the bytes that Bcast and Gather return are each rank's own", keepsBytesApart},
	{"Gather gives the bytes of all to rank 0, in the order of ranks", gathers},
	{"Broadcast gives the value of the root to all", broadcastsValues},
	{"OnFirst gives the error of rank 0 to all", asksTheFirst},
	{"Agree gives the highest code and the lowest rank that gave it", agrees},
	{"Agree waits for a process that comes late", waits},
	{"Agree gives up after the grace, with a code or in a hurry, and the late ones still see the code", givesUp},
	{"a signal brings its code, each to the one that waits for its sender", signals},
	{"a wait for a signal ends in a hurry, and the signal may come later", hurries},
	{"Split makes communicators by color, in the order of key and of rank", splits},
	{"Split gives nil for a negative color", leavesOut},
	{"SplitNode keeps the processes of a node together, in the order of ranks", splitsNodes},
	{"First makes a communicator of its members alone", groups},
	{"Alone makes a communicator of one process, without the others", isAlone},
	{"Placement and Node find one node with all ranks", places},
}

// unless returns an error that shows the difference of two values; nil if they are equal.
func unless(want, got any) error {
	if d := cmp.Diff(want, got); d != "" {
		return errors.New(d)
	}
	return nil
}

func ranksAreNumbered(world mpi.Comm) error {
	seen := make([]uint64, world.Size())
	seen[world.Rank()] = 1
	world.SumUint64(seen)
	for rank, n := range seen {
		if n != 1 {
			return fmt.Errorf("%d processes have rank %d", n, rank)
		}
	}
	return nil
}

func reduces(world mpi.Comm) error {
	r, last := float64(world.Rank()), float64(world.Size()-1)
	sum := last * (last + 1) / 2
	inf := math.Inf(1)
	return unless([]mpi.ReducedValue{
		{Max: last, Min: 0, Sum: sum, MaxRank: world.Size() - 1},
		{Max: 0, Min: 0 - 2*last, Sum: 0 - 2*sum, MaxRank: 0},
		{Max: 5, Min: 5, Sum: 5 * (last + 1), MaxRank: 0},
		{Max: inf, Min: inf, Sum: inf, MaxRank: 0},
	}, world.Reduce([]float64{r, 0 - 2*r, 5, inf}))
}

func reducesNothing(world mpi.Comm) error {
	if all := world.Reduce(nil); len(all) > 0 {
		return fmt.Errorf("got %v", all)
	}
	world.SumUint64(nil)
	return nil
}

func adds(world mpi.Comm) error {
	n := uint64(world.Size())
	sums := []uint64{1 << 61, uint64(world.Rank())}
	world.SumUint64(sums)
	return unless([]uint64{n << 61, n * (n - 1) / 2}, sums)
}

func reducesByName(world mpi.Comm) error {
	last := world.Size() - 1
	var all mpi.Reduction
	rank, onLast, never := all.Add(float64(world.Rank())), all.AddFlag(world.Rank() == last), all.AddFlag(false)
	all.Run(world)
	one, ranks := uint64(1), uint64(world.Rank())
	mpi.SumInPlace(world, &one, &ranks)
	return errors.Join(
		unless(float64(last), rank.Max),
		unless(mpi.ReducedValue{Max: 1, Min: float64(1 - min(last, 1)), Sum: 1, MaxRank: last}, *onLast),
		unless(mpi.ReducedValue{}, *never),
		unless([]int{last + 1, last * (last + 1) / 2}, []int{int(one), int(ranks)}))
}

func broadcasts(world mpi.Comm) error {
	root := world.Size() - 1
	for _, n := range []int{0, 1, 7, 1 << 20} {
		data := []byte("ignored")
		want := bytes.Repeat([]byte{byte(n), 3}, n)
		if world.Rank() == root {
			data = want
		}
		if got := world.Bcast(data, root); !bytes.Equal(got, want) {
			return fmt.Errorf("%d bytes came as %d other ones", len(want), len(got))
		}
	}
	return nil
}

func keepsBytesApart(world mpi.Comm) error {
	mine := []byte{byte(world.Rank())}
	all := world.Gather(mine)
	mine[0] = 99
	sent := world.Bcast([]byte{7}, 0)
	if sent[0] != 7 {
		return fmt.Errorf("%d was sent, want 7", sent[0])
	}
	world.Barrier()
	sent[0] = byte(world.Rank())
	world.Barrier()
	if sent[0] != byte(world.Rank()) {
		return errors.New("another rank wrote into what came")
	}
	for rank, b := range all {
		if world.Size() > 1 && b[0] != byte(rank) {
			return fmt.Errorf("%d gathered of rank %d after it changed its own bytes", b[0], rank)
		}
	}
	return nil
}

func gathers(world mpi.Comm) error {
	var want []string
	if world.Rank() == 0 {
		for rank := range world.Size() {
			want = append(want, strings.Repeat("x", rank))
		}
	}
	var got []string
	for _, b := range world.Gather([]byte(strings.Repeat("x", world.Rank()))) {
		got = append(got, string(b))
	}
	return unless(want, got)
}

func broadcastsValues(world mpi.Comm) error {
	root := world.Size() - 1
	return unless([]int{root, 2}, mpi.Broadcast(world, []int{world.Rank(), 2}, root))
}

func asksTheFirst(world mpi.Comm) error {
	err := mpi.CheckOnRoot(world, func() error { return fmt.Errorf("asked of %d", world.Rank()) })
	if err == nil || err.Error() != "asked of 0" {
		return fmt.Errorf("got %w", err)
	}
	return mpi.CheckOnRoot(world, func() error { return nil })
}

func agrees(world mpi.Comm) error {
	last := world.Size() - 1
	for _, c := range []struct {
		code     func(rank int) int
		highest  int
		fromRank int
	}{
		{func(int) int { return 0 }, 0, 0},
		{func(int) int { return 7 }, 7, 0},
		{func(rank int) int { return rank }, last, last},
		{func(rank int) int { return min(rank, 1) }, min(last, 1), min(last, 1)},
		{func(rank int) int { return last - rank }, last, 0},
	} {
		highest, rank, err := world.Agree(c.code(world.Rank()), nil, time.Minute, mpi.Awake)
		if err != nil {
			return err
		}
		if err := unless([2]int{c.highest, c.fromRank}, [2]int{highest, rank}); err != nil {
			return err
		}
	}
	return nil
}

// late is how long a process makes the others wait: longer than the part of a wait without sleep.
const late = 100 * time.Millisecond

func waits(world mpi.Comm) error {
	if world.Rank() == 0 {
		time.Sleep(late)
	}
	_, _, err := world.Agree(0, func() bool { return false }, 0, mpi.Asleep)
	return err
}

func givesUp(world mpi.Comm) error {
	if world.Size() == 1 { // there is no other process
		return nil
	}
	last := world.Size() - 1
	for _, c := range []struct {
		code  int
		hurry bool
	}{{1, false}, {0, true}} {
		part := world.Split(0, world.Rank()) // not freed: the last rank does not complete its agreement
		var took time.Duration
		var left error
		if world.Rank() == last {
			start := time.Now()
			_, _, left = part.Agree(c.code, func() bool { return c.hurry }, late, mpi.Awake)
			took = time.Since(start)
		}
		world.Barrier()
		if world.Rank() == last {
			if !errors.Is(left, mpi.ErrNoAgreement) || took < late || took > time.Minute {
				return fmt.Errorf("code %d: %w after %v", c.code, left, took)
			}
			continue
		}
		highest, rank, err := part.Agree(0, nil, late, mpi.Asleep)
		if err != nil {
			return err
		}
		if err := unless([2]int{c.code, c.code * last}, [2]int{highest, rank}); err != nil {
			return err
		}
	}
	return nil
}

// signals sends two codes around in a ring, one after another.
func signals(world mpi.Comm) error {
	n, r := world.Size(), world.Rank()
	if n == 1 { // there is no other process
		_, came := world.AwaitSignal(0, func() bool { return true })
		return unless(false, came)
	}
	before, next := (r+n-1)%n, (r+1)%n
	part := world.Split(0, 0-r)
	defer part.Free()
	for code := 7; code < 9; code++ {
		world.Signal(next, code*n+r)
		part.Signal(n-1-next, 1) // of another communicator
		got, came := world.AwaitSignal(before, nil)
		one, also := part.AwaitSignal(n-1-before, func() bool { return false })
		if err := unless([]any{code*n + before, true, 1, true}, []any{got, came, one, also}); err != nil {
			return err
		}
	}
	return nil
}

func hurries(world mpi.Comm) error {
	last := world.Size() - 1
	if last == 0 { // there is no other process
		return nil
	}
	if world.Rank() == 0 {
		calls := 0
		_, came := world.AwaitSignal(last, func() bool { calls++; return calls == 3 })
		if came || calls != 3 {
			return fmt.Errorf("came: %v, after %d questions for a hurry", came, calls)
		}
	}
	world.Barrier()
	if world.Rank() == last {
		world.Signal(0, 5)
	}
	if world.Rank() == 0 {
		code, came := world.AwaitSignal(last, nil)
		return unless([]any{5, true}, []any{code, came})
	}
	return nil
}

func splits(world mpi.Comm) error {
	r := world.Rank()
	part := world.Split(r%2, 0-r/2) // of ranks 0 2 4: 4 2 0
	defer part.Free()
	sameKey := world.Split(0, 1)
	defer sameKey.Free()
	n := (world.Size() + 1 - r%2) / 2
	if err := unless([3]int{n - 1 - r/2, n, r}, [3]int{part.Rank(), part.Size(), sameKey.Rank()}); err != nil {
		return err
	}
	return unless(float64(n), part.Reduce([]float64{1})[0].Sum)
}

func leavesOut(world mpi.Comm) error {
	color := 0
	if world.Rank() == world.Size()-1 {
		color = -1
	}
	part := world.Split(color, 0)
	if color < 0 {
		if part != nil {
			return fmt.Errorf("got %v", part)
		}
		return nil
	}
	defer part.Free()
	return unless(world.Size()-1, part.Size())
}

func splitsNodes(world mpi.Comm) error {
	node := world.SplitNode()
	defer node.Free()
	return unless([2]int{world.Rank(), world.Size()}, [2]int{node.Rank(), node.Size()})
}

func isAlone(world mpi.Comm) error {
	if world.Rank() == 0 && world.Size() > 1 {
		return nil // the others do not wait for it
	}
	alone := world.SplitSelf()
	sum := alone.Reduce([]float64{float64(world.Rank())})[0].Sum
	got := [3]int{alone.Rank(), alone.Size(), int(sum)}
	alone.Free()
	return unless([3]int{0, 1, world.Rank()}, got)
}

func groups(world mpi.Comm) error {
	n := max(1, world.Size()-1)
	for range 2 { // the same group again, after it was freed
		if world.Rank() >= n {
			continue // no member: it does not call First
		}
		part := world.SplitFirst(n)
		sum := part.Reduce([]float64{1})[0].Sum
		got := [3]int{part.Rank(), part.Size(), int(sum)}
		if part.Rank() == 0 {
			inner := part.SplitFirst(1)
			got[2] += inner.Size()
			inner.Free()
			got[2]--
		}
		part.Free()
		if err := unless([3]int{world.Rank(), n, n}, got); err != nil {
			return err
		}
	}
	return nil
}

func places(world mpi.Comm) error {
	local, nodes := mpi.Node(world)
	if err := unless([2]int{world.Rank(), 1}, [2]int{local, nodes}); err != nil {
		return err
	}
	hosts, err := mpi.CollectPlacement(world, mpi.OwnProcessors)
	if world.Rank() != 0 || err != nil {
		return errors.Join(err, unless(0, len(hosts)))
	}
	if len(hosts) != 1 || hosts[0].Count != world.Size() {
		return fmt.Errorf("got %v", hosts)
	}
	bound := 0
	for _, b := range hosts[0].Bindings {
		bound += b.Ranks
	}
	return unless(world.Size(), bound)
}
