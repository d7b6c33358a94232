package mpi

// Reduction collects several values, and reduces them over all processes in one call of Comm.Reduce. The zero value is
// empty.
type Reduction struct {
	values       []float64
	addedResults []*ReducedValue
}

// Add adds a value of this process. Its result, the reduction of the value over all processes, is valid after Run.
func (r *Reduction) Add(value float64) *ReducedValue {
	e := new(ReducedValue)
	r.values, r.addedResults = append(r.values, value), append(r.addedResults, e)
	return e
}

// AddFlag adds 1 if flag is set, otherwise 0. If the flag is set on any process, the result has a Max above 0, and
// MaxRank is the lowest rank on which the flag is set.
func (r *Reduction) AddFlag(flag bool) *ReducedValue {
	value := 0.0
	if flag {
		value = 1
	}
	return r.Add(value)
}

// Run reduces the values that were added. All processes must have added the same number of values. Collective.
func (r *Reduction) Run(comm Comm) {
	for i, e := range comm.Reduce(r.values) {
		*r.addedResults[i] = e
	}
}

// SumInPlace replaces each number, on every process, by the sum of that number over all processes. Collective.
func SumInPlace(comm Comm, numbers ...*uint64) {
	sums := make([]uint64, len(numbers))
	for i, n := range numbers {
		sums[i] = *n
	}
	comm.SumUint64(sums)
	for i, n := range numbers {
		*n = sums[i]
	}
}
