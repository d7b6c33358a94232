/* peer: writes and reads datasets as a plain program does with HDF5 or MPI-IO, without h5perf.
 *   peer hdf5|mpiio DIR EDGE DUMPS FORM LAYOUT MODE
 * on 2 ranks. FORM is the form of the part of a rank, or all: all but together, which HDF5 before 1.14 does not have.
 * LAYOUT is contiguous, chunked or all; MODE is independent, collective or all. The script peer.star describes the same
 * transfers, with the same names. Prints the direction, the form, the layout, the mode and the seconds that the slowest
 * rank spent in transfers, summed up over the DUMPS files. */
#include <hdf5.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2, ROWS = 0, COLUMNS = 1, DIMS = 2, MOST_DATASETS = 3, PAGE = 4096 };

static hsize_t edge; /* rows and columns of a dataset */
static hsize_t rank; /* number of this process */

/* A pair is an element of a dataset of structures. A cell is a structure in memory that contains an element. */
typedef struct {
    double x, y;
} pair;
typedef struct {
    double x, y, more;
} cell;
enum {
    CELL = sizeof(cell) / sizeof(double), /* doubles of a cell */
    MEMBER = 1,                           /* which one is the element */
    EVERY = 2,                            /* with gaps: doubles from one element to the next */
};

/* ---- Forms ---- */

static const char *const forms[] = {
    "block", "slab", "concat", "cyclic", "bands", "slice", "strided", "irregular", "frame", "corners", "diagonal",
    "map", "random", "points", "everything", "root", "ghost", "gaps", "member", "structure", "fields", "subset",
    "several", "together", "series", "runs",
};

typedef struct {
    hsize_t start[DIMS], stride[DIMS], count[DIMS], block[DIMS];
} hyperslab;

/* The part of a rank: hyperslabs, points, or nothing. */
typedef struct {
    hyperslab *slab;
    hsize_t slabs, *points, number; /* coordinates of the points, and their number */
} part;

static void add_slab(part *p, hyperslab one)
{
    p->slab = realloc(p->slab, (p->slabs + 1) * sizeof one);
    p->slab[p->slabs++] = one;
}

static void add_box(part *p, hsize_t row, hsize_t column, hsize_t rows, hsize_t columns)
{
    add_slab(p, (hyperslab){{row, column}, {1, 1}, {rows, columns}, {1, 1}});
}

/* The border of the dataset that is in the rows of this process. */
static void add_frame(part *p)
{
    const hsize_t half = edge / 2, row = rank == 0 ? 1 : half;
    add_box(p, rank == 0 ? 0 : edge - 1, 0, 1, edge);
    add_box(p, row, 0, half - 1, 1);
    add_box(p, row, edge - 1, half - 1, 1);
}

static void free_part(part *p)
{
    free(p->points);
    free(p->slab);
}

static void add_points(part *p)
{
    p->number = edge * (edge / 8);
    p->points = malloc(p->number * DIMS * sizeof *p->points);
    for (hsize_t i = 0; i < p->number; i++) {
        p->points[DIMS * i + ROWS] = i * 7 % edge;
        p->points[DIMS * i + COLUMNS] = rank * (edge / 2) + i / edge * 3;
    }
}

/* ---- Random parts: rules map and random, with seed 1 ---- */

enum { SEED = 1, FOR_CUTS = 1, FOR_ROUNDS = 2, ROUNDS = 6 };

/* Returns a random number for a key: SplitMix64. */
static uint64_t random_number(size_t numbers, const uint64_t *key)
{
    uint64_t z = 0;
    for (size_t i = 0; i < numbers; i++) {
        z += key[i] + UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
    }
    return z;
}

/* Returns the number at position i of the numbers below n in a random order: a Feistel network. */
static uint64_t shuffled(uint64_t i, uint64_t n)
{
    uint64_t side = 0;
    while (side * side < n)
        side++;
    do {
        uint64_t left = i / side, right = i % side;
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint64_t key[] = {random_number(3, (uint64_t[]){SEED, FOR_ROUNDS, round}), right};
            uint64_t next = (left + random_number(2, key) % side) % side;
            left = right;
            right = next;
        }
        i = left * side + right;
    } while (i >= n);
    return i;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sets the numbers of this rank, ascending, if it has `each` of the numbers below n. */
