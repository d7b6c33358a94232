package mpi

// Reduction reduces values of different kinds in one call of Reduce.
type Reduction struct {
	values []float64
	all    []*Extremes
}

// Add adds a value of this process. What it returns is valid after Run.
func (r *Reduction) Add(value float64) *Extremes {
	e := new(Extremes)
	r.values, r.all = append(r.values, value), append(r.all, e)
	return e
}

// AddFlag is Add of 1 or 0: Max is above 0 if the flag is set on any process, and MaxRank is then the first of these.
func (r *Reduction) AddFlag(flag bool) *Extremes {
	value := 0.0
	if flag {
		value = 1
	}
	return r.Add(value)
}

// Run reduces the values that were added, which must be as many on all processes. Collective.
func (r *Reduction) Run(comm Comm) {
	for i, e := range comm.Reduce(r.values) {
		*r.all[i] = e
	}
}

// Sum adds each number over all processes, in place. Collective.
func Sum(comm Comm, numbers ...*uint64) {
	sums := make([]uint64, len(numbers))
	for i, n := range numbers {
		sums[i] = *n
	}
	comm.SumUint64(sums)
	for i, n := range numbers {
		*n = sums[i]
	}
}
