/* trace: a library for LD_PRELOAD. It writes what each transfer of a program asks of HDF5 and MPI-IO to the file
 * $H5PERF_TRACE/RANK, a line for each call, in the order of the calls:
 *   FILE H5Dwrite OBJECT dataset (..) type (..) memory (..) file (..) list (..)
 *   FILE MPI_File_write_at memory (runs of bytes) file (runs of bytes)
 * Only files whose names begin with data_ count: other files are not those of the measured program. The MPI calls of
 * HDF5 count while it transfers data; the others open, close and write metadata. Lines have no addresses of memory and
 * no handles, so that equal programs have equal lines. FILE is the part NAME of its name, data_ID_NAME. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <hdf5.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 16, NAME_BYTES = 256 };

/* The file of this rank. */
static FILE *lines(void)
{
    static FILE *file;
    if (file)
        return file;
    char path[4096];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/%d", getenv("H5PERF_TRACE"), rank);
    file = fopen(path, "a");
    if (!file) {
        perror(path);
        abort();
    }
    setvbuf(file, NULL, _IOLBF, 1 << 20);
    return file;
}

static void print(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(lines(), format, list);
    va_end(list);
}

/* Copies NAME of a path of the form DIR/data_ID_NAME. Returns 0 if the path has another form. */
static int data_name(const char *path, char name[NAME_BYTES])
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *id = strchr(base, '_'), *own = id ? strchr(id + 1, '_') : NULL;
    if (strncmp(base, "data_", 5) != 0 || !own)
        return 0;
    snprintf(name, NAME_BYTES, "%s", own + 1);
    return 1;
}

/* ---- MPI-IO ---- */

/* An open file. A view is the offset of its first byte, the size of its unit, and a datatype. */
typedef struct {
    MPI_File file;
    char name[NAME_BYTES];
    int of_hdf5;
    MPI_Offset offset;
    int unit;
    MPI_Datatype type; /* MPI_DATATYPE_NULL: all bytes */
} open_file;

static open_file files[MAX_FILES];
static int in_hdf5;                  /* a function of HDF5 that opens files is active */
static char transferred[NAME_BYTES]; /* the file of the H5Dwrite or H5Dread that is active */

static open_file *find(MPI_File file)
{
    for (int i = 0; i < MAX_FILES; i++)
        if (files[i].name[0] && files[i].file == file)
            return &files[i];
    return NULL;
}

/* Prints runs of bytes as first+bytes; neighbours become one run. */
typedef struct {
    long long first, bytes;
} run;

static void flush_run(run *r)
{
    if (r->bytes > 0)
        print(" %lld+%lld", r->first, r->bytes);
    r->bytes = 0;
}

static void add_run(run *r, long long first, long long bytes)
{
    if (r->bytes > 0 && r->first + r->bytes == first) {
        r->bytes += bytes;
        return;
    }
    flush_run(r);
    *r = (run){first, bytes};
}

/* Returns the position of each byte of a number of elements of a datatype, in the order of the datatype. It packs
 * memory whose bytes are their own positions, one byte of the position after the other. */
static long long *positions(MPI_Datatype type, int count, long long *n)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int size, room;
    PMPI_Type_get_extent(type, &lb, &extent);
    PMPI_Type_get_true_extent(type, &true_lb, &true_extent);
    PMPI_Type_size(type, &size);
    *n = (long long)size * count;
    long long *at = calloc((size_t)*n + 1, sizeof *at);
    if (*n == 0)
        return at;
    size_t span = (size_t)(extent * (count - 1) + true_extent);
    unsigned char *memory = malloc(span);
    PMPI_Pack_size(count, type, MPI_COMM_SELF, &room);
    unsigned char *packed = malloc((size_t)room);
    for (int shift = 0; shift < 32; shift += 8) {
        int end = 0;
        for (size_t i = 0; i < span; i++)
            memory[i] = (unsigned char)(i >> shift);
        PMPI_Pack(memory - true_lb, count, type, packed, room, &end, MPI_COMM_SELF);
        for (long long i = 0; i < *n; i++)
            at[i] |= (long long)packed[i] << shift;
    }
    for (long long i = 0; i < *n; i++)
        at[i] += true_lb;
    free(memory);
    free(packed);
    return at;
}

