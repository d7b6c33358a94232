package placement_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/placement"
	"h5perf/pkg/units"
)

// each returns the nodes of a placement one by one.
func each(hosts []placement.Host) []placement.Host { return slices.Collect(placement.EachNode(hosts)) }

// list returns the list of processors on which a rank may run.
type list func(local int) string

// one binds each rank to the two hardware threads of a core, on a node with 128 cores.
func one(local int) string { return units.FormatRanges([]int{local, local + 128}) }

// job returns an entry for each node of a job, with count ranks per node. rank returns the number of a rank from its
// node and its local rank.
func job(nodes, count int, rank func(node, local int) int, cpus list) (hosts []placement.Host) {
	for node := range nodes {
		var ranks []int
		var lists []string
		for local := range count {
			ranks, lists = append(ranks, rank(node, local)), append(lists, cpus(local))
		}
		hosts = append(hosts, placement.NewHost(fmt.Sprintf("n%04d", node+1), ranks, lists, float64(count)))
	}
	return hosts
}

// size returns the size of a placement in a document, in bytes.
func size(t *testing.T, hosts []placement.Host) int {
	t.Helper()
	text, err := json.MarshalIndent(hosts, "    ", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}

func TestALargeJobIsSmall(t *testing.T) {
	const nodes, count, most = 1000, 128, 16 << 10
	sockets := func(local int) string { return one(local%2*64 + local/2) } // alternating between two sockets
	for name, c := range map[string]struct {
		rank    func(node, local int) int
		cpus    list
		entries int
		largest int
	}{
		"block":             {func(node, local int) int { return node*count + local }, one, 1, 512},
		"cyclic":            {func(node, local int) int { return local*nodes + node }, one, 1, 512},
		"plane":             {func(node, local int) int { return local/4*4*nodes + node*4 + local%4 }, one, 1, 1024},
		"two sockets":       {func(node, local int) int { return node*count + local }, sockets, 1, 1024},
		"cyclic on sockets": {func(node, local int) int { return local*nodes + node }, sockets, 1, 1024},
		"in no order": {
			func(node, local int) int { return node*count + local },
			func(local int) string { return strconv.Itoa(local * 37 % 128) }, 1, most,
		},
	} {
		all := job(nodes, count, c.rank, c.cpus)
		merged := placement.MergeEqualLayouts(all)
		if n := size(t, merged); n > c.largest || len(merged) != c.entries || placement.NumNodes(merged) != nodes {
			t.Errorf("%s: %d bytes, %d entries, %d nodes; want at most %d bytes", name, n, len(merged),
				placement.NumNodes(merged), c.largest)
		}
		if d := cmp.Diff(all, each(merged)); d != "" {
			t.Errorf("%s: (-before +after)\n%s", name, d)
		}
	}
	odd := job(nodes, count, func(node, local int) int { return node*count + local }, one)
	for i := range odd { // 1 of 7 nodes has half of the processors, and nodes are missing
		if i%7 == 3 {
			odd[i].CPUs = 64
		}
		odd[i].Host = fmt.Sprintf("n%04d", i+i/5+1)
	}
	if n := size(t, placement.MergeEqualLayouts(odd)); n > most {
		t.Errorf("two layouts: %d bytes", n)
	}
}

func TestNodesOfEqualLayoutShareAnEntry(t *testing.T) {
	got := placement.MergeEqualLayouts([]placement.Host{
		placement.NewHost("n1", []int{0, 1, 2}, []string{"0", "1", "2"}, 3),
		placement.NewHost("n2", []int{3, 4, 5}, []string{"0", "1", "2"}, 3),
		placement.NewHost("big", []int{6, 7}, []string{"0-3", "0-3"}, 4),
		placement.NewHost("n3", []int{8, 9, 10}, []string{"0", "1", "2"}, 3),
		placement.NewHost("n4", []int{11, 12, 14}, []string{"0", "1", "2"}, 3),
		placement.NewHost("n5", []int{15, 16, 17}, []string{"0", "2", "1"}, 3),
	})
	bound := []placement.Binding{{Local: "0-2", Ranks: 3, CPUs: "0", Shift: 1}}
	want := []placement.Host{
		{Host: "n[1-3]", Nodes: 3, Ranks: "0-2", Lowest: "0,3,8", Count: 3, CPUs: 3, Bindings: bound},
		{
			Host: "big", Ranks: "6-7", Count: 2, CPUs: 4,
			Bindings: []placement.Binding{{Local: "0-1", Ranks: 2, CPUs: "0-3"}},
		},
		{Host: "n4", Ranks: "11-12,14", Count: 3, CPUs: 3, Bindings: bound},
		{Host: "n5", Ranks: "15-17", Count: 3, CPUs: 3, Bindings: []placement.Binding{
			{Local: "0-1", Ranks: 2, CPUs: "0", Shift: 2}, {Local: "2", Ranks: 1, CPUs: "1"},
		}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	var names []string
	for h := range placement.EachNode(got) {
		names = append(names, h.Host+": "+h.Ranks)
	}
	if want := []string{
		"n1: 0-2", "n2: 3-5", "big: 6-7", "n3: 8-10", "n4: 11-12,14", "n5: 15-17",
	}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if first := got[0].FirstNode() + got[1].FirstNode(); first != "n1big" {
		t.Errorf("the first nodes are %q", first)
	}
	for n, want := range map[int][]int{
		0: {0, 0, 0, 0}, 2: {2, 0, 0, 0}, 3: {2, 1, 0, 0}, 4: {3, 1, 0, 0}, 6: {3, 1, 1, 1}, 9: {3, 1, 1, 1},
	} {
		if among := placement.NodesPerEntry(got, n); !slices.Equal(among, want) {
			t.Errorf("of the first %d nodes %v are in the entries, want %v", n, among, want)
		}
	}
}

// random returns a job with random nodes, and ranks in random order, with one entry for each node.
func random(r *rand.Rand) (hosts []placement.Host) {
	nodes := 1 + r.IntN(20)
	ranks := make([][]int, nodes)
	regular := r.IntN(2) == 0
	for rank := range nodes + r.IntN(100) {
		node := rank % nodes
		if !regular && rank >= nodes {
			node = r.IntN(nodes)
		}
		ranks[node] = append(ranks[node], rank)
	}
	wide, shift := 1+r.IntN(3), r.IntN(4)
	for node, own := range ranks {
		cpus := make([]string, len(own))
		for i := range cpus {
			first := i * shift
			if r.IntN(40) == 0 {
				first = r.IntN(8)
			}
			cpus[i] = units.FormatRanges([]int{first, first + wide})
			if r.IntN(40) == 0 {
				cpus[i] = ""
			}
		}
		name := fmt.Sprintf("n%d", node+8)
		if r.IntN(20) == 0 {
			name = []string{"", "a,b", "c[1]", "login"}[r.IntN(4)]
		}
		hosts = append(hosts, placement.NewHost(name, own, cpus, float64(2+r.IntN(2))))
	}
	return hosts
}

// TestMergingLosesNothing merges random jobs at once and in steps, as nodes do in a reduction tree.
func TestMergingLosesNothing(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 2))
		all := random(r)
		merged := placement.MergeEqualLayouts(all)
		if d := cmp.Diff(all, each(merged)); d != "" {
			t.Fatalf("seed %d: (-before +after)\n%s", seed, d)
		}
		at := r.IntN(len(all))
		steps := placement.MergeEqualLayouts(slices.Concat(placement.MergeEqualLayouts(all[:at]),
			placement.MergeEqualLayouts(all[at:])))
		if d := cmp.Diff(merged, steps) + cmp.Diff(merged, placement.MergeEqualLayouts(merged)); d != "" {
			t.Fatalf("seed %d: in steps, or again: (-once +steps)\n%s", seed, d)
		}
	}
}

