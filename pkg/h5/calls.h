/* Functions for pkg/h5: macros of the library as functions, and wrappers of functions that take structures. Functions
 * that return herr_t leave the reason of a failure on the library's error stack. */
#ifndef H5PERF_H5_CALLS_H
#define H5PERF_H5_CALLS_H

#include "h5perf_hdf5.h"

/* What the library was built with, according to its headers. */

#ifndef H5_HAVE_DIRECT
#define H5_HAVE_DIRECT 0
#endif
#ifndef H5_HAVE_SUBFILING_VFD
#define H5_HAVE_SUBFILING_VFD 0
#endif
#ifndef H5_HAVE_ROS3_VFD
#define H5_HAVE_ROS3_VFD 0
#endif
#ifdef H5_HAVE_PARALLEL
#define H5PERF_PARALLEL 1
#else
#define H5PERF_PARALLEL 0
#endif
#ifdef H5_HAVE_THREADSAFE
#define H5PERF_THREADSAFE 1
#else
#define H5PERF_THREADSAFE 0
#endif

enum {
    BUILT_DIRECT = H5_HAVE_DIRECT + 0, BUILT_PARALLEL = H5PERF_PARALLEL, BUILT_SUBFILING = H5_HAVE_SUBFILING_VFD + 0,
    BUILT_ROS3 = H5_HAVE_ROS3_VFD + 0, BUILT_THREADSAFE = H5PERF_THREADSAFE
};

/* library.c: returns the path of the file from which the library in use was loaded; "" if it is not known. */
const char *h5perf_library(void);

/* error.c: the library's error stack as one text; the cause comes first. */
typedef struct {
    char text[4096];
    size_t used;
} h5perf_trace;

void h5perf_walk(h5perf_trace *t);

/* lists.c */
hid_t h5perf_file_access(void);
hid_t h5perf_dataset_transfer(void);
herr_t h5perf_no_locking(hid_t fapl);
/* Sets the larger of `slots` and the library's default number of slots. */
herr_t h5perf_set_chunk_cache(hid_t fapl, size_t slots, size_t bytes);

/* drivers.c. If the library was built without the driver, a function fails and leaves no reason. */
herr_t h5perf_set_core(hid_t fapl, size_t increment, int backing_store);
herr_t h5perf_set_multi(hid_t fapl, hid_t member, const char *letters);
herr_t h5perf_set_direct(hid_t fapl, size_t alignment, size_t block, size_t buffer);

/* drivers_mpi.c, only in builds with MPI. comm and info point to an MPI_Comm and an MPI_Info. */
herr_t h5perf_set_mpio(hid_t fapl, const void *comm, const void *info);
herr_t h5perf_set_subfiling(hid_t fapl, const void *comm, const void *info, int64_t stripe, int32_t files,
                            int32_t threads);

#endif
