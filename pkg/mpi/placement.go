package mpi

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"

	"h5perf/pkg/ranges"
)

// Host is a node of a job.
type Host struct {
	Name     string // host name
	Ranks    string // ranks on the node, such as "0-3,8" or, with a step, "0-30:2"
	Count    int    // number of these ranks
	Bindings []Binding
}

// Binding is a set of processors, and the number of ranks of a node that may run on exactly these.
type Binding struct {
	CPUs  string // such as "0-1"
	Ranks int
}

// Placement returns, on rank 0, the nodes of a communicator in the order of their lowest ranks, and nil on the
// others. The first rank of each node collects the data of its node, so that no process holds more than the ranks of
// one node, or all nodes. A process that cannot find out its host name or its processors returns an error; then they
// are missing in the result. Collective.
func Placement(world Comm) ([]Host, error) {
	node := world.SplitNode()
	defer node.Free()
	cpus, err := affinity()
	lines := node.Gather([]byte(strconv.Itoa(world.Rank()) + " " + cpus))
	leader := -1
	if node.Rank() == 0 {
		leader = 0
	}
	leaders := world.Split(leader, world.Rank())
	if leaders == nil {
		return nil, err
	}
	defer leaders.Free()
	own, e := describe(lines)
	err = errors.Join(err, e)
	var hosts []Host
	for _, text := range leaders.Gather(own) {
		var h Host
		err = errors.Join(err, json.Unmarshal(text, &h))
		hosts = append(hosts, h)
	}
	return hosts, err
}

// describe returns the Host of this node, as JSON. lines has a line for each of its ranks: number, blank, processors.
func describe(lines [][]byte) ([]byte, error) {
	name, err := os.Hostname()
	h := Host{Name: name, Count: len(lines)}
	bound := map[string]int{}
	ranks := make([]int, len(lines))
	for i, l := range lines {
		number, cpus, _ := strings.Cut(string(l), " ")
		n, e := strconv.Atoi(number)
		err = errors.Join(err, e)
		ranks[i] = n
		if cpus != "" {
			bound[cpus]++
		}
	}
	sort.Ints(ranks)
	h.Ranks = ranges.Format(ranks)
	for cpus, n := range bound {
		h.Bindings = append(h.Bindings, Binding{cpus, n})
	}
	sort.Slice(h.Bindings, func(i, j int) bool { return h.Bindings[i].CPUs < h.Bindings[j].CPUs })
	text, e := json.Marshal(h)
	return text, errors.Join(err, e)
}

// affinity returns the list of processors on which this thread may run, in the format of /proc (Cpus_allowed_list).
func affinity() (string, error) {
	const file, key = "/proc/thread-self/status", "Cpus_allowed_list:"
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("processors of this process: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, key); found {
			return strings.TrimSpace(value), nil
		}
	}
	return "", fmt.Errorf("processors of this process: no %s in %s", key, file)
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
