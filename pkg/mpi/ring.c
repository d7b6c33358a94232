//go:build cgo && !nompi

#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include "h5perf_mpi.h"

/* Returns byte i of the message that a rank sends. */
static unsigned char content(int rank, int i) { return (unsigned char)(rank * 131 + i * 7 + (i >> 8)); }

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int h5perf_mpi_ring(const MPI_Comm *comm, int n, double limit, double *took)
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
