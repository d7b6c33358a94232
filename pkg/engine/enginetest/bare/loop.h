#ifndef H5PERF_BARE_H
#define H5PERF_BARE_H

#include <hdf5.h>
#include <mpi.h>
#include <stdint.h>

/* A file and how it is accessed: one of the three. */
typedef struct {
    int fd;
    MPI_File file;
    hid_t h5, dataset, space, memory;
    int write;
    uint64_t size;       /* of a call */
    unsigned char *pool; /* slots * size bytes; call n uses slot n % slots */
    uint64_t slots;
} bare;

/* Each returns 0, or what failed in the terms of the API. */
int bare_open_posix(bare *b, const char *path);
int bare_open_mpiio(bare *b, const char *path);
int bare_open_hdf5(bare *b, const char *path, uint64_t bytes, int mpio);
int bare_run_posix(bare *b, uint64_t n);
int bare_run_mpiio(bare *b, uint64_t n);
int bare_run_hdf5(bare *b, uint64_t n);
int bare_close(bare *b);

#endif