/* Prints the runs of a buffer, and returns the number of its bytes. */
static long long print_memory(MPI_Datatype type, int count)
{
    long long n, *at = positions(type, count, &n);
    run r = {0, 0};
    print(" memory");
    for (long long i = 0; i < n; i++)
        add_run(&r, at[i], 1);
    flush_run(&r);
    free(at);
    return n;
}

/* Prints the runs of n bytes of a file from an offset in its view. */
static void print_view(const open_file *f, MPI_Offset offset, long long n)
{
    run r = {0, 0};
    long long first = (long long)offset * f->unit;
    print(" file");
    if (f->type == MPI_DATATYPE_NULL) {
        add_run(&r, f->offset + first, n);
    } else {
        MPI_Aint lb, extent;
        PMPI_Type_get_extent(f->type, &lb, &extent);
        long long size, *at = positions(f->type, 1, &size);
        for (long long i = first; i < first + n && size > 0; i++)
            add_run(&r, f->offset + i / size * extent + at[i % size], 1);
        free(at);
    }
    flush_run(&r);
}

static void trace_call(const char *call, MPI_File file, MPI_Offset offset, int count, MPI_Datatype type)
{
    const open_file *f = find(file);
    if (!f || (f->of_hdf5 && !transferred[0]))
        return;
    print("%s %s", f->name, call);
    print_view(f, offset, print_memory(type, count));
    print("\n");
}

int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *file)
{
    int rc = PMPI_File_open(comm, path, mode, info, file);
    open_file f = {.file = *file, .of_hdf5 = in_hdf5, .unit = 1, .type = MPI_DATATYPE_NULL};
    if (rc != MPI_SUCCESS || !data_name(path, f.name))
        return rc;
    for (int i = 0; i < MAX_FILES; i++) {
        if (!files[i].name[0]) {
            files[i] = f;
            return rc;
        }
    }
    abort();
}

int MPI_File_close(MPI_File *file)
{
    open_file *f = find(*file);
    if (f) {
        if (f->type != MPI_DATATYPE_NULL)
            PMPI_Type_free(&f->type);
        f->name[0] = 0;
    }
    return PMPI_File_close(file);
}

int MPI_File_set_view(MPI_File file, MPI_Offset offset, MPI_Datatype unit, MPI_Datatype type, const char *form,
                      MPI_Info info)
{
    open_file *f = find(file);
    if (f) {
        if (f->type != MPI_DATATYPE_NULL)
            PMPI_Type_free(&f->type);
        f->offset = offset;
        PMPI_Type_size(unit, &f->unit);
        if (type == MPI_BYTE)
            f->type = MPI_DATATYPE_NULL;
        else
            PMPI_Type_dup(type, &f->type);
        if (!f->of_hdf5 || transferred[0])
            print("%s MPI_File_set_view in units of %d bytes\n", f->name, f->unit);
    }
    return PMPI_File_set_view(file, offset, unit, type, form, info);
}

#define DATA_CALL(call, pointer)                                                                            \
    int MPI_File_##call(MPI_File file, MPI_Offset offset, pointer buffer, int count, MPI_Datatype type,      \
                        MPI_Status *status)                                                                 \
    {                                                                                                       \
        trace_call("MPI_File_" #call, file, offset, count, type);                                           \
        return PMPI_File_##call(file, offset, buffer, count, type, status);                                 \
    }

DATA_CALL(write_at, const void *)
DATA_CALL(write_at_all, const void *)
DATA_CALL(read_at, void *)
DATA_CALL(read_at_all, void *)

/* ---- HDF5 ---- */

/* The function of the library that this one stands before. */
static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "trace: no function %s\n", name);
        abort();
    }
    return found;
}

static void print_type(hid_t type)
{
    H5T_class_t class = H5Tget_class(type);
    print(" type (class %d of %zu bytes", class, H5Tget_size(type));
    if (class == H5T_INTEGER || class == H5T_FLOAT)
        print(" order %d", H5Tget_order(type));
    for (int i = 0; class == H5T_COMPOUND && i < H5Tget_nmembers(type); i++) {
        char *name = H5Tget_member_name(type, (unsigned)i);
        hid_t member = H5Tget_member_type(type, (unsigned)i);
        print(" %s at %zu", name, H5Tget_member_offset(type, (unsigned)i));
        print_type(member);
        H5Tclose(member);
        H5free_memory(name);
    }
    print(")");
}

