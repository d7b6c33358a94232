//go:build cgo && !nompi

#include "mpiio.h"

static const char set_view_call[] = "MPI_File_set_view";

/* Sets a view that begins at an offset of the file. Collective. Returns an MPI error code. */
static int set_view(h5perf_mpiio *s, uint64_t offset, MPI_Datatype filetype)
{
    s->kernel->set_views++;
    return MPI_File_set_view(s->file->file, (MPI_Offset)offset, MPI_BYTE, filetype, "native", s->file->asked);
}

/* Sets the view of a move, which begins at the next transfer. */
static int set_own_view(h5perf_mpiio *s)
{
    return set_view(s, s->kernel->offset, s->filetype == MPI_DATATYPE_NULL ? MPI_BYTE : s->filetype);
}

int h5perf_mpiio_begin(h5perf_mpiio *s)
{
    return s->view == VIEW_DATASET ? h5perf_mpiio_try(s->file, set_view_call, set_own_view(s)) : MPI_SUCCESS;
}

/* The call that moves data. */
static inline int data_call(h5perf_mpiio *s, int collective, int write, MPI_Offset at, void *buffer, MPI_Status *status)
{
    const MPI_File file = s->file->file;
    const int n = s->amount.count;
    const MPI_Datatype type = s->amount.type;
    if (collective)
        return write ? MPI_File_write_at_all(file, at, buffer, n, type, status)
                        : MPI_File_read_at_all(file, at, buffer, n, type, status);
    return write ? MPI_File_write_at(file, at, buffer, n, type, status)
                    : MPI_File_read_at(file, at, buffer, n, type, status);
}

const char *h5perf_mpiio_call(int collective, int write)
{
    if (collective)
        return write ? "MPI_File_write_at_all" : "MPI_File_read_at_all";
    return write ? "MPI_File_write_at" : "MPI_File_read_at";
}

/* Counts the bytes that a data call moved. Returns 0 if the call failed or did not move all its bytes. */
static __attribute__((noinline)) int count_moved(h5perf_mpiio *s, int write, int rc, const MPI_Status *status,
                                                 uint64_t offset)
{
    MPI_Count moved = 0;
    if (rc == MPI_SUCCESS)
        MPI_Get_elements_x(status, MPI_BYTE, &moved);
    s->kernel->bytes += (uint64_t)moved;
    if (rc == MPI_SUCCESS && (uint64_t)moved == s->bytes) {
        s->whole = *status;
        return 1;
    }
    s->file->call = h5perf_mpiio_call(s->collective, write);
    h5perf_fail(s->kernel, rc, offset, s->bytes, (uint64_t)moved);
    return 0;
}

/* Does one data call at `at` in the view, which is `offset` in the file. Returns 0 if the call failed, or did not move
 * all its bytes. The return code does not show this: OMPIO reports success for a short write. Counting the bytes takes
 * a tenth of the time of a small call. So they are not counted if the status equals that of an earlier call that moved
 * all its bytes. Inline, with constants for the kind of call: after a system call, branches are predicted badly, and
 * take several percent of the time of a small call. */
static inline __attribute__((always_inline)) int move(h5perf_mpiio *s, int collective, int write, uint64_t at,
                                                      uint64_t offset, void *buffer)
{
    h5perf_kernel *k = s->kernel;
    MPI_Status status;
    memset(&status, 0, sizeof status); /* MPI does not always set all of it */
    int rc = data_call(s, collective, write, (MPI_Offset)at, buffer, &status);
    h5perf_called(k);
    if (rc != MPI_SUCCESS || memcmp(&status, &s->whole, sizeof status) != 0)
        return count_moved(s, write, rc, &status, offset);
    k->bytes += s->bytes;
    return 1;
}

/* Ends the loop if setting a view failed. Returns whether it succeeded. */
static int is_set(h5perf_mpiio *s, int rc)
{
    if (rc == MPI_SUCCESS)
        return 1;
    s->file->call = set_view_call;
    h5perf_fail(s->kernel, rc, s->kernel->offset, 0, 0);
    return 0;
}

/* Checks how many bytes a collective read of the next transfer has moved. Returns 0 if some are missing. */
static inline int is_read(h5perf_mpiio *s, uint64_t moved)
{
    h5perf_kernel *k = s->kernel;
    if (moved == k->transfer_bytes)
        return 1;
    k->bytes -= k->transfer_bytes - moved;
    s->file->call = h5perf_mpiio_call(s->collective, 0);
    h5perf_fail(k, NOT_READ, k->offset, s->bytes, moved);
    return 0;
}

/* Does the next transfer. Returns 0 if it failed. */
static inline int transfer(h5perf_mpiio *s, int write)
{
    h5perf_kernel *k = s->kernel;
    unsigned char *buffer = h5perf_buffer(k);
    if (!s->collective) {
        H5PERF_FOR_EACH_RUN(k, k->offset, offset, pos)
            if (!move(s, 0, write, offset, offset, buffer + pos))
                return 0;
        return 1;
    }
    uint64_t at = k->offset;
    if (s->view == VIEW_DATASET)
        at = (k->next - k->began) * k->transfer_bytes;
    if (s->view == VIEW_TRANSFER) {
        if (!is_set(s, set_own_view(s)))
            return 0;
        at = 0;
    }
    if (write) {
        if (s->view == VIEW_TRANSFER)
            h5perf_call(k); /* the latency does not include setting the view */
        return move(s, 1, write, at, k->offset, buffer);
    }
    h5perf_guard(k, buffer);
    h5perf_call(k);
    return move(s, 1, write, at, k->offset, buffer) && is_read(s, h5perf_was_read(k, buffer));
}

