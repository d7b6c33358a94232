//go:build cgo && !nompi

#include "mpiio.h"

void h5perf_mpiio_init(h5perf_mpiio_file *f)
{
    f->used = MPI_INFO_NULL;
}

void h5perf_mpiio_forget(h5perf_mpiio_file *f)
{
    if (f->used != MPI_INFO_NULL)
        MPI_Info_free(&f->used);
}

int h5perf_mpiio_open(h5perf_mpiio_file *f, const char *path, int how)
{
    const int modes[] = {
        [OPEN_READ] = MPI_MODE_RDONLY, [OPEN_NEW] = MPI_MODE_CREATE | MPI_MODE_RDWR, [OPEN_CHANGE] = MPI_MODE_RDWR,
    };
    int mode = modes[how];
    int rc = h5perf_mpiio_try(f, "MPI_File_open", MPI_File_open(f->comm, path, mode, f->asked, &f->file));
    if (rc != MPI_SUCCESS)
        return rc;
    if (how == OPEN_NEW)
        rc = h5perf_mpiio_try(f, "MPI_File_set_size", MPI_File_set_size(f->file, 0));
    if (rc == MPI_SUCCESS) {
        if (f->used != MPI_INFO_NULL)
            MPI_Info_free(&f->used);
        rc = h5perf_mpiio_try(f, "MPI_File_get_info", MPI_File_get_info(f->file, &f->used));
    }
    if (rc != MPI_SUCCESS)
        MPI_File_close(&f->file);
    return rc;
}

int h5perf_mpiio_sync(h5perf_mpiio_file *f)
{
    return h5perf_mpiio_try(f, "MPI_File_sync", MPI_File_sync(f->file));
}

int h5perf_mpiio_close(h5perf_mpiio_file *f)
{
    return h5perf_mpiio_try(f, "MPI_File_close", MPI_File_close(&f->file));
}
