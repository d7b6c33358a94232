//go:build cgo && !nompi

package mpiio

/*
#include <mpi.h>

enum { ROOM = 4096 };

// The value of Open MPI's parameter "io", from wherever it was set; 0 when there is none. The thread level is that of MPI: Open
// MPI takes the one that is asked for here for its own from then on.
static int io_parameter(char value[ROOM])
{
    int level, index, count, length = 0, found = 0;
    MPI_T_cvar_handle handle;
    if (MPI_Query_thread(&level) != MPI_SUCCESS || MPI_T_init_thread(level, &level) != MPI_SUCCESS)
        return 0;
    if (MPI_T_cvar_get_index("io", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        length = count;
        found = length < ROOM && MPI_T_cvar_read(handle, value) == MPI_SUCCESS;
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
    return found;
}
*/
import "C"

import "h5perf/pkg/mpi"

// Component is the implementation of MPI-IO in use, as far as the library tells; empty when it does not. MPI must be
// initialised.
func Component() string {
	var value [C.ROOM]C.char
	parameter := ""
	if C.io_parameter(&value[0]) != 0 {
		parameter = C.GoString(&value[0])
	}
	return describe(mpi.LibraryVersion(), parameter)
}
