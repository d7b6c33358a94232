//go:build cgo && !nompi

#include "mpiio.h"

int h5perf_mpiio_open(h5perf_mpiio *s, const char *path, int write)
{
    int mode = write ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
    int rc = h5perf_mpiio_try(s, "MPI_File_open", MPI_File_open(s->comm, path, mode, s->asked, &s->file));
    if (rc != MPI_SUCCESS)
        return rc;
    s->write = write;
    if (write)
        rc = h5perf_mpiio_try(s, "MPI_File_set_size", MPI_File_set_size(s->file, 0));
    if (rc == MPI_SUCCESS) {
        if (s->used != MPI_INFO_NULL)
            MPI_Info_free(&s->used);
        rc = h5perf_mpiio_try(s, "MPI_File_get_info", MPI_File_get_info(s->file, &s->used));
    }
    if (rc != MPI_SUCCESS)
        MPI_File_close(&s->file);
    return rc;
}

int h5perf_mpiio_sync(h5perf_mpiio *s)
{
    return h5perf_mpiio_try(s, "MPI_File_sync", MPI_File_sync(s->file));
}

int h5perf_mpiio_close(h5perf_mpiio *s)
{
    return h5perf_mpiio_try(s, "MPI_File_close", MPI_File_close(&s->file));
}
