/* Listed transfers. The list of a transfer has its runs in a plain file, in the order in which they are moved, and the
 * location of their bytes in memory. Identical runs at equal distances share one entry. Pieces of a run do the same.
 * Offsets and distances are unsigned and may wrap, to express negative numbers. */
#ifndef H5PERF_LIST_H
#define H5PERF_LIST_H

#include "h5perf_kernel.h"

/* Pieces that follow each other in the file without gaps. */
typedef struct {
    uint64_t bytes;       /* size of each piece */
    uint64_t memory;      /* offset of the first piece from the memory of its run */
    uint64_t count, step; /* number of pieces; their distance in memory */
} h5perf_pieces;

/* Runs that have the same pieces. */
typedef struct {
    uint64_t bytes;               /* size of each run */
    uint64_t offset, memory;      /* offset of the first run in the dataset, and in the slot */
    uint64_t count, stride, step; /* number of runs; their distance in the file, and in memory */
    uint64_t first, pieces;       /* first entry in h5perf_list.piece and number of entries; 0: contiguous in memory */
} h5perf_runs;

typedef struct h5perf_list {
    h5perf_runs *run;
    h5perf_pieces *piece;
    uint64_t runs;          /* number of entries of run */
    unsigned char *staging; /* buffer for a run that is not contiguous in memory, or for all runs of a transfer */
    int32_t dense;          /* all runs follow each other in memory without gaps, from the beginning of the slot */
} h5perf_list;

/* Copies `count` parts of equal size. Their distance is to_step at the destination and from_step at the source. Parts
 * of 4 and 8 bytes are copied with constant sizes, as in an application that knows the type. */
static inline void h5perf_copy(unsigned char *to, uint64_t to_step, const unsigned char *from, uint64_t from_step,
                               uint64_t bytes, uint64_t count)
{
    switch (bytes) {
    case 4:
        for (; count > 0; count--, to += to_step, from += from_step)
            memcpy(to, from, 4);
        return;
    case 8:
        for (; count > 0; count--, to += to_step, from += from_step)
            memcpy(to, from, 8);
        return;
    default:
        for (; count > 0; count--, to += to_step, from += from_step)
            memcpy(to, from, bytes);
    }
}

/* Packs the pieces of a run from memory into a buffer without gaps. */
static inline void h5perf_pack(const h5perf_list *l, const h5perf_runs *r, const unsigned char *memory,
                               unsigned char *packed)
{
    for (const h5perf_pieces *p = l->piece + r->first, *end = p + r->pieces; p < end; p++) {
        h5perf_copy(packed, p->bytes, memory + p->memory, p->step, p->bytes, p->count);
        packed += p->count * p->bytes;
    }
}

/* Unpacks a buffer without gaps to the pieces of a run in memory. */
static inline void h5perf_unpack(const h5perf_list *l, const h5perf_runs *r, unsigned char *memory,
                                 const unsigned char *packed)
{
    for (const h5perf_pieces *p = l->piece + r->first, *end = p + r->pieces; p < end; p++) {
        h5perf_copy(memory + p->memory, p->step, packed, p->bytes, p->bytes, p->count);
        packed += p->count * p->bytes;
    }
}

/* Packs all runs of a transfer from a slot into the staging buffer. */
static inline void h5perf_pack_all(const h5perf_list *l, const unsigned char *slot)
{
    unsigned char *packed = l->staging;
    for (const h5perf_runs *r = l->run, *end = r + l->runs; r < end; packed += r->count * r->bytes, r++) {
        if (!r->pieces)
            h5perf_copy(packed, r->bytes, slot + r->memory, r->step, r->bytes, r->count);
        for (uint64_t i = 0; r->pieces && i < r->count; i++)
            h5perf_pack(l, r, slot + r->memory + i * r->step, packed + i * r->bytes);
    }
}

/* Unpacks the staging buffer to all runs of a transfer in a slot. */
static inline void h5perf_unpack_all(const h5perf_list *l, unsigned char *slot)
{
    const unsigned char *packed = l->staging;
    for (const h5perf_runs *r = l->run, *end = r + l->runs; r < end; packed += r->count * r->bytes, r++) {
        if (!r->pieces)
            h5perf_copy(slot + r->memory, r->step, packed, r->bytes, r->bytes, r->count);
        for (uint64_t i = 0; r->pieces && i < r->count; i++)
            h5perf_unpack(l, r, slot + r->memory + i * r->step, packed + i * r->bytes);
    }
}

/* Stamps a piece, which begins at file offset `offset`, every grain bytes. */
static inline void h5perf_stamp_piece(const h5perf_kernel *k, unsigned char *piece, uint64_t bytes, uint64_t offset)
{
    for (uint64_t p = 0; p < bytes; p += bytes - p < k->grain ? bytes - p : k->grain) {
        uint64_t room = bytes - p < k->grain ? bytes - p : k->grain;
        h5perf_stamp_one(piece + p, room, k->tagmix, offset + p);
    }
}