static void deal(uint64_t *own, uint64_t each, uint64_t n)
{
    for (uint64_t i = 0; i < each; i++)
        own[i] = shuffled(rank * each + i, n);
    qsort(own, each, sizeof *own, compare_numbers);
}

static void add_random_rows(part *p)
{
    const uint64_t each = edge / 4;
    uint64_t *row = malloc(each * sizeof *row);
    deal(row, each, edge);
    for (uint64_t i = 0; i < each; i++)
        add_box(p, row[i], 0, 1, edge);
    free(row);
}

/* Runs of rows. Each cell of CELL_ROWS rows is cut into CELL_RUNS runs at random rows. */
enum { CELL_RUNS = 16, CELL_ROWS = 2 * CELL_RUNS };

/* Sets the rows at which a cell is cut: a random sample of the rows within it (Floyd), and its two ends. */
static void cut_cell(uint64_t cell, uint64_t cut[CELL_RUNS + 1])
{
    const uint64_t begin = cell * CELL_ROWS, rows = edge - begin < CELL_ROWS ? edge - begin : CELL_ROWS;
    const uint64_t runs = (rows + 1) / 2;
    uint64_t cuts = 1;
    cut[0] = 0;
    for (uint64_t last = rows - runs + 1; last < rows; last++) {
        uint64_t one = 1 + random_number(4, (uint64_t[]){SEED, FOR_CUTS, cell, last}) % last;
        for (uint64_t i = 0; i < cuts; i++)
            one = cut[i] == one ? last : one;
        cut[cuts++] = one;
    }
    cut[cuts++] = rows;
    qsort(cut, cuts, sizeof *cut, compare_numbers);
    for (uint64_t i = 0; i < cuts; i++)
        cut[i] += begin;
}

static void add_map(part *p)
{
    const uint64_t runs = edge / 2, each = runs / RANKS;
    uint64_t *own = malloc(each * sizeof *own), cut[CELL_RUNS + 1];
    deal(own, each, runs);
    for (uint64_t i = 0; i < each; i++) {
        cut_cell(own[i] / CELL_RUNS, cut);
        const uint64_t *run = &cut[own[i] % CELL_RUNS];
        add_box(p, run[0], 0, run[1] - run[0], edge);
    }
    free(own);
}

/* Adds the part of a form that has several hyperslabs, or a stride. Returns 0 if the form is another one. */
static int add_irregular(part *p, const char *form)
{
    const hsize_t half = edge / 2, quarter = edge / 4, eighth = edge / 8, first = rank * half;
    if (strcmp(form, "cyclic") == 0) {
        add_slab(p, (hyperslab){{rank * 2, 0}, {4, 1}, {quarter, edge}, {2, 1}});
    } else if (strcmp(form, "bands") == 0) {
        add_slab(p, (hyperslab){{first, 0}, {3, 1}, {2, edge}, {1, 1}});
    } else if (strcmp(form, "strided") == 0) {
        add_slab(p, (hyperslab){{0, rank * 2}, {1, 4}, {edge, quarter}, {1, 2}});
    } else if (strcmp(form, "irregular") == 0) {
        add_box(p, 0, first, quarter, half);
        add_box(p, half, first, quarter, quarter);
        add_box(p, half + quarter, first + eighth, quarter, quarter);
    } else if (strcmp(form, "frame") == 0) {
        add_frame(p);
    } else if (strcmp(form, "diagonal") == 0) {
        for (hsize_t i = first; i < first + half; i += 2)
            add_box(p, i, i, 2, 2);
    } else if (strcmp(form, "map") == 0) {
        add_map(p);
    } else if (strcmp(form, "random") == 0) {
        add_random_rows(p);
    } else if (strcmp(form, "points") == 0) {
        add_points(p);
    } else {
        return 0;
    }
    return 1;
}

