/* Counts of the calls that this process makes to the C library for the data files. */
#ifndef H5PERF_POSIX_CALLS_H
#define H5PERF_POSIX_CALLS_H

#include "h5perf_calls.h"

/* The functions that are counted, with the kind of each. */
#define H5PERF_POSIX_FUNCTIONS(F) \
    F(open, H5PERF_OTHER)         \
    F(close, H5PERF_OTHER)        \
    F(pwrite, H5PERF_WRITES)      \
    F(pwritev, H5PERF_WRITES)     \
    F(write, H5PERF_WRITES)       \
    F(aio_write, H5PERF_WRITES)   \
    F(pread, H5PERF_READS)        \
    F(preadv, H5PERF_READS)       \
    F(read, H5PERF_READS)         \
    F(aio_read, H5PERF_READS)     \
    F(lseek, H5PERF_OTHER)        \
    F(fstat, H5PERF_OTHER)        \
    F(ftruncate, H5PERF_OTHER)    \
    F(fsync, H5PERF_OTHER)        \
    F(flock, H5PERF_OTHER)        \
    F(fcntl, H5PERF_OTHER)        \
    F(mkdirat, H5PERF_OTHER)      \
    F(linkat, H5PERF_OTHER)       \
    F(symlinkat, H5PERF_OTHER)    \
    F(fstatat, H5PERF_OTHER)      \
    F(renameat, H5PERF_OTHER)     \
    F(unlinkat, H5PERF_OTHER)

#define H5PERF_POSIX_INDEX(name, kind) H5PERF_##name,
enum { H5PERF_POSIX_FUNCTIONS(H5PERF_POSIX_INDEX) H5PERF_POSIX_COUNT };

/* Starts counting from 0: calls for files in a directory. */
void h5perf_posix_start(const char *dir);

/* Ends counting, and returns the H5PERF_POSIX_COUNT functions. */
h5perf_function *h5perf_posix_stop(void);

/* Counts a call for a data file that Go makes itself. */
void h5perf_posix_own(int function, int fd);

/* Counts, while calls are counted, that this engine has opened a data file or directory; does nothing if fd is -1. */
void h5perf_posix_opened(int fd);

/* Counts, while calls are counted, a call of this engine for a name in a directory. */
void h5perf_posix_named(int function);

#endif
