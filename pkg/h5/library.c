#define _GNU_SOURCE
#include <dlfcn.h>
#include "calls.h"

/* Looks H5open up by its name, because the address of the function in this program may be that of a stub. */
const char *h5perf_library(void)
{
    void *function = dlsym(RTLD_DEFAULT, "H5open");
    Dl_info info;
    return function && dladdr(function, &info) ? info.dli_fname : "";
}