static void print_list(const char *name, int rank, const hsize_t *list)
{
    print(" %s (", name);
    for (int d = 0; d < rank; d++)
        print(list[d] == H5S_UNLIMITED ? "%sany" : "%s%llu", d > 0 ? " " : "", (unsigned long long)list[d]);
    print(")");
}

/* Prints a hyperslab in its shortest form: neighbouring blocks are one block. */
static void print_slab(hid_t space, int rank)
{
    hsize_t start[H5S_MAX_RANK], stride[H5S_MAX_RANK], count[H5S_MAX_RANK], block[H5S_MAX_RANK];
    H5Sget_regular_hyperslab(space, start, stride, count, block);
    for (int d = 0; d < rank; d++) {
        if (count[d] == 1 || stride[d] == block[d]) {
            block[d] *= count[d];
            count[d] = stride[d] = 1;
        }
    }
    print_list("start", rank, start);
    print_list("stride", rank, stride);
    print_list("count", rank, count);
    print_list("block", rank, block);
}

/* Prints the blocks of a hyperslab that has no regular form, or the points of a selection, in their order. */
static void print_coordinates(hid_t space, int rank, H5S_sel_type kind)
{
    hssize_t n = kind == H5S_SEL_POINTS ? H5Sget_select_elem_npoints(space) : H5Sget_select_hyper_nblocks(space);
    int corners = kind == H5S_SEL_POINTS ? 1 : 2;
    hsize_t *list = malloc((size_t)n * (size_t)(corners * rank) * sizeof *list);
    if (kind == H5S_SEL_POINTS)
        H5Sget_select_elem_pointlist(space, 0, (hsize_t)n, list);
    else
        H5Sget_select_hyper_blocklist(space, 0, (hsize_t)n, list);
    print(" %lld", (long long)n);
    for (hssize_t i = 0; i < n; i++)
        print_list("at", corners * rank, list + i * corners * rank);
    free(list);
}

