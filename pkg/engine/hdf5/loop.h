/* The transfer loop of the HDF5 engine. */
#ifndef H5PERF_HDF5_LOOP_H
#define H5PERF_HDF5_LOOP_H

#include "h5perf_hdf5.h"
#include "h5perf_list.h"

/* Codes for calls that failed. */
enum { FAIL_OFFSET = 1, FAIL_TRANSFER, FAIL_ACCOUNT, FAIL_EXTENT, FAIL_SHAPE, FAIL_POINTS, FAIL_EMPTY, FAIL_RECLAIM };

/* Memory of a slot for elements of variable length. */
typedef struct {
    void *elements;
    size_t bytes;
    int32_t read; /* the library has allocated memory for the elements */
} h5perf_variable;

typedef struct h5perf_hdf5 {
    h5perf_kernel *kernel;
    h5perf_variable *variable; /* by slot; NULL: elements have a fixed size, and are in the buffer */
    hid_t type;   /* datatype of elements in memory */
    hid_t memory; /* dataspace of the transfer buffer */
    hid_t space;  /* dataspace of the dataset; of a regular move: with the hyperslab of the first transfer selected */
    struct h5perf_hdf5 **selected; /* listed move: the move whose elements are selected in space, which moves share */
    hid_t list;   /* transfer list */
    int collective;
    int chunked;            /* the dataset is stored in chunks */
    int empty;              /* the dataset has no elements and no storage; collective calls on it would fail */
    uint64_t unaccounted;   /* collective transfers since the last query of their real mode */
    h5perf_collective *used; /* accounts of real modes of writes and of reads; shared by all moves of the session */

    int rank;
    hsize_t *start, *stride, *count, *block; /* hyperslab of the first transfer; of a listed move: NULL if it has none */
    int extendible;
    uint64_t extensions; /* calls of H5Dset_extent */

    int system; /* errno after the call that failed */

    /* Of regular moves alone: the loop of a listed move, of which there may be very many, ends here. */
    hsize_t extent[H5PERF_MAXDIM]; /* current extent of the dataset */
    hsize_t buffer[H5PERF_MAXDIM]; /* extent of the transfer buffer, by which the dataset grows */
    hsize_t *points;               /* coordinates of the elements of a transfer; NULL: the transfer is a hyperslab */
    uint64_t count_of_points;
    hsize_t moved[H5PERF_MAXDIM]; /* how far they lie from those of the first transfer */
} h5perf_hdf5;

/* The size of the loop of a listed move. */
#define H5PERF_LISTED_LOOP offsetof(h5perf_hdf5, extent)

/* Sets the extent of the dataspace of the dataset, and selects the first transfer in it. */
herr_t h5perf_hdf5_shape(const h5perf_hdf5 *s);

/* For one move after another, does the next n transfers in each of several datasets, one dataset after another. Calls
 * H5Dwrite if op is 0 (workload.Write), otherwise H5Dread. Selects the hyperslab of a listed move if it is not selected
 * already. Ends early if the stop flag is set or a call fails. If a call failed, the kernel holds one of the codes
 * above, and HDF5's error stack holds the reason. Returns the index of the last move. */
uint64_t h5perf_hdf5_transfer(h5perf_hdf5 *const *s, uint64_t moves, const hid_t *datasets, uint64_t count, int op,
                              uint64_t n);

/* To transfer the datasets of several moves in one HDF5 call: call h5perf_hdf5_next for each dataset of each move. Call
 * h5perf_hdf5_call before the HDF5 call and h5perf_hdf5_called after it, both with the same move. If the HDF5 call
 * succeeded, call h5perf_hdf5_moved for each move. The kernel needs a slot for each dataset. */

/* Prepares the buffer of the next dataset of a move, or of its first dataset if `first` is not 0. Returns the offset of
 * the buffer from `pool` in bytes. */
uint64_t h5perf_hdf5_next(h5perf_hdf5 *s, int first, int op, const void *pool);

void h5perf_hdf5_call(h5perf_hdf5 *s);
void h5perf_hdf5_called(h5perf_hdf5 *s);

/* Counts the transfers of a move with `count` datasets. Reports a failure like h5perf_hdf5_transfer. */
void h5perf_hdf5_moved(h5perf_hdf5 *s, uint64_t count, int op);

#endif
