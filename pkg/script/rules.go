package script

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// Decomposition says how ranks divide a dataset.
type Decomposition struct {
	Path string // of a dataset, or of a group for all that is in it; "": all of the file
	Rule workload.RuleName
}

// rules are those that need no parameter.
var rules = []workload.RuleName{
	workload.SlabRule,
	workload.BlockRule,
	workload.RootRule,
	workload.AllRule,
	workload.NoneRule,
}

// ParseDecomposition reads a rule, or a path and a rule with = between them.
func ParseDecomposition(text string) (d Decomposition, err error) {
	d.Rule = workload.RuleName(text)
	if at := strings.LastIndexByte(text, '='); at >= 0 {
		d.Path, d.Rule = text[:at], workload.RuleName(text[at+1:])
		if !strings.HasPrefix(d.Path, "/") {
			return d, fmt.Errorf("%q is no path: it begins with /", d.Path)
		}
	}
	if !slices.Contains(rules, d.Rule) {
		return d, fmt.Errorf("%q must be one of %s; other rules have parameters, which the workload can be given%s",
			d.Rule, strings.Join(usage.Texts(rules), ", "), usage.DidYouMean(string(d.Rule), usage.Texts(rules)))
	}
	return d, nil
}

// covers reports whether a decomposition is about a path.
func (d Decomposition) covers(path string) bool {
	within := strings.TrimSuffix(d.Path, "/") + "/"
	return path == d.Path || strings.HasPrefix(path, within)
}

// smallObject is the size in bytes below which a dataset is proposed to be written by one rank.
const smallObject = 64 << 10

// fewRows is the number of rows below which another dimension is proposed to be divided.
const fewRows = 16

// ruleOfObject is how ranks divide a dataset.
type ruleOfObject struct {
	rule       workload.RuleName
	grid       list // of rule block; nil: chosen
	collective bool
	proposed   bool
}

// partOf returns how ranks divide a dataset: as the last decomposition says that is about it, or as is proposed.
func partOf(o *DescribedObject, all []Decomposition) ruleOfObject {
	p := ruleOfObject{proposed: true, rule: workload.RootRule}
	for _, d := range all {
		if d.covers(o.Path) {
			p.proposed, p.rule = false, d.Rule
		}
	}
	switch {
	case o.Compact && p.rule != workload.NoneRule: // it is in the object header, of which each rank has a copy
		return ruleOfObject{proposed: true, rule: workload.AllRule}
	case len(o.Dims) == 0 && p.rule != workload.NoneRule && p.rule != workload.AllRule:
		p.rule = workload.RootRule
	case p.proposed && o.Bytes() >= smallObject:
		p.rule, p.grid = propose(o.Dims)
	}
	// Parallel HDF5 writes filtered chunks only collectively. What one rank writes alone needs no other one.
	p.collective = len(o.Filters) > 0 || p.rule != workload.RootRule
	return p
}

// propose returns a rule for a large dataset: slabs along the first dimension that has enough rows, or else along the
// longest one.
func propose(dims []uint64) (workload.RuleName, list) {
	at := 0
	for d, n := range dims {
		if n >= fewRows {
			at = d
			break
		}
		if n > dims[at] {
			at = d
		}
	}
	if at == 0 {
		return workload.SlabRule, nil
	}
	grid := make(list, len(dims))
	for d := range grid {
		grid[d] = 1
	}
	grid[at] = 0
	return workload.BlockRule, grid
}

// says returns a part in words.
func (p ruleOfObject) says() string {
	why := "as asked for"
	switch {
	case p.rule == workload.AllRule && p.proposed:
		return "compact datasets: each rank writes all, since each has a copy of the object header"
	case p.proposed && p.rule == workload.RootRule:
		why = fmt.Sprintf("proposed for less than %d KiB", smallObject>>10)
	case p.proposed && p.grid != nil:
		why = fmt.Sprintf("proposed for %d KiB or more, where the first dimension is short", smallObject>>10)
	case p.proposed:
		why = fmt.Sprintf("proposed for %d KiB or more", smallObject>>10)
	}
	what := map[workload.RuleName]string{
		workload.SlabRule: "each rank has consecutive rows", workload.BlockRule: "each rank has a block",
		workload.RootRule: "rank 0 writes all",
		workload.AllRule:  "each rank writes all", workload.NoneRule: "nothing is written",
	}[p.rule]
	if p.grid != nil {
		what = "each rank has consecutive rows of another dimension"
	}
	if p.rule == workload.RootRule && p.collective {
		why += ", collectively, since chunks are filtered"
	}
	return what + " (" + why + ")"
}

// same reports whether datasets with these parts are in one step.
func (p ruleOfObject) same(q ruleOfObject) bool {
	return p.rule == q.rule && p.collective == q.collective && p.proposed == q.proposed && slices.Equal(p.grid, q.grid)
}

// transferred reports whether a dataset has elements.
func transferred(o *DescribedObject) bool {
	return o.Kind == workload.DatasetObject && o.Bytes() > 0
}
