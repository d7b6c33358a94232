#ifndef H5PERF_H5TEST_H
#define H5PERF_H5TEST_H

#include "h5perf_hdf5.h"

/* Adds a hyperslab to the selection of a dataspace. */
herr_t h5test_add(hid_t space, const hsize_t *start, const hsize_t *stride, const hsize_t *count, const hsize_t *block);
/* Adds the last transfer with a transfer list to an account; fails without MPI. */
herr_t h5test_account(hid_t dxpl, h5perf_collective *c);

/* Kinds of identifiers. */
enum { H5TEST_KINDS = 4 };
/* Makes an identifier of each kind, and closes it. */
void h5test_mark(hid_t *mark);
/* Counts the identifiers since a mark that are in use. */
uint64_t h5test_left(const hid_t *mark);

/* Settings of the file that was opened first. */
typedef struct {
    hsize_t threshold, alignment, block, small, page; /* page: 0 without pages */
    uint64_t cache;                                    /* current size of the metadata cache */
    int low, high, evictions, increment, flash, decrement, writes, reads;
} h5test_settings;
herr_t h5test_of_file(h5test_settings *s);

#endif
