/* Checks that the program is built with a usable HDF5. Counts how the library executed collective transfers. */
#ifndef H5PERF_HDF5_H
#define H5PERF_HDF5_H

#if defined(__has_include) && !__has_include(<hdf5.h>)
#error "h5perf: no hdf5.h in the include path: use make build FLAVOUR=openmpi|mpich|serial, or set CGO_CFLAGS and \
CGO_LDFLAGS"
#else
#include <hdf5.h>
#if !defined(H5PERF_NOMPI) && !defined(H5_HAVE_PARALLEL)
#error "h5perf: this HDF5 has no parallel support: use make build FLAVOUR=openmpi|mpich, or FLAVOUR=serial for a \
program without MPI"
#endif
#endif

#include <stdint.h>

/* How the library executed transfers for which collective mode was requested. Transfers without data do not count. */
typedef struct {
    uint64_t collective, mixed, independent; /* numbers of transfers */
    uint32_t io_modes, optimizations;        /* bit n: value n of the library's enumeration occurred */
    uint32_t local_causes, global_causes;    /* bits of H5D_mpio_no_collective_cause_t */
} h5perf_collective;

#ifdef H5_HAVE_PARALLEL
/* Adds n transfers to the account, which are like the last transfer with the transfer list. Each query takes 100 ns,
 * so it is left out if its result is already known. Without I/O and without a cause there was nothing to transfer, as
 * with chunks that do not exist. */
static inline herr_t h5perf_account(h5perf_collective *c, hid_t dxpl, uint64_t n)
{
    H5D_mpio_actual_io_mode_t mode;
    H5D_mpio_actual_chunk_opt_mode_t optimization;
    uint32_t local, global;

    if (H5Pget_mpio_actual_io_mode(dxpl, &mode) < 0)
        return -1;
    if (mode == H5D_MPIO_NO_COLLECTIVE) {
        if (H5Pget_mpio_no_collective_cause(dxpl, &local, &global) < 0)
            return -1;
        if (!local && !global)
            return 0;
    }
    c->io_modes |= UINT32_C(1) << mode;
    if (mode == H5D_MPIO_CONTIGUOUS_COLLECTIVE) {
        c->collective += n;
        return 0;
    }
    if (H5Pget_mpio_actual_chunk_opt_mode(dxpl, &optimization) < 0)
        return -1;
    c->optimizations |= UINT32_C(1) << optimization;
    if (mode == H5D_MPIO_CHUNK_COLLECTIVE) {
        c->collective += n;
        return 0;
    }
    if (mode == H5D_MPIO_CHUNK_MIXED)
        c->mixed += n;
    else
        c->independent += n;
    if (H5Pget_mpio_no_collective_cause(dxpl, &local, &global) < 0)
        return -1;
    c->local_causes |= local;
    c->global_causes |= global;
    return 0;
}
#endif

#endif