/* Stamps all pieces of a run. */
static inline void h5perf_stamp_run(const h5perf_kernel *k, const h5perf_runs *r, unsigned char *memory,
                                    uint64_t offset)
{
    if (!r->pieces)
        h5perf_stamp_piece(k, memory, r->bytes, offset);
    for (const h5perf_pieces *p = k->list->piece + r->first, *end = p + r->pieces; p < end; p++) {
        for (uint64_t i = 0; i < p->count; i++, offset += p->bytes)
            h5perf_stamp_piece(k, memory + p->memory + i * p->step, p->bytes, offset);
    }
}

/* Starts the next transfer of a listed move. Returns 0 if the loop must end because the stop flag is set. */
static inline int h5perf_begin_list(h5perf_kernel *k, int write)
{
    if (*k->stop) {
        k->stopped = 1;
        return 0;
    }
    if (!write || !k->stamping)
        return 1;
    for (const h5perf_runs *r = k->list->run, *end = r + k->list->runs; r < end; r++)
        for (uint64_t i = 0; i < r->count; i++)
            h5perf_stamp_run(k, r, h5perf_buffer(k) + r->memory + i * r->step, k->base + r->offset + i * r->stride);
    return 1;
}

/* Reports whether the guard (H5PERF_GUARD) of a transfer is only its last word, because all runs are shorter than a
 * word. Otherwise the last word of longer runs is guarded. Below, `packed` has the runs without gaps. */
static inline int h5perf_guards_all(const h5perf_kernel *k)
{
    for (const h5perf_runs *r = k->list->run, *end = r + k->list->runs; r < end; r++)
        if (r->bytes >= sizeof(uint64_t))
            return 0;
    return k->transfer_bytes >= sizeof(uint64_t);
}

/* Returns the number of runs of an entry up to the next guard, after the one that ends run i; 0 after the last one. The
 * last run of an entry has a guard. */
static inline uint64_t h5perf_next_guarded(const h5perf_runs *r, uint64_t i)
{
    if (r->bytes < sizeof(uint64_t) || i == r->count)
        return 0;
    uint64_t step = h5perf_runs_per_guard(r->bytes);
    return r->count - i < step ? r->count : i + step;
}

/* Sets the guards of a transfer. */
static inline void h5perf_guard_list(const h5perf_kernel *k, unsigned char *packed)
{
    const uint64_t word = H5PERF_GUARD;
    if (k->compared)
        return;
    if (h5perf_guards_all(k))
        memcpy(packed + k->transfer_bytes - sizeof word, &word, sizeof word);
    for (const h5perf_runs *r = k->list->run, *end = r + k->list->runs; r < end; packed += r->count * r->bytes, r++)
        for (uint64_t i = h5perf_next_guarded(r, 0); i; i = h5perf_next_guarded(r, i))
            memcpy(packed + i * r->bytes - sizeof word, &word, sizeof word);
}

/* Reports whether the word that ends at `end` was not read. */
static inline int h5perf_is_guard(const h5perf_kernel *k, const unsigned char *end)
{
    uint64_t word;
    memcpy(&word, end - sizeof word, sizeof word);
    return word == H5PERF_GUARD || (word == 0 && !k->zeros);
}

/* Reports whether a grain does not begin with the stamp of its file offset. `rest` is the number of bytes from the
 * grain to the end of its piece. */
static inline int h5perf_is_foreign(const h5perf_kernel *k, const unsigned char *grain, uint64_t rest, uint64_t offset)
{
    unsigned char want[H5PERF_STAMP_BYTES];
    uint64_t room = rest < k->grain ? rest : k->grain;
    room = room < sizeof want ? room : sizeof want;
    h5perf_stamp_one(want, room, k->tagmix, offset);
    return memcmp(grain, want, room) != 0;
}

/* Reports whether the first or the last stamp of a run is not the stamp of its file offset. */
static inline int h5perf_is_foreign_run(const h5perf_kernel *k, const h5perf_runs *r, const unsigned char *packed,
                                        uint64_t offset)
{
    const h5perf_pieces *p = k->list->piece + r->first;
    uint64_t first = r->pieces ? p[0].bytes : r->bytes, last = r->pieces ? p[r->pieces - 1].bytes : r->bytes;
    uint64_t rest = last > k->grain ? (last - 1) % k->grain + 1 : last, at = r->bytes - rest;
    return h5perf_is_foreign(k, packed, first, offset) || h5perf_is_foreign(k, packed + at, rest, offset + at);
}

/* Returns a number of bytes of the next transfer before the first run that is known not to have been read, or all. */
static inline uint64_t h5perf_list_was_read(const h5perf_kernel *k, const unsigned char *packed)
{
    uint64_t good = 0, at = 0;
    if (k->compared)
        return k->transfer_bytes;
    if (h5perf_guards_all(k) && h5perf_is_guard(k, packed + k->transfer_bytes))
        return 0;
    for (const h5perf_runs *r = k->list->run, *end = r + k->list->runs; r < end; at += r->count * r->bytes, r++) {
        for (uint64_t i = h5perf_next_guarded(r, 0); i; i = h5perf_next_guarded(r, i)) {
            if (h5perf_is_guard(k, packed + at + i * r->bytes))
                return good;
            good = at + i * r->bytes;
        }
        for (uint64_t i = 0; k->stamping && i < r->count; i++) {
            if (h5perf_is_foreign_run(k, r, packed + at + i * r->bytes, k->base + r->offset + i * r->stride))
                return at + i * r->bytes;
        }
    }
    return at;
}

#endif