/* A run of form runs: a row of one of the two blocks that a rank has. */
static void add_run_of_block(part *p, hsize_t run)
{
    const hsize_t quarter = edge / 4, first = rank * (edge / 2);
    if (run < quarter)
        add_box(p, run, first, 1, edge / 2);
    else
        add_box(p, run + quarter, first + edge / 8, 1, quarter);
}

/* The part of a rank in call number piece of a dataset: with forms series and runs a row, with others all of it. */
static part part_of(const char *form, hsize_t piece)
{
    const hsize_t half = edge / 2, quarter = edge / 4, eighth = edge / 8, first = rank * half;
    part p = {.slabs = 0};
    if (add_irregular(&p, form))
        return p;
    if (strcmp(form, "slab") == 0)
        add_box(&p, first, 0, half, edge);
    else if (strcmp(form, "concat") == 0)
        add_box(&p, rank == 0 ? 0 : half + 2, 0, rank == 0 ? half + 2 : half - 2, edge);
    else if (strcmp(form, "slice") == 0)
        add_box(&p, first, 3, half, 1);
    else if (strcmp(form, "corners") == 0)
        add_box(&p, rank * (edge - 2), rank * (edge - 2), 2, 2);
    else if (strcmp(form, "everything") == 0 || (strcmp(form, "root") == 0 && rank == 0))
        add_box(&p, 0, 0, edge, edge);
    else if (strcmp(form, "subset") == 0)
        add_box(&p, quarter, first + eighth, half, quarter);
    else if (strcmp(form, "series") == 0)
        add_box(&p, piece, first, 1, half);
    else if (strcmp(form, "runs") == 0)
        add_run_of_block(&p, piece);
    else if (strcmp(form, "root") != 0)
        add_box(&p, 0, first, edge, half);
    return p;
}

/* ---- A transfer ---- */

/* Contiguous bytes of a dataset, and where they begin in memory. */
typedef struct {
    MPI_Aint first;
    size_t bytes, memory;
} run;

/* The runs of a call, and the datatype that selects them in the file. */
typedef struct {
    run *run;
    size_t number, bytes;
    size_t memory; /* bytes of the memory of the call */
    MPI_Datatype type;
} run_list;

/* What a program transfers: how many datasets, and with how many calls for each. A call is for a part of each element.
 */
typedef struct {
    const char *form;
    part part;
    int datasets, calls;
    hsize_t pieces;          /* parts, one after another; see part_of */
    hsize_t rows;            /* pieces that are the rows of a block; 0: they are no rows */
    size_t element;          /* bytes of an element in the file */
    size_t bytes, offset[2]; /* bytes of an element that a call transfers, and where they begin, by call */
    size_t elements;         /* of the part */
    int collective, chunked;
    run_list *runs; /* by piece and call, for MPI-IO */
} transfer;

static int is_of(const transfer *t, const char *form) { return strcmp(t->form, form) == 0; }

static size_t elements_of(const part *p)
{
    size_t n = p->number;
    for (hsize_t i = 0; i < p->slabs; i++) {
        const hyperslab *s = &p->slab[i];
        n += s->count[ROWS] * s->block[ROWS] * s->count[COLUMNS] * s->block[COLUMNS];
    }
    return n;
}

static transfer transfer_of(const char *form)
{
    transfer t = {.form = form, .part = part_of(form, 0), .datasets = 1, .calls = 1, .pieces = 1,
                  .element = sizeof(double)};
    if (is_of(&t, "several") || is_of(&t, "together"))
        t.datasets = MOST_DATASETS;
    if (is_of(&t, "series"))
        t.pieces = t.rows = edge;
    if (is_of(&t, "runs")) {
        t.rows = edge / 4;
        t.pieces = 2 * t.rows;
    }
    if (is_of(&t, "structure") || is_of(&t, "fields"))
        t.element = sizeof(pair);
    t.bytes = t.element;
    if (is_of(&t, "fields")) {
        t.calls = 2;
        t.bytes = sizeof(double);
        t.offset[1] = offsetof(pair, y);
    }
    t.elements = elements_of(&t.part);
    return t;
}

