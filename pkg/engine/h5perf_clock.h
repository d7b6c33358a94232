/* The clock that times data calls. Reading the system's clock waits until all earlier instructions are done, which
 * takes a tenth of the time of a small call. The processor's time stamp counter is read without such a wait. It is used
 * if it is also the clock source of the system. */
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

/* The system's monotonic clock, in nanoseconds. */
static inline uint64_t h5perf_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Returns the time of the clock of data calls: in ticks of the counter if `tick` is their duration (h5perf_tick), in
 * nanoseconds if `tick` is 0. */
static inline uint64_t h5perf_ticks(uint64_t tick) { return tick ? (uint64_t)H5PERF_COUNTER : h5perf_now(); }

/* Converts ticks of h5perf_ticks to nanoseconds. */
static inline uint64_t h5perf_nanoseconds(uint64_t tick, uint64_t ticks)
{
    return tick ? (uint64_t)((unsigned __int128)ticks * tick >> 32) : ticks;
}

/* Reads both clocks at almost the same time: it reads the counter between two readings of the system's clock, ten
 * times, and takes the pair of readings with the shortest distance. */
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

/* Measures the duration of a tick of the counter, in nanoseconds times 2^32. Returns 0 if there is no counter. The
 * measurement takes 10 ms; its error is a few parts per million. */
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
