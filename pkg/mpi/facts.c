//go:build cgo && !nompi

#define _GNU_SOURCE
#include <dlfcn.h>
#include "h5perf_mpi.h"

/* Looks MPI_Init_thread up by its name, because the address of the function in this program may be that of a stub. */
const char *h5perf_mpi_file(void)
{
    void *function = dlsym(RTLD_DEFAULT, "MPI_Init_thread");
    Dl_info info;
    return function && dladdr(function, &info) ? info.dli_fname : "";
}

/* Calls the PMIx library only if MPI or a component of MPI has loaded it. */
const char *h5perf_mpi_pmix(void)
{
    void *library = dlopen("libpmix.so.2", RTLD_LAZY | RTLD_NOLOAD);
    const char *(*version)(void) = library ? dlsym(library, "PMIx_Get_version") : NULL;
    return version ? version() : "";
}

int h5perf_mpi_library(char *text)
{
    int n = 0;
    return MPI_Get_library_version(text, &n) == MPI_SUCCESS ? n : 0;
}

int h5perf_mpi_thread_level(void)
{
    int level = -1;
    MPI_Query_thread(&level);
    return level;
}
