// Package placement describes which ranks run on which nodes and processors. Nodes with equal layouts share an entry,
// so that the size of a regular placement does not grow with the number of ranks or nodes.
package placement

import (
	"cmp"
	"iter"
	"slices"

	"h5perf/pkg/units"
)

// Host is a node and its ranks in MPI_COMM_WORLD, as ranges such as "0-3,8", or "0-30:2" with a step of 2. A Host can
// stand for several nodes if their layouts are equal: each node has the same number of ranks, with the same distances
// between the ranks, on the same processors.
type Host struct {
	// Name of the node. For several nodes it is a list in the form of Slurm, such as "n[0001-1000,1003]", in the order
	// of their lowest ranks.
	Host  string `json:"host"`
	Nodes int    `json:"nodes,omitempty"` // number of nodes; absent for a single node
	Ranks string `json:"ranks"`           // ranks on the first node
	// Lowest rank on each of several nodes, such as "0-127872:128". The other ranks of a node have the same distances
	// to its lowest rank as on the first node.
	Lowest string `json:"lowest_ranks,omitempty"`
	Count  int    `json:"count"` // number of ranks on each node
	// Number of processors that the ranks of a node together may use: those that any rank is bound to, but at most the
	// quota of their control group (cgroup). Absent if not known.
	CPUs     float64   `json:"usable_cpus,omitempty"`
	Bindings []Binding `json:"cpu_binding,omitempty"` // the same on each node; absent if not known
}

// NewHost returns an entry for one node. ranks holds the ranks on this node in ascending order. cpus holds, for each
// rank, the list of processors that the rank may run on, or "" if that is not known. usable is the number of processors
// that the ranks together may use.
func NewHost(name string, ranks []int, cpus []string, usable float64) Host {
	return Host{
		Host: name, Ranks: units.FormatRanges(ranks), Count: len(ranks), CPUs: usable,
		Bindings: rankBindings(cpus),
	}
}

// NumNodes returns the number of nodes in a placement.
func NumNodes(hosts []Host) int {
	n := 0
	for _, h := range hosts {
		n += h.numNodes()
	}
	return n
}

func (h Host) numNodes() int { return max(1, h.Nodes) }

// FirstNode returns the name of the first node that h stands for.
func (h Host) FirstNode() string {
	if names := h.nodeNames(); len(names) > 0 {
		return names[0]
	}
	return h.Host
}

// nodeNames returns the names of the nodes that h stands for. It returns nil if h stands for several nodes, but h.Host
// is not a valid list of names.
func (h Host) nodeNames() []string {
	if h.Nodes == 0 {
		return []string{h.Host}
	}
	names, _ := UnpackHosts(h.Host) // nil with an error
	return names
}

// lowestRanksAndDistances returns the lowest rank of each node that h stands for. distances holds, for each rank of a
// node, its difference to the lowest rank of that node, which is the same on all these nodes. It returns nil if the
// ranks in h are not valid.
func (h Host) lowestRanksAndDistances() (lowest, distances []int) {
	ranks, err := units.ParseRanges(h.Ranks)
	if err != nil || len(ranks) == 0 {
		return nil, nil
	}
	lowest = ranks[:1]
	if h.Nodes > 0 {
		if lowest, err = units.ParseRanges(h.Lowest); err != nil || len(lowest) != h.Nodes {
			return nil, nil
		}
	}
	return lowest, shiftNumbers(ranks, -ranks[0])
}

// shiftNumbers returns a copy of numbers in which the value of by is added to each number.
func shiftNumbers(numbers []int, by int) []int {
	out := make([]int, len(numbers))
	for i, n := range numbers {
		out[i] = n + by
	}
	return out
}

// entryNode is a node of a placement: its lowest rank, the index of the entry (Host) that describes the node, and the
// index of the node within this entry.
type entryNode struct{ lowest, entry, index int }

// nodesByLowestRank returns all nodes, sorted by their lowest ranks. An entry without valid ranks counts as one node,
// which comes directly after the nodes of the previous entry.
func nodesByLowestRank(hosts []Host) (all []entryNode) {
	last := 0
	for e, h := range hosts {
		lowest, _ := h.lowestRanksAndDistances()
		if lowest == nil {
			lowest = []int{last}
		}
		for i, rank := range lowest {
			all = append(all, entryNode{rank, e, i})
			last = rank
		}
	}
	slices.SortStableFunc(all, func(a, b entryNode) int { return cmp.Compare(a.lowest, b.lowest) })
	return all
}

// EachNode yields an entry for each node, sorted by the lowest ranks of the nodes. If the names or ranks in an entry
// for several nodes are not valid, EachNode yields this entry unchanged.
func EachNode(hosts []Host) iter.Seq[Host] {
	return func(yield func(Host) bool) {
		single := make([]func(entryNode) Host, len(hosts))
		for _, n := range nodesByLowestRank(hosts) {
			if single[n.entry] == nil {
				single[n.entry] = hosts[n.entry].nodeSplitter()
			}
			h := single[n.entry](n)
			if n.index > 0 && h.Nodes > 0 {
				continue
			}
			if !yield(h) {
				return
			}
		}
	}
}

// nodeSplitter returns a function that makes an entry for a single node from h, which may stand for several nodes. If
// the names or ranks in h are not valid, the function returns h.
func (h Host) nodeSplitter() func(entryNode) Host {
	names := h.nodeNames()
	lowest, distances := h.lowestRanksAndDistances()
	if h.Nodes == 0 || lowest == nil || len(names) != len(lowest) {
		return func(entryNode) Host { return h }
	}
	return func(n entryNode) Host {
		one := h
		one.Host, one.Nodes, one.Lowest = names[n.index], 0, ""
		one.Ranks = units.FormatRanges(shiftNumbers(distances, n.lowest))
		return one
	}
}

// NodesPerEntry selects the n nodes with the lowest ranks, and returns, for each entry of hosts, how many of its nodes
// are selected.
func NodesPerEntry(hosts []Host, n int) []int {
	counts := make([]int, len(hosts))
	if n >= NumNodes(hosts) {
		for i, h := range hosts {
			counts[i] = h.numNodes()
		}
		return counts
	}
	for _, node := range nodesByLowestRank(hosts) {
		if n == 0 {
			break
		}
		counts[node.entry]++
		n--
	}
	return counts
}
