/* Counts of the calls that this process makes to MPI-IO. */
#ifndef H5PERF_MPIIO_CALLS_H
#define H5PERF_MPIIO_CALLS_H

#include "h5perf_calls.h"

/* The functions that are counted, MPI_File_..., with the kind of each: those that HDF5 and the engine call. */
#define H5PERF_MPIIO_FUNCTIONS(F)      \
    F(open, H5PERF_OTHER)              \
    F(close, H5PERF_OTHER)             \
    F(write_at, H5PERF_WRITES)         \
    F(write_at_all, H5PERF_WRITES)     \
    F(read_at, H5PERF_READS)           \
    F(read_at_all, H5PERF_READS)       \
    F(set_view, H5PERF_OTHER)          \
    F(set_size, H5PERF_OTHER)          \
    F(get_size, H5PERF_OTHER)          \
    F(set_atomicity, H5PERF_OTHER)     \
    F(sync, H5PERF_OTHER)

#define H5PERF_MPIIO_INDEX(name, kind) H5PERF_##name,
enum { H5PERF_MPIIO_FUNCTIONS(H5PERF_MPIIO_INDEX) H5PERF_MPIIO_COUNT };

/* Starts counting from 0 (on), or ends it. Returns the H5PERF_MPIIO_COUNT functions. */
h5perf_function *h5perf_mpiio_count(int on);

#endif