/* Does the next transfers of a regular move. Returns 0 if the loop must end. */
static int regular(h5perf_mpiio *s, int write, uint64_t n)
{
    h5perf_call(s->kernel);
    for (; n > 0; n--) {
        if (!h5perf_begin(s->kernel, write, n) || !transfer(s, write))
            return 0;
        h5perf_done(s->kernel);
    }
    return 1;
}

/* Moves a run, packed if needed. Returns 0 if that failed. */
static inline __attribute__((always_inline)) int move_run(h5perf_mpiio *s, int write, const h5perf_runs *r,
                                                          unsigned char *memory, uint64_t offset)
{
    const h5perf_list *l = s->kernel->list;
    unsigned char *buffer = r->pieces ? l->staging : memory;
    if (write && r->pieces)
        h5perf_pack(l, r, memory, buffer);
    h5perf_call(s->kernel); /* the latency does not include packing */
    if (!move(s, 0, write, offset, offset, buffer))
        return 0;
    if (!write && r->pieces)
        h5perf_unpack(l, r, memory, buffer);
    return 1;
}

/* Does a listed transfer with one call for each run. Returns 0 if the loop must end. */
static inline __attribute__((always_inline)) int runs(h5perf_mpiio *s, int write)
{
    h5perf_kernel *k = s->kernel;
    for (const h5perf_runs *r = k->list->run, *end = r + k->list->runs; r < end; r++) {
        unsigned char *memory = h5perf_buffer(k) + r->memory;
        uint64_t offset = k->base + r->offset;
        if (s->bytes != r->bytes)
            h5perf_mpiio_size(s, r->bytes);
        for (uint64_t i = 0; i < r->count; i++, memory += r->step, offset += r->stride) {
            if (*k->stop) {
                k->stopped = 1;
                return 0;
            }
            if (!move_run(s, write, r, memory, offset))
                return 0;
        }
    }
    return 1;
}

/* Moves the data of a collective transfer. If independent transfers follow in the file, it then sets the default view
 * again, which they need. Setting a view is collective, but only some processes may do an independent transfer. A
 * process whose call failed takes part, too. Returns 0 if a call failed. */
static int move_all(h5perf_mpiio *s, int write, unsigned char *buffer)
{
    int moved = move(s, 1, write, 0, s->kernel->offset, buffer);
    int rc = s->file->mixed ? set_view(s, 0, MPI_BYTE) : MPI_SUCCESS;
    return moved && is_set(s, rc); /* the first error counts */
}

/* Does a listed transfer with one collective call. Returns 0 if it failed. */
static int together(h5perf_mpiio *s, int write)
{
    h5perf_kernel *k = s->kernel;
    const h5perf_list *l = k->list;
    unsigned char *slot = h5perf_buffer(k), *buffer = l->dense ? slot : l->staging;
    if (!is_set(s, set_own_view(s)))
        return 0;
    if (write && !l->dense)
        h5perf_pack_all(l, slot);
    if (!write)
        h5perf_guard_list(k, buffer);
    h5perf_call(k);
    if (!move_all(s, write, buffer))
        return 0;
    if (!write && !is_read(s, h5perf_list_was_read(k, buffer)))
        return 0;
    if (!write && !l->dense)
        h5perf_unpack_all(l, slot);
    return 1;
}

/* Does the next transfer of a listed move. Returns 0 if the loop must end. */
static int one_listed(h5perf_mpiio *s, int write)
{
    if (s->collective)
        return together(s, write);
    return write ? runs(s, 1) : runs(s, 0);
}

/* Does the next transfers of a listed move. Returns 0 if the loop must end. */
static int listed(h5perf_mpiio *s, int write, uint64_t n)
{
    for (; n > 0; n--) {
        if (!h5perf_begin_list(s->kernel, write) || !one_listed(s, write))
            return 0;
        h5perf_done(s->kernel);
    }
    return 1;
}

static void one_move(h5perf_mpiio *s, int write, uint64_t n, uint64_t datasets, int begins)
{
    h5perf_kernel *k = s->kernel;
    while (datasets > 0) {
        if (begins && !is_set(s, h5perf_mpiio_begin(s)))
            return;
        if (!(k->list ? listed : regular)(s, write, n))
            return;
        if (--datasets > 0)
            h5perf_next_dataset(k);
    }
}

/* Fetches the state of the moves after move i into the cache. */
static inline void prefetch_next(h5perf_mpiio *const *s, uint64_t i, uint64_t moves)
{
    if (i + 2 < moves)
        h5perf_prefetch(s[i + 2], sizeof **s);
    if (i + 1 < moves)
        h5perf_prefetch(s[i + 1]->kernel, H5PERF_LISTED_KERNEL);
}

uint64_t h5perf_mpiio_transfer(h5perf_mpiio *const *s, uint64_t moves, h5perf_mpiio_file *f, int write, uint64_t n,
                               uint64_t datasets, int begins)
{
    uint64_t i = 0;
    for (;; i++) {
        prefetch_next(s, i, moves);
        s[i]->file = f;
        one_move(s[i], write, n, datasets, begins);
        if (i + 1 == moves || h5perf_ended_early(s[i]->kernel))
            return i;
    }
}
