//go:build cgo && !nompi

#include "calls.h"

herr_t h5perf_set_mpio(hid_t fapl, const void *comm, const void *info)
{
    return H5Pset_fapl_mpio(fapl, *(const MPI_Comm *)comm, *(const MPI_Info *)info);
}

herr_t h5perf_set_mpio_self(hid_t fapl, const void *info)
{
    return H5Pset_fapl_mpio(fapl, MPI_COMM_SELF, *(const MPI_Info *)info);
}

herr_t h5perf_set_subfiling(hid_t fapl, const void *comm, const void *info, int64_t stripe, int32_t files,
                            int32_t threads)
{
#if H5_HAVE_SUBFILING_VFD + 0
    H5FD_subfiling_config_t config;
    H5FD_ioc_config_t concentrator;
    herr_t rc = -1;

    if (H5Pset_mpi_params(fapl, *(const MPI_Comm *)comm, *(const MPI_Info *)info) < 0 ||
        H5Pget_fapl_subfiling(fapl, &config) < 0)
        return -1;
    config.shared_cfg.stripe_size = stripe;
    config.shared_cfg.stripe_count = files > 0 ? files : H5FD_SUBFILING_DEFAULT_STRIPE_COUNT;
    if (H5Pget_fapl_ioc(config.ioc_fapl_id, &concentrator) >= 0) {
        concentrator.thread_pool_size = threads;
        if (H5Pset_fapl_ioc(config.ioc_fapl_id, &concentrator) >= 0)
            rc = H5Pset_fapl_subfiling(fapl, &config);
    }
    return H5Pclose(config.ioc_fapl_id) < 0 ? -1 : rc;
#else
    (void)fapl, (void)comm, (void)info, (void)stripe, (void)files, (void)threads;
    return -1;
#endif
}
