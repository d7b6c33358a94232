//go:build cgo && !nompi

package mpi

/*
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include "state.h"

static unsigned char content(int rank, int i) { return (unsigned char)(rank * 131 + i * 7 + (i >> 8)); }

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Sends n bytes to the next process and receives those of the one before, within the limit. Returns how many came right, or
// -1 when they did not come: MPI keeps the buffers then.
static int ring(const MPI_Comm *comm, int n, double limit, double *took)
{
    int rank, size, done = 0;
    MPI_Comm_rank(*comm, &rank);
    MPI_Comm_size(*comm, &size);
    const int before = (rank + size - 1) % size, next = (rank + 1) % size;
    unsigned char *out = malloc((size_t)n), *in = calloc(1, (size_t)n);
    MPI_Request both[2];
    MPI_Status status[2];
    if (!out || !in)
        abort();
    for (int i = 0; i < n; i++)
        out[i] = content(rank, i);
    const double start = seconds();
    MPI_Irecv(in, n, MPI_BYTE, before, 0, *comm, &both[0]);
    MPI_Isend(out, n, MPI_BYTE, next, 0, *comm, &both[1]);
    while (MPI_Testall(2, both, &done, status), !done) {
        if (seconds() - start > limit)
            return -1;
        sched_yield();
    }
    *took = seconds() - start;
    int right = 0;
    while (right < n && in[right] == content(before, right))
        right++;
    free(out);
    free(in);
    return right;
}
*/
import "C"

import (
	"fmt"
	"time"
)

// Ring sends so many bytes from each process of c to the next, the last one's to the first, and compares what comes with what
// was sent. It returns how long that took here, which tells of no speed: all do it at a time, and wait for each other. It
// waits no longer than limit; after that error, the job can only be aborted. Collective.
func Ring(c Comm, bytes int, limit time.Duration) (time.Duration, error) {
	var took C.double
	before := (c.Rank() + c.Size() - 1) % c.Size()
	right := C.ring((*C.MPI_Comm)(c.Handle()), C.int(bytes), C.double(limit.Seconds()), &took)
	switch {
	case right < 0:
		return 0, fmt.Errorf("%d bytes from rank %d to rank %d, or from there to the next: %w after %v", bytes, before, c.Rank(), ErrNoAgreement, limit)
	case int(right) < bytes:
		return 0, fmt.Errorf("of %d bytes from rank %d the one at %d came wrong to rank %d", bytes, before, right, c.Rank())
	}
	return time.Duration(float64(took) * float64(time.Second)), nil
}
