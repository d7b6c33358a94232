//go:build cgo && !nompi

#include "loop.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int bare_open_posix(bare *b, const char *path)
{
    b->fd = b->write ? open(path, O_CREAT | O_TRUNC | O_RDWR, 0600) : open(path, O_RDONLY);
    return b->fd < 0 ? errno : 0;
}

int bare_run_posix(bare *b, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        unsigned char *buffer = b->pool + i % b->slots * b->size;
        ssize_t moved = b->write ? pwrite(b->fd, buffer, b->size, (off_t)(i * b->size))
                                 : pread(b->fd, buffer, b->size, (off_t)(i * b->size));
        if (moved != (ssize_t)b->size)
            return errno ? errno : EIO;
    }
    return 0;
}

int bare_open_mpiio(bare *b, const char *path)
{
    if (b->write)
        unlink(path);
    const int mode = b->write ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
    return MPI_File_open(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, &b->file);
}

int bare_run_mpiio(bare *b, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        unsigned char *buffer = b->pool + i % b->slots * b->size;
        MPI_Status status;
        const MPI_Offset at = (MPI_Offset)(i * b->size);
        int rc = b->write ? MPI_File_write_at(b->file, at, buffer, (int)b->size, MPI_BYTE, &status)
                          : MPI_File_read_at(b->file, at, buffer, (int)b->size, MPI_BYTE, &status);
        if (rc != MPI_SUCCESS)
            return rc;
    }
    return 0;
}

int bare_open_hdf5(bare *b, const char *path, uint64_t bytes, int mpio)
{
    const hsize_t extent = bytes, size = b->size, start = 0, one = 1;
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    herr_t rc = mpio ? H5Pset_fapl_mpio(fapl, MPI_COMM_SELF, MPI_INFO_NULL) : H5Pset_fapl_sec2(fapl);
    b->h5 = b->write ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl) : H5Fopen(path, H5F_ACC_RDONLY, fapl);
    H5Pclose(fapl);
    b->space = H5Screate_simple(1, &extent, NULL);
    b->memory = H5Screate_simple(1, &size, NULL);
    if (rc < 0 || H5Sselect_hyperslab(b->space, H5S_SELECT_SET, &start, NULL, &one, &size) < 0)
        return 1;
    const char *name = "Dataset_1";
    b->dataset = b->write ? H5Dcreate2(b->h5, name, H5T_STD_U8LE, b->space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
                          : H5Dopen2(b->h5, name, H5P_DEFAULT);
    return b->dataset < 0;
}

int bare_run_hdf5(bare *b, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        unsigned char *buffer = b->pool + i % b->slots * b->size;
        const hssize_t offset = (hssize_t)(i * b->size);
        if (H5Soffset_simple(b->space, &offset) < 0)
            return 1;
        herr_t rc = b->write ? H5Dwrite(b->dataset, H5T_NATIVE_UCHAR, b->memory, b->space, H5P_DEFAULT, buffer)
                             : H5Dread(b->dataset, H5T_NATIVE_UCHAR, b->memory, b->space, H5P_DEFAULT, buffer);
        if (rc < 0)
            return 1;
    }
    return 0;
}

int bare_close(bare *b)
{
    if (b->h5 > 0)
        return H5Dclose(b->dataset) < 0 || H5Sclose(b->memory) < 0 || H5Sclose(b->space) < 0 || H5Fclose(b->h5) < 0;
    if (b->file)
        return MPI_File_close(&b->file);
    return close(b->fd);
}
