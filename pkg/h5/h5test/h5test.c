#include "h5test.h"

herr_t h5test_add(hid_t space, const hsize_t *start, const hsize_t *stride, const hsize_t *count, const hsize_t *block)
{
    return H5Sselect_hyperslab(space, H5S_SELECT_OR, start, stride, count, block);
}

herr_t h5test_account(hid_t dxpl, h5perf_collective *c)
{
#ifdef H5_HAVE_PARALLEL
    return h5perf_account(c, dxpl, 1);
#else
    (void)dxpl, (void)c;
    return -1;
#endif
}

/* The library numbers the identifiers of each kind in ascending order. */
void h5test_mark(hid_t *mark)
{
    H5Sclose(mark[0] = H5Screate(H5S_SCALAR));
    H5Tclose(mark[1] = H5Tcopy(H5T_NATIVE_INT));
    H5Pclose(mark[2] = H5Pcreate(H5P_DATASET_CREATE));
    H5Eclose_stack(mark[3] = H5Eget_current_stack());
}

uint64_t h5test_left(const hid_t *mark)
{
    uint64_t left = 0;
    hid_t now[H5TEST_KINDS];
    h5test_mark(now);
    for (int kind = 0; kind < H5TEST_KINDS; kind++)
        for (hid_t id = mark[kind]; id < now[kind]; id++)
            left += H5Iis_valid(id) > 0;
    return left;
}
