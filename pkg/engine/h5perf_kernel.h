/* The common part of the transfer loops of all engines: offset and buffer of the next transfer, stamps, and counters.
 * Each engine includes this file and has its own loop (one C call per batch of transfers). All functions are static
 * inline, so that the loop of an engine compiles to one function. */
#ifndef H5PERF_KERNEL_H
#define H5PERF_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "h5perf_clock.h"
#include "h5perf_hist.h"

#define H5PERF_MAXDIM 32
#define H5PERF_MAXLEVEL (2 * H5PERF_MAXDIM)
#define H5PERF_GROUP_BYTES 65536
#define H5PERF_STAMP_BYTES 16

typedef struct {
    uint64_t count, stride; /* stride: distance in the file, in bytes */
} h5perf_level;

struct h5perf_list; /* see h5perf_list.h */

typedef struct {
    /* Set when the case is prepared. */
    uint32_t transfer_levels, run_levels;
    uint64_t transfers;      /* number of transfers in the whole dataset */
    uint64_t runs;           /* number of runs in one transfer */
    uint64_t run_bytes;      /* size of one run */
    uint64_t transfer_bytes; /* runs * run_bytes */
    uint64_t first;          /* offset of the first run in the dataset */
    unsigned char *pool;     /* slots of slot_bytes each; page-aligned */
    uint64_t slot_bytes;     /* transfer_bytes; for a listed move, plus the gaps in its memory */
    uint64_t family;         /* offset in the file of the first dataset of the family, in bytes */
    uint64_t stride;         /* distance in the file from one dataset to the next, in bytes */
    struct h5perf_list *list; /* the runs of a listed move; NULL: the move is regular */
    uint64_t grain;          /* bytes between stamps */
    const volatile int32_t *stop;
    h5perf_hist *latency;    /* times of data calls; NULL: they are not timed */
    uint64_t tick;           /* for h5perf_ticks */
    int32_t zeros, compared; /* the data read may be zeros; the data read are compared later */
    uint64_t last;           /* offset in a run of the last complete stamp */

    uint64_t op_slots[2];    /* slots of the pool that writes and reads use, at least 1 */

    /* Set at the start of a dataset. */
    uint64_t slots;   /* slots in use: the transfer with ordinal n uses slot n % slots */
    uint64_t base;    /* offset of the dataset in the file */
    uint64_t ordinal; /* number of the first transfer of the dataset among all transfers of the move */
    uint64_t began;   /* value of `next` at that transfer: all datasets of a batch are counted together */
    uint64_t tagmix;  /* h5perf_mix of the tag, which names the writer: run, iteration, file, rank */
    int32_t stamping; /* the loop stamps each write, and expects such stamps in the data that it reads */

    /* Changed by the loop. */
    uint64_t next;                   /* number of the next transfer */
    uint64_t offset;                 /* offset in the file of the first run of the next transfer */
    uint64_t slot;                   /* slot of the next transfer; computing it by division would be too slow */
    uint64_t stamped;                /* number of the first transfer that is not stamped yet */
    uint64_t bytes, calls, set_views; /* since the start of the dataset */
    uint64_t called;                  /* if latency is set: start of the data call, in ticks */

    /* Why the loop ended early. */
    int32_t stopped;       /* the stop flag was set */
    int32_t failed;        /* error code of the API for the call that failed; 0: no call failed */
    uint64_t fail_offset;  /* file offset of that call */
    uint64_t fail_bytes;   /* bytes that were requested */
    uint64_t fail_moved;   /* bytes that the call moved (a short count) */

    /* Of regular moves alone: the kernel of a listed move, of which there may be very many, ends here. */
    h5perf_level transfer[H5PERF_MAXDIM]; /* outermost first */
    h5perf_level run[H5PERF_MAXLEVEL];
    int64_t step[H5PERF_MAXDIM]; /* elements by which loop i moves the hyperslab along dimension dim[i] */
    uint32_t dim[H5PERF_MAXDIM];
    uint64_t index[H5PERF_MAXDIM]; /* changed by the loop: position of the next transfer in the nested loops */
} h5perf_kernel;

/* The size of the kernel of a listed move. */
#define H5PERF_LISTED_KERNEL offsetof(h5perf_kernel, transfer)

/* A bijection of 64-bit words. Every bit of the result depends on every bit of the argument (the finalizer of
 * SplitMix64: Steele, Lea, Flood, OOPSLA 2014). */
