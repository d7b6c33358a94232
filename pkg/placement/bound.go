package placement

import (
	"slices"

	"h5perf/pkg/units"
)

// Binding holds ranks on a node, and the processors to which each rank is bound.
type Binding struct {
	Local string `json:"local_ranks"` // ranks numbered within the node: 0 is its lowest rank
	Ranks int    `json:"ranks"`       // number of these ranks
	CPUs  string `json:"cpus"`        // processors of the first rank, such as "0-1"
	// Number that is added to these processors for each next rank: 2 if the second rank is bound to "2-3". Absent: all
	// of these ranks are bound to the same processors.
	Shift int `json:"cpu_shift,omitempty" signed:""`
}

// maxProcessors limits the number of processors that a binding expands to, so that a document cannot exhaust the
// memory.
const maxProcessors = 1 << 20

// processorSet is a set of processors: its lowest processor, and the distances of all its processors to the lowest one,
// so that shifted sets have equal distances.
type processorSet struct {
	form   string // list of the distances to the lowest processor
	lowest int
}

// newProcessorSet parses a list of processors. If the text is not a list, it becomes the form itself, so that only
// equal texts have equal forms.
func newProcessorSet(list string) processorSet {
	cpus, err := units.ParseRanges(list)
	if err != nil || len(cpus) == 0 {
		return processorSet{form: "=" + list}
	}
	return processorSet{units.FormatRanges(shiftNumbers(cpus, -cpus[0])), cpus[0]}
}

// canonicalProcessorList rewrites a list of processors in the format of units.FormatRanges, such as "0-3,8". If the
// text is not a list, it returns the text unchanged.
func canonicalProcessorList(list string) string {
	cpus, err := units.ParseRanges(list)
	if err != nil {
		return list
	}
	return units.FormatRanges(cpus)
}

// rankBindings returns the bindings for the ranks of a node. cpus holds, for each rank in ascending order, the list of
// its processors. A rank with an empty list, whose processors are not known, has no binding.
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
		all = append(all, Binding{units.FormatRanges(ranks), len(ranks), canonicalProcessorList(cpus[i]), shift})
	}
	return all
}

// longestRankRun returns the longest sequence of ranks that begins with first, has equal distances between ranks, and
// in which the processors of each rank are those of the rank before, shifted by always the same number. It skips
// sequences that contain ranks of another binding (taken).
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

// processorSets returns the processors of each rank of the binding, or a single set if all ranks are bound to the same
// processors. It returns nil if the numbers in the binding are not valid.
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

// Processors returns all processors that the ranks of a node are bound to, in ascending order, each once.
func (h Host) Processors() (all []int) {
	for _, b := range h.Bindings {
		all = append(all, slices.Concat(b.processorSets()...)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
