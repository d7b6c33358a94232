//go:build cgo && !nompi

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <string.h>
#include "component.h"

typedef int find_function(const char *project, const char *framework, const char *component, const char *variable);
typedef int get_function(int index, void *value, void *source, void *file);

/* Calls the functions that Open MPI's own components use. Returns 0 if these functions do not exist, or do not know
 * the parameter. */
static int io_by_parts(char value[H5PERF_IO_ROOM])
{
    find_function *find = (find_function *)dlsym(RTLD_DEFAULT, "mca_base_var_find");
    get_function *get = (get_function *)dlsym(RTLD_DEFAULT, "mca_base_var_get_value");
    int index = find && get ? find("ompi", "io", NULL, NULL) : -1;
    char **text = NULL;
    if (index < 0 || get(index, &text, NULL, NULL) != 0 || !text || (*text && strlen(*text) >= H5PERF_IO_ROOM))
        return 0;
    strcpy(value, *text ? *text : "");
    return 1;
}

/* Uses the interface for tools (MPI_T), with the same result. It is slow: the library opens all its components, which
 * takes 0.2 s, mostly in a component that waits for networks that do not exist. The requested thread level must be
 * that of MPI, because Open MPI changes its own level to it. */
static int io_by_tools(char value[H5PERF_IO_ROOM])
{
    int level, index, count, length = 0, found = 0;
    MPI_T_cvar_handle handle;
    if (MPI_Query_thread(&level) != MPI_SUCCESS || MPI_T_init_thread(level, &level) != MPI_SUCCESS)
        return 0;
    if (MPI_T_cvar_get_index("io", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        length = count;
        found = length < H5PERF_IO_ROOM && MPI_T_cvar_read(handle, value) == MPI_SUCCESS;
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
    return found;
}

int h5perf_io_parameter(char value[H5PERF_IO_ROOM])
{
    MPI_File file;
    if (io_by_parts(value))
        return 1;
    if (MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS)
        MPI_File_close(&file);
    return io_by_parts(value) || io_by_tools(value);
}
