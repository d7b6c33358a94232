//go:build cgo && !nompi

#define _GNU_SOURCE
#include <sched.h>
#include <time.h>
#include "h5perf_mpi.h"

void h5perf_comm_vote(h5perf_comm *c, int code, int rank)
{
    c->mine = (h5perf_vote){code, rank};
    MPI_Iallreduce(&c->mine, &c->highest, 1, MPI_2INT, MPI_MAXLOC, c->comm, &c->request);
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* The wait does not sleep in its first 5 ms, which is enough for processes that come at the same time. After that,
 * sleeps grow with the time waited. A vote takes several steps between pairs of processes. Each step ends late by at
 * most 1/16 of the wait, and by at most 20 ms, so the delays grow with the logarithm of the number of processes. */
int64_t h5perf_comm_nap(int64_t waited)
{
    const int64_t spin = 5 * 1000 * 1000, longest = 20 * 1000 * 1000;
    if (waited < spin)
        return 0;
    return waited / 16 < longest ? waited / 16 : longest;
}

int h5perf_comm_wait_vote(h5perf_comm *c, int64_t waited, int64_t slice, int sleeps)
{
    const int64_t start = now() - waited, end = start + waited + slice;
    for (;;) {
        int done = 0;
        MPI_Test(&c->request, &done, MPI_STATUS_IGNORE);
        if (done)
            return 1;
        int64_t t = now();
        if (t >= end)
            return 0;
        struct timespec nap = {0, sleeps ? h5perf_comm_nap(t - start) : 0};
        if (nap.tv_nsec)
            nanosleep(&nap, NULL);
        else
            sched_yield();
    }
}

void h5perf_comm_signal(const h5perf_comm *c, int to, int code) { MPI_Send(&code, 1, MPI_INT, to, 0, c->comm); }

int h5perf_comm_wait_signal(const h5perf_comm *c, int from, int64_t slice, int *code)
{
    const int64_t end = now() + slice;
    for (;;) {
        int come = 0;
        MPI_Iprobe(from, 0, c->comm, &come, MPI_STATUS_IGNORE);
        if (come) {
            MPI_Recv(code, 1, MPI_INT, from, 0, c->comm, MPI_STATUS_IGNORE);
            return 1;
        }
        if (now() >= end)
            return 0;
        sched_yield();
    }
}
