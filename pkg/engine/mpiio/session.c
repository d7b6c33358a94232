//go:build cgo && !nompi

#include <limits.h>
#include <stdlib.h>
#include "mpiio.h"

/* Expresses a number of bytes as a count of a datatype. Counts are int: a larger number becomes one element of a
 * datatype that consists of whole MiB and the remaining bytes. (The large-count functions of MPI 4 abort in MPICH
 * 4.0.) */
static h5perf_amount amount_of(uint64_t bytes)
{
    if (bytes <= INT_MAX)
        return (h5perf_amount){MPI_BYTE, (int)bytes};
    const uint64_t mib = 1 << 20;
    int lengths[2] = {(int)(bytes / mib), (int)(bytes % mib)};
    MPI_Aint at[2] = {0, (MPI_Aint)(bytes / mib * mib)};
    MPI_Datatype types[2] = {MPI_BYTE, MPI_BYTE};
    h5perf_amount a = {MPI_BYTE, 1};
    MPI_Type_contiguous((int)mib, MPI_BYTE, &types[0]);
    MPI_Type_create_struct(lengths[1] ? 2 : 1, lengths, at, types, &a.type);
    MPI_Type_commit(&a.type);
    MPI_Type_free(&types[0]);
    return a;
}

static void amount_free(h5perf_amount *a)
{
    if (a->type != MPI_BYTE)
        MPI_Type_free(&a->type);
}

/* Wraps a datatype in one vector for each level, the innermost level first. Frees the datatype. */
static MPI_Datatype wrap(MPI_Datatype inner, const h5perf_level *level, uint32_t levels)
{
    for (uint32_t i = levels; i-- > 0;) {
        MPI_Datatype outer;
        MPI_Type_create_hvector((int)level[i].count, 1, (MPI_Aint)level[i].stride, inner, &outer);
        MPI_Type_free(&inner);
        inner = outer;
    }
    return inner;
}

/* Returns the datatype of the runs of one transfer, or of all transfers of a dataset (whole). It begins at the first
 * run. */
static MPI_Datatype filetype_of(const h5perf_kernel *k, int whole)
{
    h5perf_amount run = amount_of(k->run_bytes);
    MPI_Datatype type;
    MPI_Type_contiguous(run.count, run.type, &type);
    amount_free(&run);
    type = wrap(type, k->run, k->run_levels);
    if (whole)
        type = wrap(type, k->transfer, k->transfer_levels);
    MPI_Type_commit(&type);
    return type;
}

/* Sets the length and the datatype of one part of a filetype, which is a group of like runs. A run is `length` bytes,
 * unless it is too long or one of several. Returns whether the datatype must be freed. */
static int part_of(const h5perf_runs *r, int *length, MPI_Datatype *type)
{
    *length = (int)r->bytes;
    *type = MPI_BYTE;
    if (r->count == 1 && r->bytes <= INT_MAX)
        return 0;
    h5perf_amount run = amount_of(r->bytes);
    MPI_Type_create_hvector((int)r->count, run.count, (MPI_Aint)r->stride, run.type, type);
    amount_free(&run);
    *length = 1;
    return 1;
}

/* Returns the datatype of the runs of a listed transfer. It begins at the first run. */
static MPI_Datatype filetype_of_list(const h5perf_list *l)
{
    MPI_Datatype type;
    const size_t n = l->runs;
    int *lengths = malloc(n * sizeof *lengths), *made = malloc(n * sizeof *made), any = 0;
    MPI_Aint *at = malloc(n * sizeof *at);
    MPI_Datatype *types = malloc(n * sizeof *types);
    if (!lengths || !made || !at || !types)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < n; i++) {
        at[i] = (MPI_Aint)(l->run[i].offset - l->run[0].offset);
        any |= made[i] = part_of(&l->run[i], &lengths[i], &types[i]);
    }
    if (any)
        MPI_Type_create_struct((int)n, lengths, at, types, &type);
    else
        MPI_Type_create_hindexed((int)n, lengths, at, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    for (size_t i = 0; i < n; i++)
        if (made[i])
            MPI_Type_free(&types[i]);
    free(lengths);
    free(made);
    free(at);
    free(types);
    return type;
}

void h5perf_mpiio_size(h5perf_mpiio *s, uint64_t bytes)
{
    amount_free(&s->amount);
    s->amount = amount_of(bytes);
    s->bytes = bytes;
    memset(&s->whole, 0xff, sizeof s->whole); /* equal to no real status */
}

void h5perf_mpiio_prepare(h5perf_mpiio *s)
{
    const h5perf_kernel *k = s->kernel;
    s->amount.type = MPI_BYTE;
    h5perf_mpiio_size(s, s->collective ? k->transfer_bytes : k->run_bytes);
    s->filetype = MPI_DATATYPE_NULL;
    if (s->view == VIEW_NONE)
        return;
    if (!k->list)
        s->filetype = filetype_of(k, s->view == VIEW_DATASET);
    else if (k->list->runs > 0)
        s->filetype = filetype_of_list(k->list);
}

void h5perf_mpiio_release(h5perf_mpiio *s)
{
    amount_free(&s->amount);
    if (s->filetype != MPI_DATATYPE_NULL)
        MPI_Type_free(&s->filetype);
}