static inline uint64_t h5perf_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Writes a truncated stamp. Not inline: the call of memcpy would make the loop spill its registers. */
static __attribute__((noinline, cold, unused)) void h5perf_stamp_short(unsigned char *at, uint64_t room,
                                                                       const uint64_t *w)
{
    memcpy(at, w, room);
}

/* Writes the stamp of a file offset: 16 bytes, little endian, truncated to `room` bytes. The first word is
 * mix(offset ^ mix(tag)), the second is mix(tag). Both can be inverted. A truncated stamp still depends on tag and
 * offset. pkg/fill has the same function in Go. */
static inline void h5perf_stamp_one(unsigned char *at, uint64_t room, uint64_t tagmix, uint64_t offset)
{
    uint64_t w[2] = {h5perf_mix(offset ^ tagmix), tagmix};
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w[0] = __builtin_bswap64(w[0]);
    w[1] = __builtin_bswap64(w[1]);
#endif
    if (room >= sizeof w)
        memcpy(at, w, sizeof w);
    else
        h5perf_stamp_short(at, room, w);
}

/* Advances the indices of nested loops by one pass, like an odometer. Returns the change of the offset. Sets *end if
 * the indices wrapped to the start. */
static inline uint64_t h5perf_advance(const h5perf_level *level, uint64_t *index, uint32_t levels, int *end)
{
    uint64_t change = 0; /* unsigned arithmetic wraps: adding a negative change subtracts */
    for (uint32_t i = levels; i-- > 0;) {
        if (++index[i] < level[i].count)
            return change + level[i].stride;
        index[i] = 0;
        change -= (level[i].count - 1) * level[i].stride;
    }
    *end = 1;
    return change;
}

/* Starts the nested loops over runs. Returns the offset of the first run. Clears only levels in use, to save time. */
static inline uint64_t h5perf_first_run(const h5perf_kernel *k, uint64_t *index, uint64_t start)
{
    for (uint32_t i = 0; i < k->run_levels; i++)
        index[i] = 0;
    return start;
}

/* Executes a statement for each run of a transfer. START is the file offset of the first run, OFFSET the file offset of
 * the current run, POS the offset of the current run in the buffer. */
#define H5PERF_FOR_EACH_RUN(K, START, OFFSET, POS)                                                                    \
    for (uint64_t h5perf_index[H5PERF_MAXLEVEL], OFFSET = h5perf_first_run((K), h5perf_index, (START)), POS = 0,      \
                  h5perf_end = 0;                                                                                     \
         !h5perf_end; OFFSET += h5perf_next_run((K), h5perf_index, &h5perf_end), POS += (K)->run_bytes)

static inline uint64_t h5perf_next_run(const h5perf_kernel *k, uint64_t *index, uint64_t *end)
{
    int wrapped = 0;
    uint64_t change = h5perf_advance(k->run, index, k->run_levels, &wrapped);
    *end = (uint64_t)wrapped;
    return change;
}

/* Returns the slot of the next transfer. */
static inline unsigned char *h5perf_buffer(const h5perf_kernel *k) { return k->pool + k->slot * k->slot_bytes; }

/* Returns the index of the slot after `slot`. */
static inline uint64_t h5perf_next_slot(const h5perf_kernel *k, uint64_t slot)
{
    return slot + 1 == k->slots ? 0 : slot + 1;
}

/* Stamps the buffer of a transfer. `start` is the file offset of its first run. */
static inline void h5perf_stamp(const h5perf_kernel *k, unsigned char *buffer, uint64_t start)
{
    H5PERF_FOR_EACH_RUN(k, start, offset, pos) {
        for (uint64_t p = 0; p < k->run_bytes; p += k->grain) {
            uint64_t room = k->run_bytes - p < k->grain ? k->run_bytes - p : k->grain;
            h5perf_stamp_one(buffer + pos + p, room, k->tagmix, offset + p);
        }
    }
}

/* Goes to the first transfer of a dataset at byte `base` of its file. `ordinal` is the ordinal of this transfer. */
static inline void h5perf_first_transfer(h5perf_kernel *k, uint64_t base, uint64_t ordinal)
{
    k->base = base;
    k->ordinal = ordinal;
    k->slot = ordinal % k->slots;
    k->began = k->stamped = k->next;
    memset(k->index, 0, k->transfer_levels * sizeof *k->index);
    k->offset = base + k->first;
}

