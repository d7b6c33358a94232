/* The state of a session of the MPI-IO engine, and its functions. */
#ifndef H5PERF_MPIIO_H
#define H5PERF_MPIIO_H

#include <mpi.h>
#include "h5perf_list.h"

enum { VIEW_NONE, VIEW_DATASET, VIEW_TRANSFER };

/* The failure code of a read that reported success but moved no bytes. Error codes of MPI are not negative. */
enum { NOT_READ = -2 };

/* A number of bytes, as the count and the datatype of a data call. */
typedef struct {
    MPI_Datatype type;
    int count;
} h5perf_amount;

/* How a file is opened: for reading, as a new file, or to change an existing file. */
enum { OPEN_READ, OPEN_NEW, OPEN_CHANGE };

/* The state of a file, open or not. */
typedef struct {
    MPI_Comm comm;
    MPI_Info asked;   /* hints to pass; Go owns them; MPI_INFO_NULL: none */
    MPI_Info used;    /* hints in effect for the last file; MPI_INFO_NULL: no file yet */
    MPI_File file;
    const char *call; /* name of the function that failed */
    int mixed;        /* some process does independent transfers in a file after collective ones */
} h5perf_mpiio_file;

/* The transfers of a move. */
typedef struct {
    h5perf_kernel *kernel;
    h5perf_mpiio_file *file;
    h5perf_amount amount;  /* size of one data call; for an independent listed move, of the last call */
    uint64_t bytes;        /* the same in bytes */
    MPI_Datatype filetype; /* filetype of the views; MPI_DATATYPE_NULL: there are no views, or they are empty */
    MPI_Status whole;      /* status of a data call that moved all its bytes */
    int collective, view;
} h5perf_mpiio;

/* Errors of calls for datatypes and infos end the job, which is the default of MPI. Errors of calls for files are
 * returned. */

void h5perf_mpiio_prepare(h5perf_mpiio *s);
void h5perf_mpiio_release(h5perf_mpiio *s);
void h5perf_mpiio_init(h5perf_mpiio_file *f);
void h5perf_mpiio_forget(h5perf_mpiio_file *f);

/* These return an MPI error code. If it is an error, `call` is the name of the function that failed. */
int h5perf_mpiio_open(h5perf_mpiio_file *f, const char *path, int how);
int h5perf_mpiio_sync(h5perf_mpiio_file *f);
int h5perf_mpiio_close(h5perf_mpiio_file *f);
int h5perf_mpiio_begin(h5perf_mpiio *s);

/* Returns the name of the function that moves data, for writing or reading. */
const char *h5perf_mpiio_call(int collective, int write);

/* For one move after another, does the next n transfers of each of the given number of datasets, in file f. If `begins`
 * is set, these are the first transfers. Ends early if the stop flag is set or a call fails. After a failure, the
 * kernel holds the MPI error code, or -1 if the call moved too few bytes without an error. Returns the index of the
 * last move. */
uint64_t h5perf_mpiio_transfer(h5perf_mpiio *const *s, uint64_t moves, h5perf_mpiio_file *f, int write, uint64_t n,
                               uint64_t datasets, int begins);

/* Sets the size in bytes of the next data calls. */
void h5perf_mpiio_size(h5perf_mpiio *s, uint64_t bytes);

/* Records the name of a function if its return code is an error. Returns the code. */
static inline int h5perf_mpiio_try(h5perf_mpiio_file *f, const char *call, int code)
{
    if (code != MPI_SUCCESS)
        f->call = call;
    return code;
}

#endif
