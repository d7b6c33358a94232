package bench

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// callKinds maps the kinds of engine.FunctionCalls to those of documents.
var callKinds = map[engine.CallKind]result.CallKind{
	engine.OtherCall: result.CallOther, engine.WriteCall: result.CallWrite, engine.ReadCall: result.CallRead,
}

// startCounting starts counting the calls of an operation, if the conditions ask for it.
func (c *caseRun) startCounting() {
	if !c.conditions().CountCalls {
		return
	}
	for _, counter := range c.CallCounters {
		counter.Start(c.dataDirPath())
	}
}

// stopCounting ends counting, and adds the calls to those of earlier files of the iteration.
func (c *caseRun) stopCounting(m *measurement) {
	if !c.conditions().CountCalls {
		return
	}
	var all []result.FunctionCalls
	for _, api := range result.APIs { // the same order on all processes
		counter, is := c.CallCounters[api.Name]
		if !is {
			continue
		}
		for _, f := range counter.Stop() {
			all = append(all, result.FunctionCalls{
				API: api.Name, Function: f.Function, Kind: callKinds[f.Kind], Calls: f.Calls, Bytes: f.Bytes,
			})
		}
	}
	for i, before := range m.calls {
		all[i].Calls += before.Calls
		all[i].Bytes += before.Bytes
	}
	m.calls = all
}

// addCalls adds the calls of this process to a reduction. It returns a function that is to be called after the
// reduction: that function returns the calls of all processes, without functions that none of them has called.
func addCalls(all *mpi.Reduction, own []result.FunctionCalls) (summed func() []result.FunctionCalls) {
	var sums []*mpi.ReducedValue
	for _, f := range own {
		sums = append(sums, all.Add(float64(f.Calls)), all.Add(float64(f.Bytes)))
	}
	return func() (called []result.FunctionCalls) {
		for i, f := range own {
			if f.Calls, f.Bytes = uint64(sums[2*i].Sum), uint64(sums[2*i+1].Sum); f.Calls > 0 {
				called = append(called, f)
			}
		}
		return called
	}
}