/* Goes to the next dataset of a batch. */
static inline void h5perf_next_dataset(h5perf_kernel *k)
{
    h5perf_first_transfer(k, k->base + k->stride, k->ordinal + k->transfers);
}

/* Starts the transfers in a dataset at byte `base` of its file, and resets all counters. op is 0 for writes. `ordinal` is
 * the ordinal of the first transfer. */
static inline void h5perf_begin_dataset(h5perf_kernel *k, int op, uint64_t base, uint64_t ordinal, uint64_t tag,
                                        int32_t stamping)
{
    k->slots = k->op_slots[op != 0];
    k->tagmix = h5perf_mix(tag);
    k->stamping = stamping;
    k->next = k->bytes = k->calls = k->set_views = 0;
    h5perf_first_transfer(k, base, ordinal);
    k->stopped = k->failed = 0;
    k->fail_offset = k->fail_bytes = k->fail_moved = 0;
}

/* Starts the transfers of several moves, in dataset `first` of the family of each. */
static inline void h5perf_begin_moves(h5perf_kernel *const *k, uint64_t moves, uint64_t first, int op, uint64_t tag,
                                      int32_t stamping)
{
    for (uint64_t i = 0; i < moves; i++)
        h5perf_begin_dataset(k[i], op, k[i]->family + first * k[i]->stride, first * k[i]->transfers, tag, stamping);
}

/* What loops have done. */
typedef struct {
    uint64_t transfers, bytes, calls, set_views;
} h5perf_progress;

/* Adds what the loops of several moves have done since they began. */
static inline void h5perf_add_progress(h5perf_kernel *const *k, uint64_t moves, h5perf_progress *p)
{
    for (uint64_t i = 0; i < moves; i++) {
        p->transfers += k[i]->next;
        p->bytes += k[i]->bytes;
        p->calls += k[i]->calls;
        p->set_views += k[i]->set_views;
    }
}

/* Reports whether the loop of a move ended early. */
static inline int h5perf_ended_early(const h5perf_kernel *k) { return k->stopped || k->failed; }

/* Fetches the state of a later move of a series into the cache. A series has so much state that the transfer would
 * otherwise wait for memory several times, for 100 to 200 ns in all. */
static inline void h5perf_prefetch(const void *state, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 64) /* the size of a line */
        __builtin_prefetch((const char *)state + at, 1);
}

/* Starts the clock of a data call. */
static inline void h5perf_call(h5perf_kernel *k)
{
    if (k->latency)
        k->called = h5perf_ticks(k->tick);
}

/* Counts and times a data call that returned. Also starts the clock of the next call, for loops that do nothing between
 * two calls. */
static inline void h5perf_called(h5perf_kernel *k)
{
    k->calls++;
    if (k->latency) {
        uint64_t now = h5perf_ticks(k->tick);
        h5perf_hist_record(k->latency, h5perf_nanoseconds(k->tick, now - k->called));
        k->called = now;
    }
}

/* Stamps the buffers of the next transfers: about H5PERF_GROUP_BYTES, but at most `left` transfers, the rest of the
 * batch. So the clock of data calls is read once for the group instead of before each call. */
static inline void h5perf_stamp_group(h5perf_kernel *k, uint64_t left)
{
    uint64_t group = H5PERF_GROUP_BYTES / k->transfer_bytes, offset = k->offset, slot = k->slot, index[H5PERF_MAXDIM];
    int wrapped;
    memcpy(index, k->index, sizeof index);
    if (group > k->slots)
        group = k->slots;
    if (group > left)
        group = left;
    do {
        h5perf_stamp(k, k->pool + slot * k->transfer_bytes, offset);
        k->stamped++;
        slot = h5perf_next_slot(k, slot);
        offset += h5perf_advance(k->transfer, index, k->transfer_levels, &wrapped);
    } while (k->stamped < k->next + group);
    h5perf_call(k); /* so that latencies do not include the time of stamping */
}

/* Starts the next of the `left` transfers left in the batch. Returns 0 if the stop flag is set: the loop must end. */
static inline int h5perf_begin(h5perf_kernel *k, int write, uint64_t left)
{
    if (*k->stop) {
        k->stopped = 1;
        return 0;
    }
    if (write && k->stamping && k->stamped == k->next)
        h5perf_stamp_group(k, left);
    return 1;
}

