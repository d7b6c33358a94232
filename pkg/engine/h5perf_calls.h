/* Counts of the calls of functions, for the engines whose libraries' functions they count. */
#ifndef H5PERF_CALLS_H
#define H5PERF_CALLS_H

#include <stdint.h>

enum { H5PERF_OTHER, H5PERF_WRITES, H5PERF_READS };

/* A function, what it does with data, and its calls since counting has started. */
typedef struct {
    const char *name;
    int kind;
    uint64_t calls, bytes;
} h5perf_function;

/* Counts a call. Libraries make calls in threads of their own, too. */
static inline void h5perf_count(h5perf_function *f, uint64_t bytes)
{
    __atomic_fetch_add(&f->calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&f->bytes, bytes, __ATOMIC_RELAXED);
}

static inline void h5perf_reset(h5perf_function *f, int n)
{
    for (int i = 0; i < n; i++)
        f[i].calls = f[i].bytes = 0;
}

#endif