/* What a program transfers in the calls for one piece. */
static transfer piece_of(const transfer *t, hsize_t piece)
{
    transfer one = *t;
    one.part = part_of(t->form, piece);
    one.elements = elements_of(&one.part);
    return one;
}

/* The extent of the array in memory, and the elements of it that are transferred. */
typedef struct {
    int dims;
    hsize_t extent[DIMS], start[DIMS], stride[DIMS], count[DIMS];
} array;

static array array_of(const transfer *t)
{
    if (t->part.slabs != 1) /* no array of two dimensions: a list, of one element if nothing is selected */
        return (array){1, {t->elements > 0 ? t->elements : 1, 0}, {0, 0}, {1, 1}, {t->elements, 0}};
    const hyperslab *s = t->part.slab;
    const hsize_t rows = s->count[ROWS] * s->block[ROWS], columns = s->count[COLUMNS] * s->block[COLUMNS];
    if (is_of(t, "ghost"))
        return (array){DIMS, {rows + 2, columns + 2}, {1, 1}, {1, 1}, {rows, columns}};
    if (is_of(t, "gaps"))
        return (array){DIMS, {rows, columns * EVERY}, {0, 0}, {1, EVERY}, {rows, columns}};
    if (is_of(t, "member"))
        return (array){DIMS, {rows, columns * CELL}, {0, MEMBER}, {1, CELL}, {rows, columns}};
    return (array){DIMS, {rows, columns}, {0, 0}, {1, 1}, {rows, columns}};
}

/* The bytes of an element of the array in memory. */
static size_t memory_element(const transfer *t) { return is_of(t, "structure") ? sizeof(cell) : t->bytes; }

static size_t memory_bytes(const transfer *t)
{
    array a = array_of(t);
    return a.extent[0] * (a.dims == 1 ? 1 : a.extent[1]) * memory_element(t);
}

/* The bytes of memory that begins and ends with a page. */
static size_t whole_pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

/* The arrays of a call for several datasets begin with a page each, as large memory of a program does. */
static size_t all_memory_bytes(const transfer *t)
{
    if (is_of(t, "together"))
        return whole_pages(memory_bytes(t)) * (size_t)t->datasets;
    return memory_bytes(t) * t->pieces * (size_t)(t->datasets * t->calls);
}

/* The memory of all transfers, and the memory to which those with gaps copy their data. All dumps use the same memory,
 * as those of an application do: the first transfers with new memory take several times as long. */
static unsigned char *all_memory, *all_packed;

/* Memory that begins with a page, and that the system has really given: it was written to. */
static unsigned char *new_memory(size_t bytes)
{
    bytes = whole_pages(bytes + 1);
    unsigned char *memory = aligned_alloc(PAGE, bytes);
    memset(memory, 0xa5, bytes);
    return memory;
}

/* ---- Time ---- */

static double seconds;

static void end_time(double began) { seconds += MPI_Wtime() - began; }

/* ---- HDF5 ---- */

static hid_t type_of_pair(size_t size)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, size);
    H5Tinsert(type, "x", offsetof(pair, x), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "y", offsetof(pair, y), H5T_NATIVE_DOUBLE);
    if (size == sizeof(cell))
        H5Tinsert(type, "more", offsetof(cell, more), H5T_NATIVE_DOUBLE);
    return type;
}

static hid_t type_in_file(const transfer *t)
{
    return t->element == sizeof(pair) ? type_of_pair(sizeof(pair)) : H5Tcopy(H5T_NATIVE_DOUBLE);
}

static hid_t type_in_memory(const transfer *t, int call)
{
    if (is_of(t, "structure"))
        return type_of_pair(sizeof(cell));
    if (!is_of(t, "fields"))
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(double));
    H5Tinsert(type, call == 0 ? "x" : "y", 0, H5T_NATIVE_DOUBLE);
    return type;
}

