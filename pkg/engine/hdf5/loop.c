#include "loop.h"

/* Moves the selection to the next transfer. */
static inline herr_t move(const h5perf_hdf5 *s)
{
    const h5perf_kernel *k = s->kernel;
    hssize_t offset[H5PERF_MAXDIM] = {0};
    for (uint32_t i = 0; i < k->transfer_levels; i++)
        offset[k->dim[i]] += (hssize_t)k->index[i] * k->step[i];
    return H5Soffset_simple(s->space, offset);
}

static inline herr_t account(h5perf_hdf5 *s)
{
#ifdef H5_HAVE_PARALLEL
    if (s->collective)
        return h5perf_account(&s->used, s->list);
#else
    (void)s;
#endif
    return 0;
}

/* One transfer; returns the code of the call that failed. */
static inline int one(h5perf_hdf5 *s, hid_t dataset, int op)
{
    h5perf_kernel *k = s->kernel;
    unsigned char *buffer = h5perf_buffer(k);
    if (move(s) < 0)
        return FAIL_OFFSET;
    herr_t rc = op == 0 ? H5Dwrite(dataset, H5T_NATIVE_UCHAR, s->memory, s->space, s->list, buffer)
                        : H5Dread(dataset, H5T_NATIVE_UCHAR, s->memory, s->space, s->list, buffer);
    k->calls++;
    if (rc < 0)
        return FAIL_TRANSFER;
    k->bytes += k->transfer_bytes;
    return account(s) < 0 ? FAIL_ACCOUNT : 0;
}

void h5perf_hdf5_transfer(h5perf_hdf5 *s, int64_t dataset, int op, uint64_t n)
{
    h5perf_kernel *k = s->kernel;
    for (; n > 0 && h5perf_begin(k, op == 0); n--) {
        int failed = one(s, dataset, op);
        if (failed) {
            h5perf_fail(k, failed, k->offset, k->transfer_bytes, 0);
            return;
        }
        h5perf_done(k);
    }
}