// processors returns the list of processors of each local rank, from bindings.
func processors(t *testing.T, bound []placement.Binding, n int) []string {
	t.Helper()
	lists := make([]string, n)
	for _, b := range bound {
		local, err := units.ParseRanges(b.Local)
		cpus, errCPUs := units.ParseRanges(b.CPUs)
		if err != nil || errCPUs != nil || len(local) != b.Ranks {
			t.Fatalf("binding %+v", b)
		}
		for i, rank := range local {
			moved := slices.Clone(cpus)
			for k := range moved {
				moved[k] += i * b.Shift
			}
			if lists[rank] != "" {
				t.Fatalf("rank %d twice in %+v", rank, bound)
			}
			lists[rank] = units.FormatRanges(moved)
		}
	}
	return lists
}

func TestBindingsAreThoseOfEachRank(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 3))
		ranks, lists := make([]int, 1+r.IntN(40)), []string(nil)
		shift, sockets, seldom := r.IntN(9)-4, 1+r.IntN(3), 1+r.IntN(50)
		for i := range ranks {
			ranks[i] = i
			first := 200 + i/sockets*shift + i%sockets*500
			if r.IntN(seldom) == 0 {
				first = r.IntN(400)
			}
			lists = append(lists, units.FormatRanges([]int{first, first + 1, first + 100}))
			if r.IntN(30) == 0 {
				lists[i] = ""
			}
		}
		h := placement.NewHost("n", ranks, lists, 0)
		if got := processors(t, h.Bindings, len(ranks)); !slices.Equal(got, lists) {
			t.Fatalf("seed %d: %q\nas %+v is\n%q", seed, lists, h.Bindings, got)
		}
	}
	h := placement.NewHost("n", []int{0, 1, 2}, []string{"0,2,4,6", "what", "0-6:2"}, 0)
	if want := []placement.Binding{
		{Local: "0,2", Ranks: 2, CPUs: "0-6:2"}, {Local: "1", Ranks: 1, CPUs: "what"},
	}; !slices.Equal(h.Bindings, want) {
		t.Errorf("%+v, want %+v", h.Bindings, want)
	}
}

