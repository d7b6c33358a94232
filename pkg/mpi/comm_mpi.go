//go:build cgo && !nompi

package mpi

// #include <stdlib.h>
// #include "h5perf_mpi.h"
import "C"

import (
	"unsafe"

	gompi "github.com/sbromberger/gompi"
)

// mpiComm is a communicator of MPI.
type mpiComm struct {
	c          *C.h5perf_comm
	rank, size int
	job        *gompi.Communicator // communicator of all processes of the job
}

// newState allocates the state of a communicator in C memory.
func newState() *C.h5perf_comm {
	return (*C.h5perf_comm)(C.calloc(1, C.sizeof_h5perf_comm)) // without memory, cgo ends the program
}

func (c *mpiComm) Rank() int { return c.rank }

func (c *mpiComm) Size() int { return c.size }

func (c *mpiComm) Barrier() { C.h5perf_comm_barrier(c.c) }

func (c *mpiComm) Reduce(values []float64) []ReducedValue {
	n := len(values)
	if n == 0 {
		return nil
	}
	places := make([]C.h5perf_place, 2*n) // values, then negative values: their maximum gives the minimum
	sums := make([]C.double, n)
	for i, v := range values {
		places[i] = C.h5perf_place{value: C.double(v), rank: C.int(c.rank)}
		places[n+i] = C.h5perf_place{value: C.double(-v), rank: C.int(c.rank)}
		sums[i] = C.double(v)
	}
	C.h5perf_comm_highest(c.c, &places[0], C.int(2*n))
	C.h5perf_comm_sum(c.c, &sums[0], C.int(n))
	out := make([]ReducedValue, n)
	for i := range out {
		out[i] = ReducedValue{
			Max: float64(places[i].value), MaxRank: int(places[i].rank),
			Min: -float64(places[n+i].value), Sum: float64(sums[i]),
		}
	}
	return out
}

func (c *mpiComm) SumUint64(values []uint64) {
	if len(values) > 0 {
		C.h5perf_comm_sum_uint64(c.c, (*C.uint64_t)(&values[0]), C.int(len(values)))
	}
}

func (c *mpiComm) Bcast(data []byte, root int) []byte {
	length := C.uint64_t(len(data))
	C.h5perf_comm_bcast(c.c, unsafe.Pointer(&length), C.sizeof_uint64_t, C.int(root))
	if c.rank != root {
		data = make([]byte, length)
	}
	C.h5perf_comm_bcast(c.c, unsafe.Pointer(unsafe.SliceData(data)), length, C.int(root))
	return data
}

func (c *mpiComm) Gather(data []byte) [][]byte {
	n := C.int(len(data))
	if c.rank != 0 {
		C.h5perf_comm_gather_length(c.c, n, nil)
		C.h5perf_comm_gather(c.c, unsafe.Pointer(unsafe.SliceData(data)), n, nil, nil, nil)
		return nil
	}
	lengths, at := make([]C.int, c.size), make([]C.int, c.size)
	C.h5perf_comm_gather_length(c.c, n, &lengths[0])
	var total C.int
	for i, l := range lengths {
		at[i] = total
		total += l
	}
	all := make([]byte, total+1) // +1: C needs an address even if total is 0
	C.h5perf_comm_gather(c.c, unsafe.Pointer(unsafe.SliceData(data)), n, unsafe.Pointer(&all[0]), &lengths[0], &at[0])
	out := make([][]byte, c.size)
	for i := range out {
		out[i] = all[at[i] : at[i]+lengths[i]]
	}
	return out
}

func (c *mpiComm) Split(color, key int) Comm {
	s := newState()
	if C.h5perf_comm_split(c.c, C.int(color), C.int(key), s) == 0 {
		C.free(unsafe.Pointer(s))
		return nil
	}
	return c.newSubComm(s)
}

func (c *mpiComm) SplitNode() Comm {
	s := newState()
	C.h5perf_comm_split_node(c.c, C.int(c.rank), s)
	return c.newSubComm(s)
}

func (c *mpiComm) SplitFirst(n int) Comm {
	s := newState()
	C.h5perf_comm_first(c.c, C.int(n), s)
	return c.newSubComm(s)
}

func (c *mpiComm) SplitSelf() Comm {
	s := newState()
	C.h5perf_comm_alone(s)
	return c.newSubComm(s)
}

// newSubComm returns a Go object for the communicator with state s, which was made from c for some of its processes.
func (c *mpiComm) newSubComm(s *C.h5perf_comm) *mpiComm {
	var rank, size C.int
	C.h5perf_comm_order(s, &rank, &size)
	return &mpiComm{c: s, rank: int(rank), size: int(size), job: c.job}
}

func (c *mpiComm) Free() {
	C.h5perf_comm_free(c.c)
	C.free(unsafe.Pointer(c.c))
	c.c = nil
}

func (c *mpiComm) Handle() unsafe.Pointer { return unsafe.Pointer(&c.c.comm) }

func (c *mpiComm) Abort(status int) { c.job.Abort(status) }
