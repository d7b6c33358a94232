//go:build cgo && !nompi

package mpi

/*
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <time.h>
#include "state.h"

static void vote(h5perf_comm *c, int code, int rank)
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

// Waits for the vote, at most `slice` nanoseconds more; `waited` is how long it was waited for before. Processes that
// come together meet in the first 5 ms, without sleep: a vote takes several steps, and where more processes than processors sleep
// between them each step waits for the one that sleeps longest. Then the sleeps grow with the wait: it ends late by at most 1/16 of
// its length, and by 20 ms.
static int wait_vote(h5perf_comm *c, int64_t waited, int64_t slice)
{
    const int64_t spin = 5 * 1000 * 1000, longest = 20 * 1000 * 1000;
    const int64_t start = now() - waited, end = start + waited + slice;
    for (;;) {
        int done = 0;
        MPI_Test(&c->request, &done, MPI_STATUS_IGNORE);
        if (done)
            return 1;
        int64_t t = now();
        if (t >= end)
            return 0;
        int64_t nap = (t - start) / 16;
        if (t - start < spin) {
            sched_yield();
            continue;
        }
        struct timespec s = {0, nap < longest ? nap : longest};
        nanosleep(&s, NULL);
    }
}
*/
import "C"

import "time"

// slice is how long a wait stays in C; so late can it see that it must hurry.
const slice = 50 * time.Millisecond

func (c *comm) Agree(code int, hurry func() bool, grace time.Duration) (highest, rank int, err error) {
	C.vote(c.c, C.int(code), C.int(c.rank))
	start := time.Now()
	var end time.Time // zero: nothing to hurry for yet
	for C.wait_vote(c.c, C.int64_t(time.Since(start)), C.int64_t(slice)) == 0 {
		if end.IsZero() && code != 0 {
			end = start.Add(grace)
		}
		if end.IsZero() && hurry != nil && hurry() {
			end = time.Now().Add(grace)
		}
		if !end.IsZero() && time.Now().After(end) {
			return 0, 0, ErrNoAgreement
		}
	}
	return int(c.c.highest.code), int(c.c.highest.rank), nil
}
