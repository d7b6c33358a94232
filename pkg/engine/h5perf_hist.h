/* The histogram of pkg/fill (fill.Histogram): the same buckets, in the same memory layout. */
#ifndef H5PERF_HIST_H
#define H5PERF_HIST_H

#include <stdint.h>

#define H5PERF_HIST_BITS 7
#define H5PERF_HIST_BUCKETS (((64 - H5PERF_HIST_BITS) << H5PERF_HIST_BITS) + (1 << H5PERF_HIST_BITS))

typedef struct {
    uint64_t counts[H5PERF_HIST_BUCKETS];
    uint64_t sum, min, max; /* nanoseconds */
} h5perf_hist;

/* Returns the index of the bucket for a time in nanoseconds. */
static inline uint32_t h5perf_hist_index(uint64_t ns)
{
    uint32_t shift = 63 - H5PERF_HIST_BITS - (uint32_t)__builtin_clzll(ns | UINT64_C(1) << H5PERF_HIST_BITS);
    return (shift << H5PERF_HIST_BITS) + (uint32_t)(ns >> shift);
}

/* Adds a time in nanoseconds to the histogram. */
static inline void h5perf_hist_record(h5perf_hist *h, uint64_t ns)
{
    h->counts[h5perf_hist_index(ns)]++;
    h->sum += ns;
    if (ns < h->min)
        h->min = ns;
    if (ns > h->max)
        h->max = ns;
}

#endif
