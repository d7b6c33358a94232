package plan

import (
	"fmt"
	"reflect"
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// Sweep says which options have several values in a run. The run measures all combinations of their values.
type Sweep struct {
	Ranges []SweptRange
	// Options returns the options of the run with these values.
	Options func(values []result.KeyValue) (Options, error)
}

// SweptRange is an option, a setting, a hint, or a size or choice of a workload, and its values. Without Values, these
// are all words of a choice of the workload, or the default of a setting and values that may make a difference.
type SweptRange struct {
	Name   string
	Values []string
}

// maxParts is the largest number of combinations of values in a run. The document has the parameters of each.
const maxParts = 1000

// newSweptPlan returns the plan of a run with o.Sweep.
func newSweptPlan(o Options, job JobFacts) (Plan, error) {
	combinations, err := o.sweptCombinations(job)
	if err != nil {
		return Plan{}, err
	}
	var p Plan
	for i, values := range combinations {
		options, err := o.Sweep.Options(values)
		if err != nil {
			return p, nameSweptError(values, err)
		}
		if w := options.Workload; w != nil {
			w.Text, w.Recorded = o.Workload.Text, o.Workload.Recorded
		}
		c, of := &options.Conditions, o.Conditions
		c.Order, c.Seed, c.InTurns, c.Warmup = of.Order, of.Seed, of.InTurns, of.Warmup // others may have set them
		options.Iterations = o.Iterations
		part, err := New(options, job)
		if err != nil {
			return p, nameSweptError(values, err)
		}
		if i == 0 {
			p = part
			p.Notes, p.Cautions = slices.Clone(part.Notes), slices.Clone(part.Cautions)
		}
		if w, first := part.Parameters.Workload, p.Parameters.Workload; w != nil && w.Layout != "" &&
			w.Layout == first.Layout && w.Hash != first.Hash && part.IsSame(p, Plan.firstProgram) {
			return p, nameSweptError(values, usage.Errorf("--layout %s makes it the same as with %s: leave one of "+
				"them out", options.Workload.Layout, result.ValuesText(p.Parts[0].Values)))
		}
		p.Parts = append(p.Parts, Part{Values: hideSecrets(values), Plan: part})
		p.Notes = appendMissing(p.Notes, part.Notes)
		p.Cautions = appendMissing(p.Cautions, part.Cautions)
		p.Ignored = appendMissing(p.Ignored, part.Ignored)
	}
	p = withEnoughPairs(p, o.Iterations, o.Conditions)
	for i := range p.Parts {
		s := &p.Parts[i].Plan.Parameters
		s.Iterations, s.Conditions.MaxIterations = p.Parameters.Iterations, p.Parameters.Conditions.MaxIterations
	}
	p.findSameParts()
	return p, checkSamples(p)
}

// Limits of findSameParts, which makes the programs of some ranks of all parts.
const (
	maxComparedParts = 64
	maxComparedRanks = 8 // at the start, and as many at the end
)

// findSameParts sets SameAs of the parts of a workload.
func (p Plan) findSameParts() {
	isPlain := func(api string) bool { return result.APIOf(api).PlainFiles }
	if len(p.Parts) > maxComparedParts || p.Parameters.Workload == nil ||
		!slices.ContainsFunc(p.Parameters.APIs, isPlain) {
		return
	}
	for i := range p.Parts {
		for k := range p.Parts[:i] {
			if p.Parts[k].SameAs == nil && p.Parts[i].Plan.isSameWithPlainFiles(p.Parts[k].Plan) {
				p.Parts[i].SameAs = p.Parts[k].Values
				break
			}
		}
	}
}

// isSameWithPlainFiles reports whether two plans of a workload do the same with plain files: settings are equal, but
// for those of HDF5, and so are the programs of the first and the last ranks.
func (p Plan) isSameWithPlainFiles(q Plan) bool {
	if p.Workload == nil || q.Workload == nil {
		return false
	}
	a, b := p.Parameters, q.Parameters
	for _, of := range []*result.Parameters{&a, &b} {
		of.Workload, of.HDF5Settings = nil, result.HDF5Settings{}
	}
	if !reflect.DeepEqual(a, b) {
		return false
	}
	ranks := uint64(max(1, a.MaxProcesses))
	for rank := range ranks {
		if rank >= maxComparedRanks && rank+maxComparedRanks < ranks {
			continue
		}
		plain := func(of Plan) (workload.Program, error) {
			made, err := of.Workload.Program(rank, ranks)
			return made.PlainForm(), err
		}
		if !areSame(p, q, plain) {
			return false
		}
	}
	return true
}

// hideSecrets returns a copy of the values, in which passwords in URLs are replaced: the document has them.
func hideSecrets(values []result.KeyValue) []result.KeyValue {
	values = slices.Clone(values)
	for i := range values {
		values[i].Value = plain.HideInURL(values[i].Value)
	}
	return values
}

// appendMissing appends those elements of more that a slice does not have.
func appendMissing[T comparable](to, more []T) []T {
	for _, one := range more {
		if !slices.Contains(to, one) {
			to = append(to, one)
		}
	}
	return to
}

// nameSweptError adds the values with which a run was planned to an error.
func nameSweptError(values []result.KeyValue, err error) error {
	return fmt.Errorf("--sweep: with %s: %w", result.ValuesText(hideSecrets(values)), err)
}

// sweptCombinations returns all combinations of the values of o.Sweep. The values of the last range change fastest.
func (o Options) sweptCombinations(job JobFacts) ([][]result.KeyValue, error) {
	all := [][]result.KeyValue{nil}
	for _, swept := range o.Sweep.Ranges {
		if len(swept.Values) == 0 {
			var err error
			if swept.Values, err = o.knownValues(swept.Name, job); err != nil {
				return nil, err
			}
		}
		var more [][]result.KeyValue
		for _, before := range all {
			for _, value := range swept.Values {
				one := result.KeyValue{Key: swept.Name, Value: value}
				more = append(more, append(slices.Clone(before), one))
			}
		}
		if all = more; len(all) > maxParts {
			return nil, usage.Errorf("--sweep: more than %d combinations of values; give fewer values", maxParts)
		}
	}
	return all, nil
}

// knownValues returns all words of a choice of the workload or of an option of the parallel tool, or the default of an
// HDF5 setting in the library in use and values that may make a difference.
func (o Options) knownValues(name string, job JobFacts) ([]string, error) {
	if o.Workload != nil {
		s, err := o.Workload.openScript(scriptJob(uint64(max(1, job.Processes)), int64(max(1, job.Nodes))))
		if err != nil {
			return nil, err
		}
		for _, choice := range s.Choices {
			if choice.Name == name {
				return choice.Words, nil
			}
		}
	}
	if setting, err := option.FindHDF5Setting("", name); err == nil {
		values := setting.VariedValues(o.Serial != nil)
		if usual := setting.DefaultIn(job.HDF5); usual != "" && !slices.Contains(values, usual) {
			values = append([]string{usual}, values...)
		}
		if len(values) > 0 {
			return values, nil
		}
	}
	words := map[string][]string{
		"create": option.CreateMode("").Values(), "selection": option.SelectionMethod("").Values(),
	}
	if values := words[name]; values != nil && o.Kind() == result.KindParallel {
		return values, nil
	}
	example := "1,2"
	if name == "layout" {
		example = "given-chunked-independent,given-chunked-collective"
	}
	return nil, usage.Errorf("--sweep %s: write its values, such as %[1]s=%s: only a choice of a workload, a setting "+
		"of HDF5, create and selection have values that are known", name, example)
}
