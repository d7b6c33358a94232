#include "h5perf_hdf5.h"

/* The program closes HDF5 itself (Close). The library's own exit handler would do so again, after MPI_Finalize, and it
 * crashes on what a failed close has left behind (seen with the core driver on a full disk, HDF5 1.10.8). The handler
 * must be switched off before the library is initialised, which the import of gonum's package does. */
__attribute__((constructor)) static void h5perf_no_exit_handler(void)
{
    H5dont_atexit();
}
