//go:build cgo && !nompi

package h5

/*
#include "h5perf_hdf5.h"

#ifdef H5_HAVE_SUBFILING_VFD
enum { HAVE_SUBFILING = 1 };
static herr_t set_subfiling(hid_t fapl, const void *comm, const void *info, int64_t stripe, int32_t files, int32_t threads)
{
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
}
#else
enum { HAVE_SUBFILING = 0 };
static herr_t set_subfiling(hid_t fapl, const void *comm, const void *info, int64_t stripe, int32_t files, int32_t threads)
{
    (void)fapl, (void)comm, (void)info, (void)stripe, (void)files, (void)threads;
    return -1;
}
#endif
*/
import "C"

import (
	"fmt"
	"unsafe"

	"h5perf/pkg/kv"
	"h5perf/pkg/mpi"

	"gonum.org/v1/hdf5"
)

// CheckSubfiling tells whether the library has the subfiling driver.
func CheckSubfiling() error {
	if C.HAVE_SUBFILING == 0 {
		return fmt.Errorf("the file driver subfiling: %w (HDF5 %s, %s): use an HDF5 that was configured with --enable-subfiling-vfd, or the container image",
			ErrNotInLibrary, Version(), Library())
	}
	return nil
}

// SetSubfiling chooses the subfiling driver: some processes, its I/O concentrators, write and read for all, each in threads of
// its own, files over which the data are striped. comm and hints are as in SetMPIO. stripe is in bytes; files is their number,
// 0 for one of each concentrator; threads are those of a concentrator. MPI must be at MPI_THREAD_MULTIPLE.
func SetSubfiling(fapl *hdf5.PropList, comm unsafe.Pointer, hints []kv.KeyValue, stripe uint64, files, threads int) error {
	if err := CheckSubfiling(); err != nil {
		return err
	}
	info, err := mpi.NewInfo(hints)
	if err != nil {
		return err
	}
	defer info.Free()
	rc := C.set_subfiling(C.hid_t(fapl.ID()), comm, info.Handle(), C.int64_t(stripe), C.int32_t(files), C.int32_t(threads))
	return status(rc, "H5Pset_fapl_subfiling")
}
