// Package placement describes which ranks run on which nodes and processors. Nodes of equal layout share an entry, so
// that the size of a regular placement depends neither on the number of ranks nor on the number of nodes.
package placement

import (
	"cmp"
	"iter"
	"slices"

	"h5perf/pkg/units"
)

// Host is a node and its ranks of MPI_COMM_WORLD, as ranges such as "0-3,8", or "0-30:2" with a step of 2. It can stand
// for several nodes, whose layouts are equal: each has as many ranks, at the same distances, with the same processors.
type Host struct {
	// Name of the node. Several nodes are a list as Slurm writes it, such as "n[0001-1000,1003]", in the order of their
	// lowest ranks.
	Host  string `json:"host"`
	Nodes int    `json:"nodes,omitempty"` // number of nodes; absent for one, whose name is not a list
	Ranks string `json:"ranks"`           // of the first node
	// Lowest rank on each of several nodes, such as "0-127872:128". The other ranks of a node follow its lowest rank at
	// the same distances as on the first node.
	Lowest string `json:"lowest_ranks,omitempty"`
	Count  int    `json:"count"` // number of ranks on each node
	// Processors that the ranks of a node may use all together: those that any of them is bound to, and no more than
	// the quota of their control group. Absent if not known.
	CPUs     float64   `json:"usable_cpus,omitempty"`
	Bindings []Binding `json:"cpu_binding,omitempty"` // on each node; absent if not known
}

// NewHost returns the node of a name. ranks are its ranks, ascending, and cpus has the list of processors that each of
// them may run on, or "" if that is not known. usable is the number of processors that they may use all together.
func NewHost(name string, ranks []int, cpus []string, usable float64) Host {
	return Host{
		Host: name, Ranks: units.FormatRanges(ranks), Count: len(ranks), CPUs: usable,
		Bindings: rankBindings(cpus),
	}
}

// NumNodes returns the number of nodes.
func NumNodes(hosts []Host) int {
	n := 0
	for _, h := range hosts {
		n += h.numNodes()
	}
	return n
}

// numNodes returns the number of nodes that h stands for.
func (h Host) numNodes() int { return max(1, h.Nodes) }

// FirstNode returns the name of the first node that h stands for.
func (h Host) FirstNode() string {
	if names := h.nodeNames(); len(names) > 0 {
		return names[0]
	}
	return h.Host
}

// nodeNames returns the names of the nodes that h stands for. It returns nil if they are no valid list.
func (h Host) nodeNames() []string {
	if h.Nodes == 0 {
		return []string{h.Host}
	}
	names, _ := UnpackHosts(h.Host) // nil with an error
	return names
}

// lowestAndDistances returns the lowest rank on each node that h stands for, and the distances of all ranks of a node
// to it. It returns nil if h does not say so.
func (h Host) lowestAndDistances() (lowest, distances []int) {
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

// shiftNumbers returns numbers with a distance added to each.
func shiftNumbers(numbers []int, by int) []int {
	out := make([]int, len(numbers))
	for i, n := range numbers {
		out[i] = n + by
	}
	return out
}

// entryNode is a node within an entry of a placement.
type entryNode struct{ lowest, entry, index int }

// nodesByLowestRank returns the nodes in the order of their lowest ranks. An entry that does not show these counts as
// one node, behind the entry before it.
func nodesByLowestRank(hosts []Host) (all []entryNode) {
	last := 0
	for e, h := range hosts {
		lowest, _ := h.lowestAndDistances()
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

// EachNode returns the nodes one by one, in the order of their lowest ranks. An entry of several nodes that does not
// show the names and ranks of each is returned as it is.
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

// nodeSplitter returns a function that returns each of the nodes that h stands for; all together if it does not show
// the names and ranks of each.
func (h Host) nodeSplitter() func(entryNode) Host {
	names := h.nodeNames()
	lowest, distances := h.lowestAndDistances()
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

// NodesPerEntry returns how many of the n nodes with the lowest ranks belong to each entry.
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
