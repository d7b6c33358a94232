#include <stdlib.h>
#include "calls.h"

#if H5PERF_MULTI
/* Returns the addresses of buffers, which the caller must free; NULL if there is no memory. */
static void **addresses(size_t count, void *pool, const uint64_t *offsets)
{
    void **at = malloc((count ? count : 1) * sizeof *at);
    for (size_t i = 0; at && i < count; i++)
        at[i] = (unsigned char *)pool + offsets[i];
    return at;
}
#endif

herr_t h5perf_write_multi(size_t count, const hid_t *sets, const hid_t *types, const hid_t *memory, const hid_t *spaces,
                          hid_t dxpl, const void *pool, const uint64_t *offsets)
{
#if H5PERF_MULTI
    void **at = addresses(count, (void *)pool, offsets);
    herr_t rc = at ? H5Dwrite_multi(count, (hid_t *)sets, (hid_t *)types, (hid_t *)memory, (hid_t *)spaces, dxpl,
                                    (const void **)at)
                   : -1;
    free(at);
    return rc;
#else
    (void)count, (void)sets, (void)types, (void)memory, (void)spaces, (void)dxpl, (void)pool, (void)offsets;
    return -1;
#endif
}

herr_t h5perf_read_multi(size_t count, const hid_t *sets, const hid_t *types, const hid_t *memory, const hid_t *spaces,
                         hid_t dxpl, void *pool, const uint64_t *offsets)
{
#if H5PERF_MULTI
    void **at = addresses(count, pool, offsets);
    herr_t rc = at ? H5Dread_multi(count, (hid_t *)sets, (hid_t *)types, (hid_t *)memory, (hid_t *)spaces, dxpl, at)
                   : -1;
    free(at);
    return rc;
#else
    (void)count, (void)sets, (void)types, (void)memory, (void)spaces, (void)dxpl, (void)pool, (void)offsets;
    return -1;
#endif
}
