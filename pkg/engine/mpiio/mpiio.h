/* MPI-IO in C: the state of a session, and what is done with it. */
#ifndef H5PERF_MPIIO_H
#define H5PERF_MPIIO_H

#include <mpi.h>
#include "h5perf_kernel.h"

enum { VIEW_NONE, VIEW_DATASET, VIEW_TRANSFER };

/* A number of bytes as a data call of MPI takes it. */
typedef struct {
    MPI_Datatype type;
    int count;
} h5perf_amount;

typedef struct {
    h5perf_kernel *kernel;
    MPI_Comm comm;
    MPI_Info asked;        /* hints, of Go; MPI_INFO_NULL: none */
    MPI_Info used;         /* hints of the last file; MPI_INFO_NULL: no file yet */
    h5perf_amount amount;  /* of one data call */
    uint64_t bytes;        /* the same */
    MPI_Datatype filetype; /* of the views; MPI_DATATYPE_NULL: there are none */
    MPI_Status whole;      /* of a transfer that moved all its bytes */
    int collective, view;
    MPI_File file; /* the open file */
    int write;     /* what it was opened for */
    const char *call; /* the function that failed */
} h5perf_mpiio;

/* Errors of datatypes and infos end the job, as is the default of MPI; those of files are returned. */

void h5perf_mpiio_prepare(h5perf_mpiio *s);
void h5perf_mpiio_release(h5perf_mpiio *s);

/* These return an MPI error code, and then `call` is the function. */
int h5perf_mpiio_open(h5perf_mpiio *s, const char *path, int write);
int h5perf_mpiio_size(h5perf_mpiio *s, MPI_Offset *size);
int h5perf_mpiio_sync(h5perf_mpiio *s);
int h5perf_mpiio_close(h5perf_mpiio *s);
int h5perf_mpiio_begin(h5perf_mpiio *s);

/* The function that moves data when write is set, or not. */
const char *h5perf_mpiio_call(const h5perf_mpiio *s, int write);

/* Does the next n transfers; the kernel tells how that ended. */
void h5perf_mpiio_transfer(h5perf_mpiio *s, uint64_t n);

/* Records the function when its code is an error; returns the code. */
static inline int h5perf_mpiio_try(h5perf_mpiio *s, const char *call, int code)
{
    if (code != MPI_SUCCESS)
        s->call = call;
    return code;
}

#endif
