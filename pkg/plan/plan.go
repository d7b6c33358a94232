// Package plan makes the cases of a run from its options, or refuses the options before any file is created. It notes
// the options that it adjusted.
//
// New calls the stages in order: APIs, workload, sizes by preset and memory, settings of engines, iterations,
// conditions, cases, checks. A stage is a function of its inputs.
package plan

import (
	"iter"
	"reflect"
	"slices"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// Plan is a validated run.
type Plan struct {
	Parameters   result.Parameters
	Notes        []string // adjustments, each in a sentence
	Cautions     []plain.Caution
	ProcessSteps []ProcessStep // in order
	Workload     Workload      // the measured workload; nil: a sweep
	Ignored      []string      // keys of the hints that the MPI-IO implementation does not read
	// Parts are the plans for each combination of values of --sweep, in order. The other fields are then those of the
	// first one, with the notes and cautions of all.
	Parts []Part
}

// LeftOut is a variant that cannot be measured, with the reason.
type LeftOut struct{ Variant, Reason string }

// GroupByReason merges the variants that were not measured for the same reason into one entry. Of reasons that end in
// the same way after a semicolon, only the last one keeps this end.
func GroupByReason(leftOut []LeftOut) (all []LeftOut) {
	at := map[string]int{}
	for _, l := range leftOut {
		i, is := at[l.Reason]
		if !is {
			at[l.Reason] = len(all)
			all = append(all, l)
			continue
		}
		all[i].Variant = strings.Join([]string{all[i].Variant, l.Variant}, "; ")
	}
	for i := range all {
		end := max(0, strings.LastIndex(all[i].Reason, "; "))
		told := func(l LeftOut) bool { return strings.HasSuffix(l.Reason, all[i].Reason[end:]) }
		if end > 0 && slices.ContainsFunc(all[i+1:], told) {
			all[i].Reason = all[i].Reason[:end]
		}
	}
	return all
}

// IsSame reports whether a run of the plan measures the same as a run of another plan. first returns the program of
// rank 0 of a plan. Two layouts of a workload are the same if these programs are equal. So are two values of a size or
// choice in one layout, if the programs without the layout are not.
func (p Plan) IsSame(q Plan, first func(Plan) (workload.Program, error)) bool {
	w, other := p.Parameters.Workload, q.Parameters.Workload
	if w == nil || other == nil || w.Layout == "" && other.Layout == "" || reflect.DeepEqual(w, other) {
		return reflect.DeepEqual(p.Parameters, q.Parameters)
	}
	inLayout, parameters := *w, p.Parameters
	if w.Layout == other.Layout {
		if areSame(p, q, programInScript) {
			return false
		}
		inLayout.Sizes, inLayout.Chosen, inLayout.Requested = other.Sizes, other.Chosen, other.Requested
	}
	inLayout.Layout, inLayout.Hash = other.Layout, other.Hash
	parameters.Workload = &inLayout
	return reflect.DeepEqual(parameters, q.Parameters) && areSame(p, q, first)
}

// OtherWork says which other work a run of the plan does than a run of the plan first: see result.OtherWork.
func (p Plan) OtherWork(first Plan) (string, error) {
	a, err := first.amounts()
	if err != nil {
		return "", err
	}
	b, err := p.amounts()
	return result.OtherWork(first.Parameters, p.Parameters, a, b), err
}

// amounts returns the amounts of an iteration of all cases, for each direction.
func (p Plan) amounts() (all []result.Amounts, err error) {
	for c := range p.Cases() {
		one, err := c.Iteration()
		if err != nil {
			return nil, err
		}
		for _, op := range p.Operations() {
			all = result.AddAmounts(all, result.Amounts{
				Operation: OperationOf(op), Bytes: one.Bytes[op], Objects: one.Objects[op], Estimated: one.Sampled > 0,
			})
		}
	}
	return all, nil
}

// areSame reports whether two plans have the same program, which the function first returns.
func areSame(p, q Plan, first func(Plan) (workload.Program, error)) bool {
	a, err := first(p)
	b, otherErr := first(q)
	return err == nil && otherErr == nil && reflect.DeepEqual(a, b)
}

// firstProgram returns the program of rank 0 of a plan.
func (p Plan) firstProgram() (workload.Program, error) {
	return p.Workload.Program(0, uint64(p.Parameters.MaxProcesses))
}

// programInScript returns the program of rank 0 of a plan, without the layout.
func programInScript(p Plan) (workload.Program, error) {
	s := p.Workload.(scriptWorkload)
	return s.Script.Program(0, scriptJob(uint64(p.Parameters.MaxProcesses), s.nodes))
}

// AllParts returns the plans of all parts, or the plan itself if it has none.
func (p Plan) AllParts() []Plan {
	if len(p.Parts) == 0 {
		return []Plan{p}
	}
	all := make([]Plan, len(p.Parts))
	for i, part := range p.Parts {
		all[i] = part.Plan
	}
	return all
}

// Part is the plan for a combination of values of --sweep.
type Part struct {
	Values []result.KeyValue
	Plan   Plan
	SameAs []result.KeyValue // values of an earlier part that does the same with plain files; nil: none does
}

// ProcessStep is a step of a sweep, with a number of processes. Skip is the reason why the step is not measured; "" if
// it is measured.
type ProcessStep struct {
	Processes     int
	TransferSizes []uint64 // transfer sizes in bytes, in order
	SkipReason    string
}

// NumCases returns the number of Cases.
func (p Plan) NumCases() int {
	n := 0
	for range p.Cases() {
		n++
	}
	return n
}

// Cases returns the cases to measure, in order: parts, then processes, then transfer sizes, then APIs.
func (p Plan) Cases() iter.Seq[Case] {
	return func(yield func(Case) bool) {
		for _, part := range p.Parts {
			for c := range part.Plan.Cases() {
				if result.APIOf(c.API).PlainFiles {
					c.SameAs = part.SameAs
				}
				if c.Values = part.Values; !yield(c) {
					return
				}
			}
		}
		if len(p.Parts) > 0 {
			return
		}
		for _, step := range p.ProcessSteps {
			if step.SkipReason != "" {
				continue
			}
			for _, x := range step.TransferSizes {
				for _, api := range p.Parameters.APIs {
					if !yield(Case{
						Parameters: p.Parameters, Processes: step.Processes, TransferSize: x, API: api,
						Workload: p.Workload,
					}) {
						return
					}
				}
			}
		}
	}
}

// NumPoints returns the number of points that a comparison with other plans has: for each case and each direction that
// all measure, the throughput, and the objects per second of each class of steps that all have.
func (p Plan) NumPoints(others ...Plan) (n int) {
	rated := p.ratedClasses()
	for _, other := range others {
		for i, classes := range other.ratedClasses() {
			if i == len(rated) {
				break
			}
			for class, is := range classes {
				rated[i][class] = rated[i][class] && is
			}
		}
	}
	for _, classes := range rated {
		n++
		for _, is := range classes {
			if is {
				n++
			}
		}
	}
	return n
}

// ratedClasses returns, for each case and each direction, which classes of steps have objects per second.
func (p Plan) ratedClasses() (all [][workload.NumClasses]bool) {
	for c := range p.Cases() {
		one, _ := c.Iteration() // an error is reported by the checks of the plan
		for _, op := range p.Operations() {
			all = append(all, one.RatedClasses[op])
		}
	}
	return all
}

// Operations returns the operations of an iteration on each file, in order.
func (p Plan) Operations() []workload.Op {
	switch {
	case p.Parameters.WriteOnly:
		return []workload.Op{workload.Write}
	case p.Parameters.Conditions.ReadOnly != "":
		return []workload.Op{workload.Read}
	}
	return []workload.Op{workload.Write, workload.Read}
}

// OperationOf converts the operation of an engine to that of a document.
func OperationOf(op workload.Op) result.Operation { return result.Operation(op.String()) }