static hid_t space_in_file(const transfer *t)
{
    const hsize_t extent[DIMS] = {edge, edge};
    const part *p = &t->part;
    hid_t space = H5Screate_simple(DIMS, extent, NULL);
    if (t->elements == 0)
        H5Sselect_none(space);
    else if (p->number > 0)
        H5Sselect_elements(space, H5S_SELECT_SET, p->number, p->points);
    else if (t->elements < edge * edge)
        for (hsize_t i = 0; i < p->slabs; i++)
            H5Sselect_hyperslab(space, i == 0 ? H5S_SELECT_SET : H5S_SELECT_OR, p->slab[i].start, p->slab[i].stride,
                                p->slab[i].count, p->slab[i].block);
    return space;
}

static hid_t space_in_memory(const transfer *t)
{
    array a = array_of(t);
    hid_t space = H5Screate_simple(a.dims, a.extent, NULL);
    if (t->elements == 0)
        H5Sselect_none(space);
    else if (is_of(t, "ghost") || is_of(t, "gaps") || is_of(t, "member"))
        H5Sselect_hyperslab(space, H5S_SELECT_SET, a.start, a.stride, a.count, NULL);
    return space;
}

static hid_t create_dataset(const transfer *t, hid_t file, const char *name)
{
    const hsize_t extent[DIMS] = {edge, edge}, chunk[DIMS] = {edge / 2, edge / 4};
    hid_t space = H5Screate_simple(DIMS, extent, NULL), type = type_in_file(t), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
    if (t->chunked)
        H5Pset_chunk(list, DIMS, chunk);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Pclose(list);
    H5Tclose(type);
    H5Sclose(space);
    return dataset;
}

/* Transfers the rows of a block one after another. Each is selected in the same dataspace, which takes time. Returns
 * the end of the memory. */
