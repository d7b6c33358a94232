//go:build cgo && !nompi

#include "mpiio.h"

/* Sets a view that begins at the next transfer. */
static int set_view(h5perf_mpiio *s)
{
    h5perf_kernel *k = s->kernel;
    k->set_views++;
    return h5perf_mpiio_try(s->file, "MPI_File_set_view",
        MPI_File_set_view(s->file->file, (MPI_Offset)k->offset, MPI_BYTE, s->filetype, "native", s->file->asked));
}

int h5perf_mpiio_begin(h5perf_mpiio *s)
{
    return s->view == VIEW_DATASET ? set_view(s) : MPI_SUCCESS;
}

/* The call that moves data. */
static inline int data_call(h5perf_mpiio *s, int write, MPI_Offset at, void *buffer, MPI_Status *status)
{
    const MPI_File file = s->file->file;
    const int n = s->amount.count;
    const MPI_Datatype type = s->amount.type;
    if (s->collective)
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

/* Returns whether a data call moved all its bytes, and sets how many it moved. The return code does not show it: OMPIO
 * reports success for a short write. To count the bytes takes a tenth of the time of a small call, so they are not
 * counted if the status equals that of an earlier call that moved all its bytes. */
static inline int is_whole(h5perf_mpiio *s, const MPI_Status *status, MPI_Count *moved)
{
    *moved = (MPI_Count)s->bytes;
    if (memcmp(status, &s->whole, sizeof *status) == 0)
        return 1;
    MPI_Get_elements_x(status, MPI_BYTE, moved);
    if ((uint64_t)*moved != s->bytes)
        return 0;
    s->whole = *status;
    return 1;
}

/* Does one data call, at `at` in the view, which is `offset` in the file. Returns 0 if it failed. */
static inline int move(h5perf_mpiio *s, int write, uint64_t at, uint64_t offset, void *buffer)
{
    h5perf_kernel *k = s->kernel;
    MPI_Status status;
    MPI_Count moved = 0;
    memset(&status, 0, sizeof status); /* MPI does not always set all of it */
    int rc = data_call(s, write, (MPI_Offset)at, buffer, &status);
    h5perf_called(k);
    int whole = rc == MPI_SUCCESS && is_whole(s, &status, &moved);
    k->bytes += (uint64_t)moved;
    if (whole)
        return 1;
    s->file->call = h5perf_mpiio_call(s->collective, write);
    h5perf_fail(k, rc, offset, s->bytes, (uint64_t)moved);
    return 0;
}

/* Does the next transfer. Returns 0 if it failed. */
static inline int transfer(h5perf_mpiio *s, int write)
{
    h5perf_kernel *k = s->kernel;
    unsigned char *buffer = h5perf_buffer(k);
    if (!s->collective) {
        H5PERF_FOR_EACH_RUN(k, k->offset, offset, pos)
            if (!move(s, write, offset, offset, buffer + pos))
                return 0;
        return 1;
    }
    uint64_t at = k->offset;
    if (s->view == VIEW_DATASET)
        at = k->next * k->transfer_bytes;
    if (s->view == VIEW_TRANSFER) {
        int rc = set_view(s);
        if (rc != MPI_SUCCESS) {
            h5perf_fail(k, rc, k->offset, 0, 0);
            return 0;
        }
        at = 0;
    }
    if (write) {
        if (s->view == VIEW_TRANSFER)
            h5perf_call(k); /* the time to set the view does not count */
        return move(s, write, at, k->offset, buffer);
    }
    h5perf_guard(k, buffer);
    h5perf_call(k);
    if (!move(s, write, at, k->offset, buffer))
        return 0;
    uint64_t moved = h5perf_was_read(k, buffer);
    if (moved == k->transfer_bytes)
        return 1;
    k->bytes -= k->transfer_bytes - moved;
    s->file->call = h5perf_mpiio_call(s->collective, write);
    h5perf_fail(k, NOT_READ, k->offset, s->bytes, moved);
    return 0;
}

void h5perf_mpiio_transfer(h5perf_mpiio *s, int write, uint64_t n)
{
    h5perf_call(s->kernel);
    for (; n > 0 && h5perf_begin(s->kernel, write, n) && transfer(s, write); n--)
        h5perf_done(s->kernel);
}
