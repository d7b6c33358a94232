package placement

import (
	"maps"
	"slices"
	"strconv"

	"h5perf/pkg/ranges"
)

// Bound are ranks of a node, and the processors to which each of them is bound.
type Bound struct {
	// Ranks, counted on the node: 0 is its lowest rank. Absent if that is not known.
	Local string `json:"local_ranks,omitempty" since:"3"`
	Ranks int    `json:"ranks" since:"3"` // number of these ranks
	CPUs  string `json:"cpus" since:"3"`  // processors of the first of these ranks, such as "0-1"
	// What to add to the numbers of these processors for each next rank: 2 if the second rank is bound to "2-3".
	// Absent: all of these ranks are bound to the same processors.
	Shift int `json:"cpu_shift,omitempty" signed:"" since:"3"`
}

// All returns the binding of all n ranks of a node to the same list of processors.
func All(n int, cpus string) Bound {
	local := "0"
	if n > 1 {
		local += "-" + strconv.Itoa(n-1)
	}
	return Bound{Local: local, Ranks: n, CPUs: normal(cpus)}
}

// mostProcessors limits how many processors of ranks are looked at, so that no document fills the memory.
const mostProcessors = 1 << 20

// set is a set of processors.
type set struct {
	form   string // the list of the distances to the lowest processor
	lowest int
}

// setOf returns the set that a list describes. A text that is no list has its own form.
func setOf(list string) set {
	cpus, err := ranges.Parse(list)
	if err != nil || len(cpus) == 0 {
		return set{form: "=" + list}
	}
	return set{ranges.Format(moved(cpus, -cpus[0])), cpus[0]}
}

// normal returns a list of processors in the form of package ranges; a text that is no list as it is.
func normal(list string) string {
	cpus, err := ranges.Parse(list)
	if err != nil {
		return list
	}
	return ranges.Format(cpus)
}

// bind returns the bindings of ranks from the list of processors of each of them, in local order. A rank whose
// processors are not known is missing in it.
func bind(cpus []string) (all []Bound) {
	sets, taken := make([]set, len(cpus)), make([]bool, len(cpus))
	for i, list := range cpus {
		sets[i], taken[i] = setOf(list), list == ""
	}
	for i := range sets {
		if taken[i] {
			continue
		}
		ranks, shift := longest(sets, taken, i)
		for _, r := range ranks {
			taken[r] = true
		}
		all = append(all, Bound{ranges.Format(ranks), len(ranks), normal(cpus[i]), shift})
	}
	return all
}

// longest returns the most ranks, at equal distances from the rank first on, whose sets have the same form and
// are shifted from each to the next by the same number.
func longest(sets []set, taken []bool, first int) (ranks []int, shift int) {
	ranks = []int{first}
	for second := first + 1; second < len(sets); second++ {
		step := second - first
		if len(ranks)*step >= len(sets)-first { // no more ranks can follow at this distance
			break
		}
		by := sets[second].lowest - sets[first].lowest
		run := []int{first}
		for at := second; at < len(sets); at += step {
			if taken[at] || sets[at].form != sets[first].form || sets[at].lowest != sets[at-step].lowest+by {
				break
			}
			run = append(run, at)
		}
		if len(run) > len(ranks) {
			ranks, shift = run, by
		}
	}
	return ranks, shift
}

// sets returns the processors of each of the ranks, or once those of all ranks that are bound to the same. It returns
// nil if the numbers are not those of a node.
func (b Bound) sets() (all [][]int) {
	n := b.Ranks
	if b.Shift == 0 {
		n = min(n, 1)
	}
	cpus, err := ranges.Parse(b.CPUs)
	if err != nil || len(cpus) == 0 || n > mostProcessors/len(cpus) || cpus[0]+(n-1)*b.Shift < 0 {
		return nil
	}
	for i := range n {
		all = append(all, moved(cpus, i*b.Shift))
	}
	return all
}

// Processors returns the processors that any of the ranks of a node may run on, ascending.
func (h Host) Processors() (all []int) {
	for _, b := range h.Bound {
		all = append(all, slices.Concat(b.sets()...)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Uncounted returns hosts without the number of processors that the ranks of a node may use.
func Uncounted(hosts []Host) []Host {
	return changed(hosts, func(h *Host) { h.CPUs = 0 })
}

// Unordered returns hosts without the order of the ranks of a node in their bindings: they have each set of processors,
// and the number of ranks that are bound to exactly this set.
func Unordered(hosts []Host) []Host {
	return changed(hosts, func(h *Host) { h.Bound = unordered(h.Bound) })
}

// changed returns hosts after a change of each. The hosts of the caller stay as they are.
func changed(hosts []Host, change func(*Host)) []Host {
	hosts = slices.Clone(hosts)
	for i := range hosts {
		change(&hosts[i])
	}
	return Merge(hosts)
}

// unordered returns bindings for each set of processors, sorted by its list.
func unordered(bound []Bound) (all []Bound) {
	counts := map[string]int{}
	for _, b := range bound {
		sets := b.sets()
		if len(sets) < 2 {
			counts[normal(b.CPUs)] += b.Ranks
			continue
		}
		for _, cpus := range sets {
			counts[ranges.Format(cpus)]++
		}
	}
	for _, list := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, Bound{Ranks: counts[list], CPUs: list})
	}
	return all
}
