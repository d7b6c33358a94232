//go:build cgo && !nompi

package mpi

/*
#include <stdint.h>
#include <stdlib.h>
#include "state.h"

typedef struct {
    double value;
    int rank; // the layout of MPI_DOUBLE_INT
} place;

static void highest(const h5perf_comm *c, place *p, int n)
{
    MPI_Allreduce(MPI_IN_PLACE, p, n, MPI_DOUBLE_INT, MPI_MAXLOC, c->comm);
}
static void sum(const h5perf_comm *c, double *v, int n)
{
    MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, MPI_SUM, c->comm);
}
static void sum_uint64(const h5perf_comm *c, uint64_t *v, int n)
{
    MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_UINT64_T, MPI_SUM, c->comm);
}
static void bcast(const h5perf_comm *c, void *data, uint64_t n, int root)
{
    const uint64_t most = 1 << 30; // counts are int
    for (uint64_t at = 0; at < n; at += most)
        MPI_Bcast((char *)data + at, (int)(n - at < most ? n - at : most), MPI_BYTE, root, c->comm);
}
static void gather_length(const h5perf_comm *c, int length, int *lengths)
{
    MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, c->comm);
}
static void gather(const h5perf_comm *c, const void *data, int n, void *out, const int *lengths, const int *at)
{
    MPI_Gatherv(data, n, MPI_BYTE, out, lengths, at, MPI_BYTE, 0, c->comm);
}
static int split(const h5perf_comm *c, int color, int key, h5perf_comm *out)
{
    MPI_Comm_split(c->comm, color < 0 ? MPI_UNDEFINED : color, key, &out->comm);
    return out->comm != MPI_COMM_NULL;
}
static void split_node(const h5perf_comm *c, int key, h5perf_comm *out)
{
    MPI_Comm_split_type(c->comm, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &out->comm);
}
static void order(const h5perf_comm *c, int *rank, int *size)
{
    MPI_Comm_rank(c->comm, rank);
    MPI_Comm_size(c->comm, size);
}
static void barrier(const h5perf_comm *c) { MPI_Barrier(c->comm); }
static void release(h5perf_comm *c) { MPI_Comm_free(&c->comm); }
*/
import "C"

import (
	"unsafe"

	gompi "github.com/sbromberger/gompi"
)

type comm struct {
	c          *C.h5perf_comm
	rank, size int
	job        *gompi.Communicator // all processes that were launched together
}

func newState() *C.h5perf_comm {
	return (*C.h5perf_comm)(C.calloc(1, C.sizeof_h5perf_comm)) // cgo ends the program when there is no memory
}

func (c *comm) Rank() int { return c.rank }

func (c *comm) Size() int { return c.size }

func (c *comm) Barrier() { C.barrier(c.c) }

func (c *comm) Reduce(values []float64) []Extremes {
	n := len(values)
	if n == 0 {
		return nil
	}
	places := make([]C.place, 2*n) // the least is the highest of the negative values
	sums := make([]C.double, n)
	for i, v := range values {
		places[i] = C.place{value: C.double(v), rank: C.int(c.rank)}
		places[n+i] = C.place{value: C.double(-v), rank: C.int(c.rank)}
		sums[i] = C.double(v)
	}
	C.highest(c.c, &places[0], C.int(2*n))
	C.sum(c.c, &sums[0], C.int(n))
	out := make([]Extremes, n)
	for i := range out {
		out[i] = Extremes{
			Max: float64(places[i].value), MaxRank: int(places[i].rank),
			Min: -float64(places[n+i].value), Sum: float64(sums[i]),
		}
	}
	return out
}

func (c *comm) SumUint64(values []uint64) {
	if len(values) > 0 {
		C.sum_uint64(c.c, (*C.uint64_t)(&values[0]), C.int(len(values)))
	}
}

func (c *comm) Bcast(data []byte, root int) []byte {
	length := C.uint64_t(len(data))
	C.bcast(c.c, unsafe.Pointer(&length), C.sizeof_uint64_t, C.int(root))
	if c.rank != root {
		data = make([]byte, length)
	}
	C.bcast(c.c, unsafe.Pointer(unsafe.SliceData(data)), length, C.int(root))
	return data
}

func (c *comm) Gather(data []byte) [][]byte {
	n := C.int(len(data))
	if c.rank != 0 {
		C.gather_length(c.c, n, nil)
		C.gather(c.c, unsafe.Pointer(unsafe.SliceData(data)), n, nil, nil, nil)
		return nil
	}
	lengths, at := make([]C.int, c.size), make([]C.int, c.size)
	C.gather_length(c.c, n, &lengths[0])
	var total C.int
	for i, l := range lengths {
		at[i] = total
		total += l
	}
	all := make([]byte, total+1) // +1: an address even when all are empty
	C.gather(c.c, unsafe.Pointer(unsafe.SliceData(data)), n, unsafe.Pointer(&all[0]), &lengths[0], &at[0])
	out := make([][]byte, c.size)
	for i := range out {
		out[i] = all[at[i] : at[i]+lengths[i]]
	}
	return out
}

func (c *comm) Split(color, key int) Comm {
	s := newState()
	if C.split(c.c, C.int(color), C.int(key), s) == 0 {
		C.free(unsafe.Pointer(s))
		return nil
	}
	return c.part(s)
}

func (c *comm) SplitNode() Comm {
	s := newState()
	C.split_node(c.c, C.int(c.rank), s)
	return c.part(s)
}

// part is a communicator of some of the processes of c.
func (c *comm) part(s *C.h5perf_comm) *comm {
	var rank, size C.int
	C.order(s, &rank, &size)
	return &comm{c: s, rank: int(rank), size: int(size), job: c.job}
}

func (c *comm) Free() {
	C.release(c.c)
	C.free(unsafe.Pointer(c.c))
	c.c = nil
}

func (c *comm) Handle() unsafe.Pointer { return unsafe.Pointer(&c.c.comm) }

func (c *comm) Abort(status int) { c.job.Abort(status) }
