#ifndef H5PERF_BARE_H
#define H5PERF_BARE_H

#include <hdf5.h>
#include <mpi.h>
#include <stdint.h>

/* An open file. One of fd, file, and the ids of HDF5 is in use. */
typedef struct {
    int fd;
    MPI_File file;
    hid_t h5, dataset, space, memory;
    int write;
    uint64_t size;       /* bytes of a call */
    unsigned char *pool; /* slots * size bytes; call n uses slot n % slots */
    uint64_t slots;
} bare;

/* Each returns 0, or an error code of the API: errno, an MPI error code, or 1 for HDF5. */
int bare_open_posix(bare *b, const char *path);
int bare_open_mpiio(bare *b, const char *path);
int bare_open_hdf5(bare *b, const char *path, uint64_t bytes, int mpio);
int bare_run_posix(bare *b, uint64_t n);
int bare_run_mpiio(bare *b, uint64_t n);
int bare_run_hdf5(bare *b, uint64_t n);
int bare_close(bare *b);

#endif
