#include <errno.h>

#include "loop.h"

herr_t h5perf_hdf5_shape(const h5perf_hdf5 *s)
{
    hsize_t limit[H5PERF_MAXDIM];
    for (int d = 0; d < s->rank; d++)
        limit[d] = s->extendible ? H5S_UNLIMITED : s->extent[d];
    if (H5Sset_extent_simple(s->space, s->rank, s->extent, limit) < 0)
        return -1;
    return H5Sselect_hyperslab(s->space, H5S_SELECT_SET, s->start, s->stride, s->count, s->block);
}

/* Extends the dataset by the extent of the buffer, in every dimension in which the next transfer begins beyond the end
 * of the dataset. Returns 0 or the code of the call that failed. */
static int grow(h5perf_hdf5 *s, hid_t dataset, const hssize_t *offset)
{
    int beyond = 0;
    for (int d = 0; d < s->rank; d++) {
        if ((hsize_t)offset[d] >= s->extent[d]) {
            s->extent[d] += s->buffer[d];
            beyond = 1;
        }
    }
    if (!beyond)
        return 0;
    if (H5Dset_extent(dataset, s->extent) < 0)
        return FAIL_EXTENT;
    s->extensions++;
    return h5perf_hdf5_shape(s) < 0 ? FAIL_SHAPE : 0;
}

/* Selects the points of the transfer that lies at an offset from the first one. HDF5 has offsets of selections, but up
 * to 1.10.8 at least does not move points by them in collective transfers of contiguous storage. */
static herr_t select_points(h5perf_hdf5 *s, const hssize_t *offset)
{
    for (uint64_t i = 0; i < s->count_of_points; i++)
        for (int d = 0; d < s->rank; d++)
            s->points[i * (uint64_t)s->rank + (uint64_t)d] += (hsize_t)offset[d] - s->moved[d];
    for (int d = 0; d < s->rank; d++)
        s->moved[d] = (hsize_t)offset[d];
    return H5Sselect_elements(s->space, H5S_SELECT_SET, s->count_of_points, s->points);
}

/* Moves the selection to the next transfer. Returns 0 or the code of the call that failed. */
static inline int move(h5perf_hdf5 *s, hid_t dataset)
{
    const h5perf_kernel *k = s->kernel;
    hssize_t offset[H5PERF_MAXDIM];
    for (int d = 0; d < s->rank; d++)
        offset[d] = 0;
    for (uint32_t i = 0; i < k->transfer_levels; i++)
        offset[k->dim[i]] += (hssize_t)k->index[i] * k->step[i];
    int failed = s->extendible ? grow(s, dataset, offset) : 0;
    if (failed)
        return failed;
    if (s->points)
        return select_points(s, offset) < 0 ? FAIL_POINTS : 0;
    return H5Soffset_simple(s->space, offset) < 0 ? FAIL_OFFSET : 0;
}

/* Adds the transfers since the last call of this function to the account of collective transfers. */
static herr_t account(h5perf_hdf5 *s, int op)
{
    herr_t rc = 0;
#ifdef H5_HAVE_PARALLEL
    if (s->unaccounted > 0)
        rc = h5perf_account(&s->used[op != 0], s->list, s->unaccounted);
#else
    (void)op;
#endif
    s->unaccounted = 0;
    return rc;
}

/* Counts a transfer that has ended, if it was requested to be collective. In a chunked dataset, its real mode depends
 * on the chunks that it touches. In a contiguous dataset, all transfers have the same mode: one query after the last
 * transfer of a batch is enough. */
static inline herr_t done(h5perf_hdf5 *s, int op)
{
    if (!s->collective)
        return 0;
    s->unaccounted++;
    return s->chunked ? account(s, op) : 0;
}

/* Starts the next transfer. Returns 0 if the loop must end because the stop flag is set. */
static inline int begin(h5perf_kernel *k, int op, uint64_t left)
{
    return k->list ? h5perf_begin_list(k, op == 0) : h5perf_begin(k, op == 0, left);
}

/* Sets the guards of a buffer for a read. A listed transfer has guards only if its bytes are contiguous in memory. */
static inline void guard(const h5perf_kernel *k, unsigned char *buffer)
{
    if (!k->list)
        h5perf_guard(k, buffer);
    else if (k->list->dense)
        h5perf_guard_list(k, buffer);
}

/* Prepares the memory of elements of variable length for a read. If a read of the same slot went before, frees what the
 * library has allocated for it. */
static herr_t prepare_variable(const h5perf_hdf5 *s, h5perf_variable *v)
{
    herr_t rc = 0;
    if (v->read) {
        rc = H5Dvlen_reclaim(s->type, s->memory, H5P_DEFAULT, v->elements);
        memset(v->elements, 0, v->bytes);
    }
    v->read = 1;
    return rc;
}

/* Counts the bytes of a transfer. Returns 0 if it did not read all of them. */
static inline int moved(h5perf_kernel *k, const unsigned char *buffer, int op, int variable)
{
    uint64_t bytes = k->transfer_bytes;
    if (variable) /* the session finds out later what was read */
        ;
    else if (op != 0 && !k->list)
        bytes = h5perf_was_read(k, buffer);
    else if (op != 0 && k->list->dense)
        bytes = h5perf_list_was_read(k, buffer);
    k->bytes += bytes;
    k->fail_moved = bytes;
    return bytes == k->transfer_bytes;
}

