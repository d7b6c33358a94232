#include "h5perf_hdf5.h"

/* The program closes HDF5 itself (Close). The library's own exit handler would do it again after MPI_Finalize, and with
 * what a failed close has left behind it crashes (seen with the core driver on a full disk, HDF5 1.10.8). It must be asked
 * before the library is initialised, which importing gonum's package does. */
__attribute__((constructor)) static void h5perf_no_exit_handler(void)
{
    H5dont_atexit();
}
