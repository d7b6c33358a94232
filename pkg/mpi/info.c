//go:build cgo && !nompi

#include "h5perf_mpi.h"

void h5perf_info_create(MPI_Info *info, int some)
{
    *info = MPI_INFO_NULL;
    if (some)
        MPI_Info_create(info);
}

void h5perf_info_set(const MPI_Info *info, const char *key, const char *value) { MPI_Info_set(*info, key, value); }

int h5perf_info_keys(const MPI_Info *info)
{
    int n = -1;
    if (*info != MPI_INFO_NULL)
        MPI_Info_get_nkeys(*info, &n);
    return n;
}

void h5perf_info_get(const MPI_Info *info, int n, char *key, char *value)
{
    int found = 0;
    MPI_Info_get_nthkey(*info, n, key);
#if MPI_VERSION >= 4
    int room = H5PERF_INFO_VALUE;
    MPI_Info_get_string(*info, key, &room, value, &found);
#else
    MPI_Info_get(*info, key, H5PERF_INFO_VALUE - 1, value, &found);
#endif
    if (!found)
        value[0] = 0;
}

void h5perf_info_free(MPI_Info *info)
{
    if (*info != MPI_INFO_NULL)
        MPI_Info_free(info);
}

int h5perf_info_of_file(const void *file, MPI_Info *info) { return MPI_File_get_info(*(const MPI_File *)file, info); }