/* Does one transfer. Returns 0 or the code of the call that failed. */
static inline int one(h5perf_hdf5 *s, hid_t dataset, int op)
{
    h5perf_kernel *k = s->kernel;
    unsigned char *buffer = h5perf_buffer(k);
    int failed = k->list ? 0 : move(s, dataset);
    if (failed)
        return failed;
    if (s->empty)
        return 0;
    void *data = buffer;
    if (s->variable) {
        h5perf_variable *v = s->variable + k->slot;
        data = v->elements;
        if (op != 0 && prepare_variable(s, v) < 0)
            return FAIL_RECLAIM;
    } else if (op != 0)
        guard(k, buffer);
    h5perf_call(k);
    herr_t rc = op == 0 ? H5Dwrite(dataset, s->type, s->memory, s->space, s->list, data)
                        : H5Dread(dataset, s->type, s->memory, s->space, s->list, data);
    h5perf_called(k);
    if (rc < 0)
        return FAIL_TRANSFER;
    return moved(k, buffer, op, s->variable != NULL) ? (done(s, op) < 0 ? FAIL_ACCOUNT : 0) : FAIL_EMPTY;
}

/* Does the next n transfers of a dataset. Returns 0 if the loop must end. */
static inline int all(h5perf_hdf5 *s, hid_t dataset, int op, uint64_t n)
{
    h5perf_kernel *k = s->kernel;
    for (; n > 0 && begin(k, op, n); n--) {
        int failed = one(s, dataset, op);
        if (failed) {
            s->system = errno;
            s->unaccounted = 0; /* after an error, the transfer list holds no valid mode */
            h5perf_fail(k, failed, k->offset, k->transfer_bytes, k->fail_moved);
            return 0;
        }
        h5perf_done(k);
    }
    return n == 0;
}

/* Selects the hyperslab of a listed move. Returns 0 if that failed. */
static inline int selects(h5perf_hdf5 *s)
{
    if (!s->selected || *s->selected == s)
        return 1;
    *s->selected = NULL;
    if (H5Sselect_hyperslab(s->space, H5S_SELECT_SET, s->start, s->stride, s->count, s->block) < 0)
        return 0;
    *s->selected = s;
    return 1;
}

/* Reports whether transfers of two moves in the same dataset have the same real mode, if they are collective: see
 * done. */
static inline int has_same_mode(const h5perf_hdf5 *s, const h5perf_hdf5 *other)
{
    return s->list == other->list && s->type == other->type && s->memory == other->memory;
}

/* Does the next n transfers of a move in each of several datasets. `next` is the move that follows in the same
 * datasets; NULL: none. If it has the same real mode, it takes over the transfers that are not accounted yet. */
static inline void one_move(h5perf_hdf5 *s, h5perf_hdf5 *next, const hid_t *datasets, uint64_t count, int op,
                            uint64_t n)
{
    h5perf_kernel *k = s->kernel;
    if (!selects(s)) {
        s->system = errno;
        h5perf_fail(k, FAIL_SHAPE, k->offset, k->transfer_bytes, 0);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            h5perf_next_dataset(k);
        if (!all(s, datasets[i], op, n))
            return;
    }
    if (next && has_same_mode(s, next)) {
        next->unaccounted = s->unaccounted;
        s->unaccounted = 0;
    } else if (account(s, op) < 0) {
        s->system = errno;
        h5perf_fail(k, FAIL_ACCOUNT, k->offset, k->transfer_bytes, 0);
    }
}

/* Fetches the state of the moves after move i into the cache. */
static inline void prefetch_next(h5perf_hdf5 *const *s, uint64_t i, uint64_t moves)
{
    if (i + 2 < moves)
        h5perf_prefetch(s[i + 2], H5PERF_LISTED_LOOP);
    if (i + 1 < moves) {
        h5perf_prefetch(s[i + 1]->kernel, H5PERF_LISTED_KERNEL);
        h5perf_prefetch(s[i + 1]->start, 1);
    }
}

uint64_t h5perf_hdf5_transfer(h5perf_hdf5 *const *s, uint64_t moves, const hid_t *datasets, uint64_t count, int op,
                              uint64_t n)
{
    errno = 0;
    for (uint64_t i = 0;; i++) {
        prefetch_next(s, i, moves);
        one_move(s[i], i + 1 < moves ? s[i + 1] : NULL, datasets, count, op, n);
        if (i + 1 == moves || h5perf_ended_early(s[i]->kernel))
            return i;
    }
}

uint64_t h5perf_hdf5_next(h5perf_hdf5 *s, int first, int op, const void *pool)
{
    h5perf_kernel *k = s->kernel;
    if (!first)
        h5perf_next_dataset(k);
    begin(k, op, 1);
    if (op != 0)
        guard(k, h5perf_buffer(k));
    return (uint64_t)(h5perf_buffer(k) - (const unsigned char *)pool);
}

void h5perf_hdf5_call(h5perf_hdf5 *s) { h5perf_call(s->kernel); }

void h5perf_hdf5_called(h5perf_hdf5 *s) { h5perf_called(s->kernel); }

void h5perf_hdf5_moved(h5perf_hdf5 *s, uint64_t count, int op)
{
    h5perf_kernel *k = s->kernel;
    h5perf_first_transfer(k, k->base - (count - 1) * k->stride, k->ordinal - (count - 1) * k->transfers);
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            h5perf_next_dataset(k);
        if (!moved(k, h5perf_buffer(k), op, 0)) {
            h5perf_fail(k, FAIL_EMPTY, k->offset, k->transfer_bytes, k->fail_moved);
            return;
        }
        h5perf_done(k);
    }
    s->unaccounted = s->collective && !s->empty ? count : 0;
    if (account(s, op) < 0) {
        s->system = errno;
        h5perf_fail(k, FAIL_ACCOUNT, k->offset, k->transfer_bytes, 0);
    }
}
