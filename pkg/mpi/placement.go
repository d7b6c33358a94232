package mpi

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"slices"

	"h5perf/pkg/placement"
)

// maxMerged is the number of lists of hosts that one process merges at a time.
const maxMerged = 4

// CollectPlacement returns, on rank 0, the nodes of a communicator in the order of their lowest ranks, and nil on the
// other ranks. The first rank of each node collects the data of its node. These first ranks then merge nodes with the
// same layout, in a tree. So a process needs memory only for the ranks of one node and a few merged lists, and rank 0
// receives only a few messages for each level of the tree. own returns the processors of the calling process, as
// OwnProcessors does. If a process cannot find its host name or its processors, they are missing in the result, and
// Placement returns an error on that process. Collective.
func CollectPlacement(world Comm, own func() (Processors, error)) ([]placement.Host, error) {
	node := world.SplitNode()
	defer node.Free()
	cpus, err := own()
	text, e := json.Marshal(rankProcessors{world.Rank(), cpus})
	err = errors.Join(err, e)
	texts := node.Gather(text)
	leaders := firstRanks(world, node)
	if leaders == nil {
		return nil, err
	}
	host, e := hostOfNode(texts)
	hosts, treeErr := mergeHosts(leaders, []placement.Host{host})
	return hosts, errors.Join(err, e, treeErr)
}

// firstRanks returns a communicator of those processes of c that have rank 0 in their communicator part, in the order
// of their ranks in c; nil on the other processes. part is a split of c, such as the processes of one node. Collective.
func firstRanks(c, part Comm) Comm {
	color := -1
	if part.Rank() == 0 {
		color = 0
	}
	return c.Split(color, c.Rank())
}

// mergeHosts returns, on rank 0, the merged hosts of all processes of c, and nil on the other ranks. It frees c.
// Collective.
func mergeHosts(c Comm, hosts []placement.Host) ([]placement.Host, error) {
	defer c.Free()
	if c.Size() == 1 {
		return hosts, nil
	}
	text, err := json.Marshal(hosts)
	branch := c.Split(c.Rank()/maxMerged, c.Rank())
	texts := branch.Gather(text)
	above := firstRanks(c, branch)
	branch.Free()
	if above == nil {
		return nil, err
	}
	var all []placement.Host
	for _, text := range texts {
		var part []placement.Host
		err = errors.Join(err, json.Unmarshal(text, &part))
		all = append(all, part...)
	}
	all, e := mergeHosts(above, placement.MergeEqualLayouts(all))
	return all, errors.Join(err, e)
}

// rankProcessors is what a process sends to the first rank of its node: its rank in the world, and its processors.
type rankProcessors struct {
	Rank       int
	Processors Processors
}

// hostOfNode returns the Host of this node. texts holds a rankProcessors in JSON from each rank on the node.
func hostOfNode(texts [][]byte) (placement.Host, error) {
	name, err := os.Hostname()
	all := make([]rankProcessors, len(texts))
	for i, text := range texts {
		err = errors.Join(err, json.Unmarshal(text, &all[i]))
	}
	slices.SortFunc(all, func(a, b rankProcessors) int { return cmp.Compare(a.Rank, b.Rank) })
	var ranks []int
	var cpus []string
	var processors []Processors
	for _, p := range all {
		ranks, cpus = append(ranks, p.Rank), append(cpus, p.Processors.CPUs)
		processors = append(processors, p.Processors)
	}
	return placement.NewHost(name, ranks, cpus, usableProcessors(processors)), err
}

// Node returns local, the rank of this process among the processes of c on the same node, and nodes, the number of
// nodes of c. Collective.
func Node(c Comm) (local, nodes int) {
	node := c.SplitNode()
	defer node.Free()
	first := uint64(0)
	if node.Rank() == 0 {
		first = 1
	}
	SumInPlace(c, &first)
	return node.Rank(), int(first)
}

// NodeLeader returns the rank in c of the first process on the node of this process. Collective.
func NodeLeader(c Comm) int {
	node := c.SplitNode()
	defer node.Free()
	return Broadcast(node, c.Rank(), 0)
}
