/* The clock of data calls. Reading that of the system waits until all before it is done, which takes a tenth of the time of a
 * small call; the processor's counter of time is read without a wait, where the system itself tells time by it. */
#ifndef H5PERF_CLOCK_H
#define H5PERF_CLOCK_H

#include <stdint.h>
#include <time.h>

#ifdef __x86_64__
#include <x86intrin.h>
#define H5PERF_COUNTER __rdtsc()
#else
#define H5PERF_COUNTER 0 /* none */
#endif

/* What the system's clock says, in nanoseconds. */
static inline uint64_t h5perf_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* What the clock says, in ticks: those of the counter, where it is known how long one is (see h5perf_tick), else nanoseconds. */
static inline uint64_t h5perf_ticks(uint64_t tick) { return tick ? (uint64_t)H5PERF_COUNTER : h5perf_now(); }

/* Ticks in nanoseconds. */
static inline uint64_t h5perf_nanoseconds(uint64_t tick, uint64_t ticks)
{
    return tick ? (uint64_t)((unsigned __int128)ticks * tick >> 32) : ticks;
}

/* Both clocks at once: of some pairs, that between whose readings the least time passed. */
static inline void h5perf_both(uint64_t *counter, uint64_t *now)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 10; i++) {
        uint64_t before = h5perf_now(), count = H5PERF_COUNTER, after = h5perf_now();
        if (after - before < least) {
            least = after - before;
            *counter = count;
            *now = before + least / 2;
        }
    }
}

/* How long a tick of the counter is, in nanoseconds times 2^32; 0: there is no counter. Takes 10 ms, which makes it true to some
 * parts in a million. */
static inline uint64_t h5perf_tick(void)
{
    uint64_t first = 0, begin = 0, last = 0, end = 0;
    h5perf_both(&first, &begin);
    do
        h5perf_both(&last, &end);
    while (end - begin < 10000000);
    return last == first ? 0 : (uint64_t)(((unsigned __int128)(end - begin) << 32) / (last - first));
}

#endif
