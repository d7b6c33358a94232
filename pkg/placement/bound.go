package placement

import (
	"slices"

	"h5perf/pkg/units"
)

// Binding holds ranks of a node, and the processors to which each of them is bound.
type Binding struct {
	Local string `json:"local_ranks"` // ranks, counted on the node: 0 is its lowest rank
	Ranks int    `json:"ranks"`       // number of these ranks
	CPUs  string `json:"cpus"`        // processors of the first of these ranks, such as "0-1"
	// What to add to the numbers of these processors for each next rank: 2 if the second rank is bound to "2-3".
	// Absent: all of these ranks are bound to the same processors.
	Shift int `json:"cpu_shift,omitempty" signed:""`
}

// maxProcessors limits how many processors of ranks are looked at, so that no document fills the memory.
const maxProcessors = 1 << 20

// processorSet is a set of processors.
type processorSet struct {
	form   string // the list of the distances to the lowest processor
	lowest int
}

// newProcessorSet returns the set that a list describes. A text that is no list has its own form.
func newProcessorSet(list string) processorSet {
	cpus, err := units.ParseRanges(list)
	if err != nil || len(cpus) == 0 {
		return processorSet{form: "=" + list}
	}
	return processorSet{units.FormatRanges(shiftNumbers(cpus, -cpus[0])), cpus[0]}
}

// canonicalList returns a list of processors in the form of package ranges; a text that is no list as it is.
func canonicalList(list string) string {
	cpus, err := units.ParseRanges(list)
	if err != nil {
		return list
	}
	return units.FormatRanges(cpus)
}

// rankBindings returns the bindings of ranks from the list of processors of each of them, in local order. A rank whose
// processors are not known is missing in it.
func rankBindings(cpus []string) (all []Binding) {
	sets, taken := make([]processorSet, len(cpus)), make([]bool, len(cpus))
	for i, list := range cpus {
		sets[i], taken[i] = newProcessorSet(list), list == ""
	}
	for i := range sets {
		if taken[i] {
			continue
		}
		ranks, shift := longestRankRun(sets, taken, i)
		for _, r := range ranks {
			taken[r] = true
		}
		all = append(all, Binding{units.FormatRanges(ranks), len(ranks), canonicalList(cpus[i]), shift})
	}
	return all
}

// longestRankRun returns the most ranks, at equal distances from the rank first on, whose sets have the same form and
// are shifted from each to the next by the same number.
func longestRankRun(sets []processorSet, taken []bool, first int) (ranks []int, shift int) {
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

// processorSets returns the processors of each of the ranks, or once those of all ranks that are bound to the same. It
// returns nil if the numbers are not those of a node.
func (b Binding) processorSets() (all [][]int) {
	n := b.Ranks
	if b.Shift == 0 {
		n = min(n, 1)
	}
	cpus, err := units.ParseRanges(b.CPUs)
	if err != nil || len(cpus) == 0 || n > maxProcessors/len(cpus) || cpus[0]+(n-1)*b.Shift < 0 {
		return nil
	}
	for i := range n {
		all = append(all, shiftNumbers(cpus, i*b.Shift))
	}
	return all
}

// Processors returns the processors that any of the ranks of a node may run on, ascending.
func (h Host) Processors() (all []int) {
	for _, b := range h.Bindings {
		all = append(all, slices.Concat(b.processorSets()...)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