/* Counts a transfer that moved all its bytes, and advances to the next transfer. */
static inline void h5perf_done(h5perf_kernel *k)
{
    int wrapped = 0;
    k->offset += h5perf_advance(k->transfer, k->index, k->transfer_levels, &wrapped);
    k->next++;
    k->slot = h5perf_next_slot(k, k->slot);
}

/* The guard detects reads that moved nothing, if the data are not compared later. An API can report success for such a
 * read. Beyond the end of a file, HDF5 returns zeros, and ROMIO's collective reads count the bytes as read and return
 * old content of their buffers. So the last word of a run in the buffer is set to H5PERF_GUARD before the call. After
 * the call it must be neither H5PERF_GUARD nor zero. Of runs shorter than H5PERF_GUARDED, only one in so many bytes has
 * a guard, and the last one: guards of each run would take as long as the read of such runs. If runs are shorter than a
 * word, only the last word of the buffer is guarded. If the data have stamps, the first and the last stamp of each run
 * must be correct. */
#define H5PERF_GUARD UINT64_C(0xdb6d5b2d96cb4ba5)
#define H5PERF_GUARDED 4096

/* Returns the number of runs of equal size that share a guard. */
static inline uint64_t h5perf_runs_per_guard(uint64_t run_bytes)
{
    return run_bytes >= H5PERF_GUARDED ? 1 : H5PERF_GUARDED / run_bytes;
}

/* Returns the distance between guards in bytes, or 0 if there are no guards. The last guard is at the end of the buffer.
 */
static inline uint64_t h5perf_guarded(const h5perf_kernel *k)
{
    if (k->compared)
        return 0;
    if (k->run_bytes >= sizeof(uint64_t))
        return k->run_bytes * h5perf_runs_per_guard(k->run_bytes);
    return k->transfer_bytes >= sizeof(uint64_t) ? k->transfer_bytes : 0;
}

/* Returns the end of the next guard after the one that ends at `end`; 0 after the last one. */
static inline uint64_t h5perf_next_guard(const h5perf_kernel *k, uint64_t end, uint64_t step)
{
    if (end >= k->transfer_bytes)
        return 0;
    return k->transfer_bytes - end < step ? k->transfer_bytes : end + step;
}

/* Sets the guards of a buffer. */
static inline void h5perf_guard(const h5perf_kernel *k, unsigned char *buffer)
{
    const uint64_t step = h5perf_guarded(k), word = H5PERF_GUARD;
    for (uint64_t end = step ? h5perf_next_guard(k, 0, step) : 0; end; end = h5perf_next_guard(k, end, step))
        memcpy(buffer + end - sizeof word, &word, sizeof word);
}

/* Reports whether the bytes at `at` are the stamp of a file offset. */
static inline int h5perf_is_stamp(const h5perf_kernel *k, const unsigned char *at, uint64_t offset)
{
    unsigned char want[H5PERF_STAMP_BYTES];
    h5perf_stamp_one(want, sizeof want, k->tagmix, offset);
    return memcmp(at, want, sizeof want) == 0;
}

/* Returns a number of bytes in the buffer of the next transfer before the first run that is known not to have been read,
 * or all. */
static inline uint64_t h5perf_was_read(const h5perf_kernel *k, const unsigned char *buffer)
{
    const uint64_t step = h5perf_guarded(k);
    uint64_t good = 0;
    for (uint64_t end = step ? h5perf_next_guard(k, 0, step) : 0; end; end = h5perf_next_guard(k, end, step)) {
        uint64_t word;
        memcpy(&word, buffer + end - sizeof word, sizeof word);
        if (word == H5PERF_GUARD || (word == 0 && !k->zeros))
            return good;
        good = end;
    }
    if (k->compared || !k->stamping)
        return k->transfer_bytes;
    H5PERF_FOR_EACH_RUN(k, k->offset, offset, pos) {
        if (!h5perf_is_stamp(k, buffer + pos, offset) ||
            !h5perf_is_stamp(k, buffer + pos + k->last, offset + k->last))
            return pos;
    }
    return k->transfer_bytes;
}

/* Records a call that failed; the loop must then return. A code of 0 (a short count) is recorded as -1. */
static inline void h5perf_fail(h5perf_kernel *k, int32_t code, uint64_t offset, uint64_t bytes, uint64_t moved)
{
    k->failed = code ? code : -1;
    k->fail_offset = offset;
    k->fail_bytes = bytes;
    k->fail_moved = moved;
}

#endif
