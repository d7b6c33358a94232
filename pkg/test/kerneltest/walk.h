/* Functions of h5perf_kernel.h for tests; none moves data. */
#ifndef H5PERF_WALK_H
#define H5PERF_WALK_H

#include "h5perf_list.h"

/* Does the next transfer without moving data. Returns the number of its runs. Stores the offsets of the first `room`
 * runs in the file and in the pool. */
static inline uint64_t walk(h5perf_kernel *k, uint64_t *offsets, uint64_t *positions, uint64_t room)
{
    uint64_t n = 0;
    H5PERF_FOR_EACH_RUN(k, k->offset, offset, pos) {
        if (n < room) {
            offsets[n] = offset;
            positions[n] = (uint64_t)(h5perf_buffer(k) + pos - k->pool);
        }
        n++;
    }
    h5perf_done(k);
    return n;
}

/* Adds a time in nanoseconds to a histogram. */
static inline void record(void *h, uint64_t ns) { h5perf_hist_record(h, ns); }

/* Writes the stamp of a file offset. */
static inline void stamp_one(unsigned char *at, uint64_t room, uint64_t tag, uint64_t offset)
{
    h5perf_stamp_one(at, room, h5perf_mix(tag), offset);
}

#endif