static void print_space(const char *name, hid_t space)
{
    hsize_t dims[H5S_MAX_RANK], most[H5S_MAX_RANK], start[H5S_MAX_RANK], end[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_dims(space, dims, most);
    H5S_sel_type kind = H5Sget_select_type(space);
    hssize_t points = H5Sget_select_npoints(space);
    print(" %s (", name);
    print_list("extent", rank, dims);
    print_list("at most", rank, most);
    print(" selection %d of %lld", kind, (long long)points);
    if (points > 0 && kind != H5S_SEL_NONE && H5Sget_select_bounds(space, start, end) >= 0) {
        print_list("from", rank, start);
        print_list("to", rank, end);
    }
    if (kind == H5S_SEL_HYPERSLABS && H5Sis_regular_hyperslab(space) > 0)
        print_slab(space, rank);
    else if (kind == H5S_SEL_HYPERSLABS || kind == H5S_SEL_POINTS)
        print_coordinates(space, rank, kind);
    print(")");
}

static void print_transfer_list(hid_t list)
{
    if (list == H5P_DEFAULT) {
        print(" list (default)");
        return;
    }
    H5FD_mpio_xfer_t mode = H5FD_MPIO_INDEPENDENT;
    H5Pget_dxpl_mpio(list, &mode);
    size_t vector = 0;
    H5Pget_hyper_vector_size(list, &vector);
    print(" list (mode %d, buffer %zu, checks %d, vector %zu)", mode, H5Pget_buffer(list, NULL, NULL),
          H5Pget_edc_check(list), vector);
}

/* Prints the properties with which a dataset was created. */
static void print_dataset(hid_t dataset)
{
    hsize_t chunk[H5S_MAX_RANK];
    H5D_fill_time_t fill;
    H5D_alloc_time_t alloc;
    hid_t made = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
    H5Pget_fill_time(made, &fill);
    H5Pget_alloc_time(made, &alloc);
    print(" dataset (layout %d, fill %d, alloc %d, filters %d,", H5Pget_layout(made), fill, alloc,
          H5Pget_nfilters(made));
    if (H5Pget_layout(made) == H5D_CHUNKED)
        print_list("chunk", H5Pget_chunk(made, H5S_MAX_RANK, chunk), chunk);
    print_type(type);
    print(")");
    H5Tclose(type);
    H5Pclose(made);
}

/* Prints the line of a transfer of several datasets. */
static void trace_transfers(const char *call, size_t count, const hid_t *datasets, const hid_t *types,
                            const hid_t *memories, const hid_t *in_files, hid_t list)
{
    char path[4096], object[NAME_BYTES];
    transferred[0] = 0;
    if (H5Fget_name(datasets[0], path, sizeof path) < 0 || !data_name(path, transferred))
        return;
    print("%s %s", transferred, call);
    for (size_t i = 0; i < count; i++) {
        const hid_t all = H5Dget_space(datasets[i]), file = in_files[i] == H5S_ALL ? all : in_files[i];
        H5Iget_name(datasets[i], object, sizeof object);
        print(" %s", object);
        print_dataset(datasets[i]);
        print_type(types[i]);
        print_space("memory", memories[i] == H5S_ALL ? file : memories[i]);
        print_space("file", file);
        H5Sclose(all);
    }
    print_transfer_list(list);
    print("\n");
}

herr_t H5Dwrite(hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t list, const void *buffer)
{
    static herr_t (*call)(hid_t, hid_t, hid_t, hid_t, hid_t, const void *);
    if (!call)
        call = (herr_t(*)(hid_t, hid_t, hid_t, hid_t, hid_t, const void *))next("H5Dwrite");
    trace_transfers("H5Dwrite", 1, &dataset, &type, &memory, &file, list);
    herr_t rc = call(dataset, type, memory, file, list, buffer);
    transferred[0] = 0;
    return rc;
}

herr_t H5Dread(hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t list, void *buffer)
{
    static herr_t (*call)(hid_t, hid_t, hid_t, hid_t, hid_t, void *);
    if (!call)
        call = (herr_t(*)(hid_t, hid_t, hid_t, hid_t, hid_t, void *))next("H5Dread");
    trace_transfers("H5Dread", 1, &dataset, &type, &memory, &file, list);
    herr_t rc = call(dataset, type, memory, file, list, buffer);
    transferred[0] = 0;
    return rc;
}

#if H5_VERSION_GE(1, 14, 0)
herr_t H5Dwrite_multi(size_t count, hid_t *datasets, hid_t *types, hid_t *memories, hid_t *in_files, hid_t list,
                      const void **buffers)
{
    static herr_t (*call)(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, const void **);
    if (!call)
        call = (herr_t(*)(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, const void **))next("H5Dwrite_multi");
    trace_transfers("H5Dwrite_multi", count, datasets, types, memories, in_files, list);
    herr_t rc = call(count, datasets, types, memories, in_files, list, buffers);
    transferred[0] = 0;
    return rc;
}

herr_t H5Dread_multi(size_t count, hid_t *datasets, hid_t *types, hid_t *memories, hid_t *in_files, hid_t list,
                     void **buffers)
{
    static herr_t (*call)(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, void **);
    if (!call)
        call = (herr_t(*)(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, void **))next("H5Dread_multi");
    trace_transfers("H5Dread_multi", count, datasets, types, memories, in_files, list);
    herr_t rc = call(count, datasets, types, memories, in_files, list, buffers);
    transferred[0] = 0;
    return rc;
}
#endif

hid_t H5Fcreate(const char *name, unsigned flags, hid_t creation, hid_t access)
{
    static hid_t (*call)(const char *, unsigned, hid_t, hid_t);
    if (!call)
        call = (hid_t(*)(const char *, unsigned, hid_t, hid_t))next("H5Fcreate");
    in_hdf5 = 1;
    hid_t file = call(name, flags, creation, access);
    in_hdf5 = 0;
    return file;
}

hid_t H5Fopen(const char *name, unsigned flags, hid_t access)
{
    static hid_t (*call)(const char *, unsigned, hid_t);
    if (!call)
        call = (hid_t(*)(const char *, unsigned, hid_t))next("H5Fopen");
    in_hdf5 = 1;
    hid_t file = call(name, flags, access);
    in_hdf5 = 0;
    return file;
}
