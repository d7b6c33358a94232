//go:build cgo && !nompi

#include <sched.h>
#include "h5perf_mpi.h"

/* Waits for a collective call as MPI would, but yields the processor to other processes meanwhile. If there are more
 * processes than processors, some of these may be the ones that the call waits for. MPICH keeps the processor until
 * its time slice ends. */
static void finish(MPI_Request request)
{
    for (int done = 0;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        sched_yield();
    }
}

void h5perf_comm_barrier(const h5perf_comm *c)
{
    MPI_Request request;
    MPI_Ibarrier(c->comm, &request);
    finish(request);
}

static void reduce(const h5perf_comm *c, void *v, int n, MPI_Datatype type, MPI_Op op)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, v, n, type, op, c->comm, &request);
    finish(request);
}

void h5perf_comm_highest(const h5perf_comm *c, h5perf_place *p, int n)
{
    reduce(c, p, n, MPI_DOUBLE_INT, MPI_MAXLOC);
}

void h5perf_comm_sum(const h5perf_comm *c, double *v, int n) { reduce(c, v, n, MPI_DOUBLE, MPI_SUM); }

void h5perf_comm_sum_uint64(const h5perf_comm *c, uint64_t *v, int n) { reduce(c, v, n, MPI_UINT64_T, MPI_SUM); }

void h5perf_comm_bcast(const h5perf_comm *c, void *data, uint64_t n, int root)
{
    const uint64_t most = 1 << 30; /* counts are int */
    for (uint64_t at = 0; at < n; at += most) {
        MPI_Request request;
        MPI_Ibcast((char *)data + at, (int)(n - at < most ? n - at : most), MPI_BYTE, root, c->comm, &request);
        finish(request);
    }
}

void h5perf_comm_gather_length(const h5perf_comm *c, int length, int *lengths)
{
    MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, c->comm);
}

void h5perf_comm_gather(const h5perf_comm *c, const void *data, int n, void *out, const int *lengths, const int *at)
{
    MPI_Gatherv(data, n, MPI_BYTE, out, lengths, at, MPI_BYTE, 0, c->comm);
}

int h5perf_comm_split(const h5perf_comm *c, int color, int key, h5perf_comm *out)
{
    MPI_Comm_split(c->comm, color < 0 ? MPI_UNDEFINED : color, key, &out->comm);
    return out->comm != MPI_COMM_NULL;
}

void h5perf_comm_split_node(const h5perf_comm *c, int key, h5perf_comm *out)
{
    MPI_Comm_split_type(c->comm, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &out->comm);
}

void h5perf_comm_first(const h5perf_comm *c, int n, h5perf_comm *out)
{
    MPI_Group all, some;
    int range[1][3] = {{0, n - 1, 1}};
    MPI_Comm_group(c->comm, &all);
    MPI_Group_range_incl(all, 1, range, &some);
    MPI_Comm_create_group(c->comm, some, 0, &out->comm);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}

void h5perf_comm_alone(h5perf_comm *out) { MPI_Comm_dup(MPI_COMM_SELF, &out->comm); }

void h5perf_comm_order(const h5perf_comm *c, int *rank, int *size)
{
    MPI_Comm_rank(c->comm, rank);
    MPI_Comm_size(c->comm, size);
}

void h5perf_comm_free(h5perf_comm *c) { MPI_Comm_free(&c->comm); }