static unsigned char *rows_hdf5(const transfer *t, hid_t dataset, int write, hid_t list, unsigned char *memory)
{
    hid_t type = type_in_memory(t, 0), in_file = space_in_file(t), in_memory = space_in_memory(t);
    hyperslab row = t->part.slab[0];
    const hsize_t end = row.start[ROWS] + t->rows;
    double began = MPI_Wtime();
    for (; row.start[ROWS] < end; row.start[ROWS]++, memory += memory_bytes(t)) {
        H5Sselect_hyperslab(in_file, H5S_SELECT_SET, row.start, row.stride, row.count, row.block);
        herr_t rc = write ? H5Dwrite(dataset, type, in_memory, in_file, list, memory)
                          : H5Dread(dataset, type, in_memory, in_file, list, memory);
        if (rc < 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    end_time(began);
    H5Sclose(in_memory);
    H5Sclose(in_file);
    H5Tclose(type);
    return memory;
}

static void transfer_hdf5(const transfer *t, hid_t dataset, int write, hid_t list, unsigned char *memory)
{
    for (hsize_t first = 0; t->rows > 0 && first < t->pieces; first += t->rows) {
        transfer block = piece_of(t, first);
        memory = rows_hdf5(&block, dataset, write, list, memory);
        free_part(&block.part);
    }
    if (t->rows > 0)
        return;
    for (int call = 0; call < t->calls; call++, memory += memory_bytes(t)) {
        hid_t type = type_in_memory(t, call), in_file = space_in_file(t), in_memory = space_in_memory(t);
        double began = MPI_Wtime();
        herr_t rc = write ? H5Dwrite(dataset, type, in_memory, in_file, list, memory)
                          : H5Dread(dataset, type, in_memory, in_file, list, memory);
        end_time(began);
        if (rc < 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        H5Sclose(in_memory);
        H5Sclose(in_file);
        H5Tclose(type);
    }
}

static hid_t open_dataset(const transfer *t, hid_t file, int number, int write)
{
    char name[16];
    snprintf(name, sizeof name, "d%d", number);
    return write ? create_dataset(t, file, name) : H5Dopen2(file, name, H5P_DEFAULT);
}

/* Transfers all datasets with one call of HDF5. */
static void transfer_together(const transfer *t, hid_t file, int write, hid_t list)
{
#if H5_VERSION_GE(1, 14, 0)
    hid_t type = type_in_memory(t, 0), in_file = space_in_file(t), in_memory = space_in_memory(t);
    hid_t datasets[MOST_DATASETS], types[MOST_DATASETS], in_files[MOST_DATASETS], in_memories[MOST_DATASETS];
    void *memory[MOST_DATASETS];
    const size_t number = (size_t)t->datasets;
    for (size_t i = 0; i < number; i++) {
        datasets[i] = open_dataset(t, file, (int)i, write);
        types[i] = type;
        in_files[i] = in_file;
        in_memories[i] = in_memory;
        memory[i] = all_memory + i * whole_pages(memory_bytes(t));
    }
    double began = MPI_Wtime();
    herr_t rc = write ? H5Dwrite_multi(number, datasets, types, in_memories, in_files, list, (const void **)memory)
                      : H5Dread_multi(number, datasets, types, in_memories, in_files, list, memory);
    end_time(began);
    if (rc < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < number; i++)
        H5Dclose(datasets[i]);
    H5Sclose(in_memory);
    H5Sclose(in_file);
    H5Tclose(type);
#else
    (void)t, (void)file, (void)write, (void)list;
    fprintf(stderr, "form together needs HDF5 1.14 or newer\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
#endif
}

static void transfer_one_by_one(const transfer *t, hid_t file, int write, hid_t list)
{
    for (int i = 0; i < t->datasets; i++) {
        hid_t dataset = open_dataset(t, file, i, write);
        transfer_hdf5(t, dataset, write, list, all_memory + (size_t)(i * t->calls) * memory_bytes(t));
        H5Dclose(dataset);
    }
}

static void dump_hdf5(transfer *t, const char *path, int write)
{
    const int together = is_of(t, "together");
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), list = H5P_DEFAULT;
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    hid_t file = write ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5Fopen(path, H5F_ACC_RDONLY, access);
    if (t->collective || together) {
        list = H5Pcreate(H5P_DATASET_XFER);
        H5Pset_dxpl_mpio(list, t->collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
    }
    (together ? transfer_together : transfer_one_by_one)(t, file, write, list);
    if (list != H5P_DEFAULT)
        H5Pclose(list);
    H5Fclose(file);
    H5Pclose(access);
}

/* ---- MPI-IO ---- */

static void add_run(run_list *l, MPI_Aint first, size_t bytes)
{
    run *last = l->number > 0 ? &l->run[l->number - 1] : NULL;
    if (last && last->first + (MPI_Aint)last->bytes == first) {
        last->bytes += bytes;
        return;
    }
    l->run[l->number++] = (run){first, bytes, last ? last->memory + last->bytes : 0};
}

/* Marks the elements of a hyperslab. */
static void mark_slab(const hyperslab *s, unsigned char *marks)
{
    for (hsize_t i = 0; i < s->count[ROWS] * s->block[ROWS]; i++) {
        hsize_t row = s->start[ROWS] + i / s->block[ROWS] * s->stride[ROWS] + i % s->block[ROWS];
        for (hsize_t k = 0; k < s->count[COLUMNS] * s->block[COLUMNS]; k++) {
            hsize_t of = s->block[COLUMNS];
            marks[row * edge + s->start[COLUMNS] + k / of * s->stride[COLUMNS] + k % of] = 1;
        }
    }
}

static int compare_runs(const void *a, const void *b)
{
    const run *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static MPI_Datatype type_of_runs(const run_list *l)
{
    MPI_Datatype type;
    int *lengths = malloc(l->number * sizeof *lengths);
    MPI_Aint *at = malloc(l->number * sizeof *at);
    for (size_t i = 0; i < l->number; i++) {
        lengths[i] = (int)l->run[i].bytes;
        at[i] = l->run[i].first;
    }
    MPI_Type_create_hindexed((int)l->number, lengths, at, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    free(lengths);
    free(at);
    return type;
}

/* Whether data are copied to memory without gaps, in the order of the file. Rows between ghost cells have no gaps. */
static int is_packed(const transfer *t)
{
    if (is_of(t, "ghost") || is_of(t, "points"))
        return t->collective;
    return is_of(t, "gaps") || is_of(t, "member") || is_of(t, "structure");
}

/* Returns the runs of a part in a call, in the order of the elements. A datatype of a view needs them in that of the
 * file. */
static run_list runs_of(const transfer *t, int call)
{
    const part *p = &t->part;
    run_list l = {.run = malloc((t->elements + 1) * sizeof *l.run), .bytes = t->elements * t->bytes,
                  .memory = memory_bytes(t)};
    for (hsize_t i = 0; i < p->number; i++)
        add_run(&l, (MPI_Aint)((p->points[DIMS * i] * edge + p->points[DIMS * i + 1]) * t->element), t->bytes);
    unsigned char *marks = calloc(edge * edge, 1);
    hsize_t at = edge * edge; /* only the marked part of the dataset is searched: a series has very many small parts */
    for (hsize_t i = 0; i < p->slabs; i++) {
        mark_slab(&p->slab[i], marks);
        at = p->slab[i].start[ROWS] * edge < at ? p->slab[i].start[ROWS] * edge : at;
    }
    for (size_t left = t->elements - p->number; left > 0; at++) {
        if (marks[at]) {
            add_run(&l, (MPI_Aint)(at * t->element + t->offset[call]), t->bytes);
            left--;
        }
    }
    free(marks);
    if (t->collective)
        qsort(l.run, l.number, sizeof *l.run, compare_runs);
    if (is_of(t, "ghost") && !is_packed(t)) { /* each run is a row */
        array a = array_of(t);
        for (size_t row = 0; row < l.number; row++)
            l.run[row].memory = ((a.start[ROWS] + row) * a.extent[COLUMNS] + a.start[COLUMNS]) * t->bytes;
    }
    l.type = type_of_runs(&l);
    return l;
}

/* Copies the elements of an array with gaps to memory without gaps, or back. */
static void copy_elements(const transfer *t, unsigned char *array_bytes, unsigned char *packed, int pack)
{
    array a = array_of(t);
    size_t size = memory_element(t);
    for (hsize_t row = 0; row < a.count[ROWS]; row++) {
        for (hsize_t k = 0; k < a.count[COLUMNS]; k++, packed += t->bytes) {
            unsigned char *at = array_bytes + ((a.start[ROWS] + row) * a.extent[COLUMNS] + a.start[COLUMNS] +
                                               k * a.stride[COLUMNS]) * size;
            memcpy(pack ? packed : at, pack ? at : packed, t->bytes);
        }
    }
}

/* Copies memory in the order of the elements to memory in the order of the runs, or back. */
static void copy_runs(const run_list *l, unsigned char *memory, unsigned char *packed, int pack)
{
    for (const run *r = l->run; r < l->run + l->number; packed += r->bytes, r++)
        memcpy(pack ? packed : memory + r->memory, pack ? memory + r->memory : packed, r->bytes);
}

static void copy_memory(const transfer *t, unsigned char *memory, unsigned char *packed, int pack)
{
    if (is_of(t, "points"))
        copy_runs(&t->runs[0], memory, packed, pack);
    else
        copy_elements(t, memory, packed, pack);
}

static void call_mpiio(const transfer *t, MPI_File file, MPI_Offset base, const run_list *l, int write,
                       unsigned char *memory)
{
    const int all = (int)l->bytes;
    if (t->collective) {
        MPI_File_set_view(file, base, MPI_BYTE, l->type, "native", MPI_INFO_NULL);
        if (write)
            MPI_File_write_at_all(file, 0, memory, all, MPI_BYTE, MPI_STATUS_IGNORE);
        else
            MPI_File_read_at_all(file, 0, memory, all, MPI_BYTE, MPI_STATUS_IGNORE);
        return;
    }
    for (const run *r = l->run; r < l->run + l->number; r++) {
        if (write)
            MPI_File_write_at(file, base + r->first, memory + r->memory, (int)r->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
        else
            MPI_File_read_at(file, base + r->first, memory + r->memory, (int)r->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    }
}

static void transfer_mpiio(const transfer *t, MPI_File file, int dataset, int write, unsigned char *packed)
{
    const MPI_Offset base = (MPI_Offset)((hsize_t)dataset * edge * edge * t->element);
    unsigned char *memory = all_memory + (size_t)(dataset * t->calls) * memory_bytes(t);
    for (hsize_t i = 0; i < t->pieces * (hsize_t)t->calls; memory += t->runs[i].memory, i++) {
        double began = MPI_Wtime();
        if (packed && write)
            copy_memory(t, memory, packed, 1);
        call_mpiio(t, file, base, &t->runs[i], write, packed ? packed : memory);
        if (packed && !write)
            copy_memory(t, memory, packed, 0);
        end_time(began);
    }
}

static void dump_mpiio(transfer *t, const char *path, int write)
{
    MPI_File file;
    int mode = write ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
    unsigned char *packed = is_packed(t) ? all_packed : NULL;
    const hsize_t number = t->pieces * (hsize_t)t->calls;
    t->runs = malloc(number * sizeof *t->runs);
    for (hsize_t i = 0; i < number; i++) {
        transfer one = piece_of(t, i / (hsize_t)t->calls);
        t->runs[i] = runs_of(&one, (int)(i % (hsize_t)t->calls));
        free_part(&one.part);
    }
    if (MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < t->datasets; i++)
        transfer_mpiio(t, file, i, write, packed);
    MPI_File_close(&file);
    for (hsize_t i = 0; i < number; i++) {
        MPI_Type_free(&t->runs[i].type);
        free(t->runs[i].run);
    }
    free(t->runs);
}

/* ---- The program ---- */

static char **words;
enum { API = 1, DIR, EDGE, DUMPS, FORM, LAYOUT, MODE, WORDS };

static int is_chosen(int word, const char *value)
{
    return (strcmp(words[word], "all") == 0 && strcmp(value, "together") != 0) || strcmp(words[word], value) == 0;
}

/* The time of the slowest process since the last call. */
static double slowest_time(void)
{
    double slowest = 0;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    seconds = 0;
    return slowest;
}

/* Writes or reads the files of a form, layout and mode, and prints the time of the fastest. */
static void do_dumps(const char *form, int chunked, int collective, int write)
{
    const int hdf5 = strcmp(words[API], "hdf5") == 0;
    const char *layout = chunked ? "chunked" : "contiguous", *mode = collective ? "collective" : "independent";
    if (!is_chosen(FORM, form) || !is_chosen(LAYOUT, layout) || !is_chosen(MODE, mode))
        return;
    transfer t = transfer_of(form);
    t.chunked = chunked;
    t.collective = collective;
    double fastest = 0;
    for (int k = 0; k < atoi(words[DUMPS]); k++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/data_peer_%s_%s_%s_%d.%s", words[DIR], form, layout, mode, k,
                 hdf5 ? "h5" : "mpio");
        (hdf5 ? dump_hdf5 : dump_mpiio)(&t, path, write);
        double took = slowest_time();
        fastest = k > 0 && fastest < took ? fastest : took;
    }
    if (rank == 0)
        printf("%s %s %s %s %.6f\n", write ? "write" : "read", form, layout, mode, fastest);
    free_part(&t.part);
}

/* Makes the memory that is enough for each chosen form. */
static void make_memory(void)
{
    size_t most = 0, most_packed = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!is_chosen(FORM, forms[i]))
            continue;
        transfer t = transfer_of(forms[i]);
        most = most > all_memory_bytes(&t) ? most : all_memory_bytes(&t);
        most_packed = most_packed > t.elements * t.bytes ? most_packed : t.elements * t.bytes;
        free_part(&t.part);
    }
    all_memory = new_memory(most);
    all_packed = new_memory(most_packed);
}

static void do_direction(int write)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int chunked = 0; chunked < 2; chunked++)
            for (int collective = 0; collective < 2; collective++)
                do_dumps(forms[i], chunked, collective, write);
}

int main(int argc, char **argv)
{
    int number, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != WORDS || size != RANKS) {
        fprintf(stderr, "Usage, on %d ranks: peer hdf5|mpiio DIR EDGE DUMPS FORM LAYOUT MODE\n", RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    words = argv;
    rank = (hsize_t)number;
    edge = strtoull(words[EDGE], NULL, 10);
    make_memory();
    do_direction(1);
    do_direction(0);
    free(all_memory);
    free(all_packed);
    MPI_Finalize();
    return 0;
}