func TestProcessorsOfANode(t *testing.T) {
	for want, bound := range map[string][]placement.Binding{
		"":          nil,
		"0-3":       {{Ranks: 4, CPUs: "0", Shift: 1}},
		"4-7":       {{Ranks: 4, CPUs: "7", Shift: -1}},
		"0-1,4-5,8": {{Ranks: 2, CPUs: "0-1", Shift: 4}, {Ranks: 9, CPUs: "8"}},
		"7": {
			{Ranks: 2147483647, CPUs: "7"}, // the other bindings are not valid
			{Ranks: 2147483647, CPUs: "0", Shift: 1},
			{Ranks: 3, CPUs: "1", Shift: -1},
			{Ranks: 1, CPUs: "?"},
			{Ranks: 1},
			{CPUs: "3"},
		},
	} {
		if got := units.FormatRanges(placement.Host{Bindings: bound}.Processors()); got != want {
			t.Errorf("%+v: %s, want %s", bound, got, want)
		}
	}
}

// A document may come from an untrusted source.
func TestEntriesThatMakeNoSenseStayAsTheyAre(t *testing.T) {
	hosts := []placement.Host{
		{Host: "n1", Ranks: "x", Count: 1},
		{Host: "n2", Ranks: "4", Count: 2},
		{Host: "n[3-5]", Nodes: 2, Ranks: "6", Lowest: "6-7", Count: 1},
		{Host: "n[", Nodes: 2, Ranks: "8", Lowest: "8-9", Count: 1},
		{Host: "n[6-7]", Nodes: 2, Ranks: "10", Lowest: "10-12", Count: 1},
		{Host: "n[8-9]", Nodes: 2147483647, Ranks: "13", Lowest: "13-14", Count: 1},
		{Host: "n10", Ranks: "15", Count: 1},
		{Host: "n11", Ranks: "15", Count: 1},
		{Host: "n12", Ranks: "16", Count: 1},
		{},
	}
	for name, got := range map[string][]placement.Host{
		"merged": placement.MergeEqualLayouts(hosts),
		"each":   each(hosts),
	} {
		if d := cmp.Diff(hosts, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if n := placement.NumNodes(hosts); n != 2147483647+12 {
		t.Errorf("%d nodes", n)
	}
	if got := placement.NodesPerEntry(hosts, 5); !slices.Equal(got, []int{1, 1, 2, 1, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("among the first 5: %v", got)
	}
	if first := hosts[3].FirstNode(); first != "n[" {
		t.Errorf("first %q", first)
	}
}
