//go:build cgo && !nompi

/* The functions of MPI-IO that HDF5 and the engine call, defined here as MPI allows (profiling interface). While calls
 * are counted, they count them. They pass each call on to the next definition with the same name, which is that of MPI
 * or of another profiling library; if MPI is linked statically, to PMPI_File_... */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

#include "calls.h"

static int counting;

#define ENTRY(name, kind) {"MPI_File_" #name, kind, 0, 0},
static h5perf_function functions[] = {H5PERF_MPIIO_FUNCTIONS(ENTRY)};

h5perf_function *h5perf_mpiio_count(int on)
{
    if (on)
        h5perf_reset(functions, H5PERF_MPIIO_COUNT);
    __atomic_store_n(&counting, on, __ATOMIC_SEQ_CST);
    return functions;
}

/* Reports whether calls are counted. */
static inline int is_counting(void) { return __builtin_expect(__atomic_load_n(&counting, __ATOMIC_RELAXED), 0); }

/* Returns the bytes of a number of elements. */
static uint64_t bytes_of(int elements, MPI_Datatype type)
{
    MPI_Count bytes = 0;
    PMPI_Type_size_x(type, &bytes);
    return (uint64_t)elements * (uint64_t)bytes;
}

/* Defines a function that counts its calls, each with a number of bytes. The next definition is looked for at the first
 * call. */
#define COUNTED(name, bytes, parameters, ...)                             \
    static int find_##name parameters;                                    \
    static int(*next_##name) parameters = find_##name;                    \
    static int find_##name parameters                                     \
    {                                                                     \
        void *found = dlsym(RTLD_NEXT, "MPI_File_" #name);                \
        if (found)                                                        \
            *(void **)&next_##name = found;                               \
        else                                                              \
            next_##name = PMPI_File_##name;                               \
        return next_##name(__VA_ARGS__);                                  \
    }                                                                     \
    int MPI_File_##name parameters                                        \
    {                                                                     \
        if (is_counting())                                                \
            h5perf_count(&functions[H5PERF_##name], bytes);               \
        return next_##name(__VA_ARGS__);                                  \
    }

/* The same, for the functions that move data. */
#define MOVES(name, pointer)                                                                                       \
    COUNTED(name, bytes_of(n, type),                                                                               \
            (MPI_File file, MPI_Offset at, pointer memory, int n, MPI_Datatype type, MPI_Status * status), file, at, \
            memory, n, type, status)

MOVES(write_at, const void *)
MOVES(write_at_all, const void *)
MOVES(read_at, void *)
MOVES(read_at_all, void *)
COUNTED(open, 0, (MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file), comm, path, mode, info,
        file)
COUNTED(close, 0, (MPI_File * file), file)
COUNTED(set_view, 0,
        (MPI_File file, MPI_Offset at, MPI_Datatype unit, MPI_Datatype type, const char *form, MPI_Info info), file, at,
        unit, type, form, info)
COUNTED(set_size, 0, (MPI_File file, MPI_Offset bytes), file, bytes)
COUNTED(get_size, 0, (MPI_File file, MPI_Offset *bytes), file, bytes)
COUNTED(set_atomicity, 0, (MPI_File file, int on), file, on)
COUNTED(sync, 0, (MPI_File file), file)
