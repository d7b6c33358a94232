package mpi

import (
	"encoding/json"
	"errors"
	"os"
	"sort"

	"h5perf/pkg/ranges"
)

// Host is a node of a job.
type Host struct {
	Name     string // host name
	Ranks    string // ranks on the node, such as "0-3,8" or, with a step, "0-30:2"
	Count    int    // number of these ranks
	Bindings []Binding
	// CPUs is the number of processors that these ranks may use all together: those that any of them may run on, and no
	// more than the quotas of their control groups. 0 is not known.
	CPUs float64
}

// Binding is a set of processors, and the number of ranks of a node that may run on exactly these.
type Binding struct {
	CPUs  string // such as "0-1"
	Ranks int
}

// Placement returns, on rank 0, the nodes of a communicator in the order of their lowest ranks, and nil on the
// others. The first rank of each node collects the data of its node, so that no process holds more than the ranks of
// one node, or all nodes. own returns the processors of the calling process, as OwnProcessors does. A process that
// cannot find out its host name or its processors returns an error; then they are missing in the result. Collective.
func Placement(world Comm, own func() (Processors, error)) ([]Host, error) {
	node := world.SplitNode()
	defer node.Free()
	cpus, err := own()
	text, e := json.Marshal(placed{world.Rank(), cpus})
	err = errors.Join(err, e)
	texts := node.Gather(text)
	leader := -1
	if node.Rank() == 0 {
		leader = 0
	}
	leaders := world.Split(leader, world.Rank())
	if leaders == nil {
		return nil, err
	}
	defer leaders.Free()
	text, e = describe(texts)
	err = errors.Join(err, e)
	var hosts []Host
	for _, text := range leaders.Gather(text) {
		var h Host
		err = errors.Join(err, json.Unmarshal(text, &h))
		hosts = append(hosts, h)
	}
	return hosts, err
}

// placed is what a process tells the first rank of its node.
type placed struct {
	Rank       int
	Processors Processors
}

// describe returns the Host of this node, as JSON. texts has what each of its ranks tells.
func describe(texts [][]byte) ([]byte, error) {
	name, err := os.Hostname()
	h := Host{Name: name, Count: len(texts)}
	bound := map[string]int{}
	ranks, processors := make([]int, len(texts)), make([]Processors, len(texts))
	for i, text := range texts {
		var p placed
		err = errors.Join(err, json.Unmarshal(text, &p))
		ranks[i], processors[i] = p.Rank, p.Processors
		if cpus := p.Processors.CPUs; cpus != "" {
			bound[cpus]++
		}
	}
	sort.Ints(ranks)
	h.Ranks, h.CPUs = ranges.Format(ranks), usable(processors)
	for cpus, n := range bound {
		h.Bindings = append(h.Bindings, Binding{cpus, n})
	}
	sort.Slice(h.Bindings, func(i, j int) bool { return h.Bindings[i].CPUs < h.Bindings[j].CPUs })
	text, e := json.Marshal(h)
	return text, errors.Join(err, e)
}

// Node returns the rank of this process among the processes of c on its node, and the number of nodes of c. Collective.
func Node(c Comm) (local, nodes int) {
	node := c.SplitNode()
	defer node.Free()
	first := uint64(0)
	if node.Rank() == 0 {
		first = 1
	}
	Sum(c, &first)
	return node.Rank(), int(first)
}
