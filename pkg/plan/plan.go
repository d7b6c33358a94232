// Package plan turns the options of a run into what will be done: steps, cases, bytes, and the part of each process. It
// refuses what cannot be done before any file exists, and says what it adjusted.
package plan

import (
	"fmt"

	"h5perf/pkg/result"
)

// APIs lists the APIs of the parallel tool in the order in which they are measured.
func APIs() []string { return result.APINames(func(a result.API) bool { return a.Parallel }) }

// Plan is a validated run.
type Plan struct {
	Parameters result.Parameters
	Notes      []string // what was adjusted, for people
	Steps      []Step   // in order
}

// Step is one number of processes; Skip says why it is not run.
type Step struct {
	Processes int
	Transfers []uint64 // transfer sizes, in order
	Skip      string
}

// New makes the plan of a run in a job: it fills in defaults, adjusts sizes as the C tool does, and refuses (with a
// *usage.Error) what the C tool accepts but cannot measure.
func New(o Options, job Job) (Plan, error) {
	o, err := o.profiled(job)
	if err != nil {
		return Plan{}, err
	}
	p := &Plan{}
	for _, fill := range []func(Options) error{p.access, p.counts} {
		if err := fill(o); err != nil {
			return Plan{}, err
		}
	}
	if err := p.conditions(o.Conditions, job); err != nil {
		return Plan{}, err
	}
	p.sizes(o)
	if err := p.chunk(o); err != nil {
		return Plan{}, err
	}
	if err := p.sweep(o, job.Processes); err != nil {
		return Plan{}, err
	}
	for _, check := range []func() error{p.checkAmount, p.checkSteps} {
		if err := check(); err != nil {
			return Plan{}, err
		}
	}
	return p.checked(job)
}

// checked is the plan, unless it cannot be met.
func (p *Plan) checked(job Job) (Plan, error) {
	for _, check := range []func() error{
		p.checkSamples, p.checkReading, p.checkDirect,
		func() error { return p.checkMemory(job) },
		func() error { return p.checkSpace(job) },
	} {
		if err := check(); err != nil {
			return Plan{}, err
		}
	}
	return *p, nil
}

func (p *Plan) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}
