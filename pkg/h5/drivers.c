#include <stdio.h>
#include <string.h>
#include "calls.h"

herr_t h5perf_set_core(hid_t fapl, size_t increment, int backing_store)
{
    return H5Pset_fapl_core(fapl, increment, backing_store != 0);
}

/* The addresses of each kind of data begin at another tenth of the address space, as in h5perf_serial. */
herr_t h5perf_set_multi(hid_t fapl, hid_t member, const char *letters)
{
    static const char own[] = "msbrglo";
    H5FD_mem_t map[H5FD_MEM_NTYPES];
    hid_t members[H5FD_MEM_NTYPES];
    char name[H5FD_MEM_NTYPES][sizeof "%s-m.h5"];
    const char *names[H5FD_MEM_NTYPES];
    haddr_t start[H5FD_MEM_NTYPES];

    for (int kind = 0; kind < H5FD_MEM_NTYPES; kind++) {
        map[kind] = (H5FD_mem_t)(strchr(own, letters[kind]) - own);
        members[kind] = member;
        snprintf(name[kind], sizeof name[kind], "%%s-%c.h5", own[kind]);
        names[kind] = name[kind];
        start[kind] = kind > 1 ? (haddr_t)(kind - 1) * (HADDR_MAX / 10) : 0;
    }
    return H5Pset_fapl_multi(fapl, map, members, names, start, 0);
}

herr_t h5perf_set_direct(hid_t fapl, size_t alignment, size_t block, size_t buffer)
{
#if H5_HAVE_DIRECT + 0
    return H5Pset_fapl_direct(fapl, alignment, block, buffer);
#else
    (void)fapl, (void)alignment, (void)block, (void)buffer;
    return -1;
#endif
}
