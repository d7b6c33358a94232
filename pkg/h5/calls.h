/* Functions for pkg/h5: macros of the library as functions, and wrappers of functions that take structures. Functions
 * that return herr_t leave the reason of a failure on the library's error stack. */
#ifndef H5PERF_H5_CALLS_H
#define H5PERF_H5_CALLS_H

#include "h5perf_hdf5.h"
#include "h5perf_names.h"

/* Features of the library, according to its headers. */

#ifndef H5_HAVE_DIRECT
#define H5_HAVE_DIRECT 0
#endif
#ifndef H5_HAVE_SUBFILING_VFD
#define H5_HAVE_SUBFILING_VFD 0
#endif
#ifndef H5_HAVE_ROS3_VFD
#define H5_HAVE_ROS3_VFD 0
#endif
#ifdef H5_HAVE_PARALLEL
#define H5PERF_PARALLEL 1
#else
#define H5PERF_PARALLEL 0
#endif
#ifdef H5_HAVE_THREADSAFE
#define H5PERF_THREADSAFE 1
#else
#define H5PERF_THREADSAFE 0
#endif
#if H5_VERSION_GE(1, 14, 0) /* H5Dwrite_multi, H5Dread_multi */
#define H5PERF_MULTI 1
#else
#define H5PERF_MULTI 0
#endif
#if H5_VERSION_GE(1, 12, 0) || (H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 10 && H5_VERS_RELEASE >= 6)
#define H5PERF_MERGE 1 /* H5Scombine_select */
#else
#define H5PERF_MERGE 0
#endif

/* Bounds of the file format; -1: the library does not have this one. */
#if H5_VERSION_GE(1, 10, 2)
#define H5PERF_V18 H5F_LIBVER_V18
#define H5PERF_V110 H5F_LIBVER_V110
#else
#define H5PERF_V18 -1
#define H5PERF_V110 -1
#endif
#if H5_VERSION_GE(1, 12, 0)
#define H5PERF_V112 H5F_LIBVER_V112
#else
#define H5PERF_V112 -1
#endif
#if H5_VERSION_GE(1, 14, 0)
#define H5PERF_V114 H5F_LIBVER_V114
#else
#define H5PERF_V114 -1
#endif

enum {
    LIBVER_V18 = H5PERF_V18, LIBVER_V110 = H5PERF_V110, LIBVER_V112 = H5PERF_V112, LIBVER_V114 = H5PERF_V114
};

enum {
    BUILT_DIRECT = H5_HAVE_DIRECT + 0, BUILT_PARALLEL = H5PERF_PARALLEL, BUILT_SUBFILING = H5_HAVE_SUBFILING_VFD + 0,
    BUILT_ROS3 = H5_HAVE_ROS3_VFD + 0, BUILT_THREADSAFE = H5PERF_THREADSAFE, BUILT_MULTI = H5PERF_MULTI,
    BUILT_MERGE = H5PERF_MERGE
};

/* library.c: returns the path of the file from which the library in use was loaded; "" if it is unknown. */
const char *h5perf_library(void);

/* error.c: the library's error stack in one string, the cause first. */
typedef struct {
    char text[4096];
    size_t used;
} h5perf_trace;

void h5perf_walk(h5perf_trace *t);

/* lists.c */
hid_t h5perf_file_access(void);
hid_t h5perf_dataset_transfer(void);
hid_t h5perf_dataset_create(void);
hid_t h5perf_file_create(void);
hid_t h5perf_group_create(void);
/* Makes objects have no times. */
herr_t h5perf_no_times(hid_t list);
/* Returns whether objects have times, according to a creation list. */
htri_t h5perf_has_times(hid_t list);
herr_t h5perf_no_locking(hid_t fapl);
/* Sets the larger of `slots` and the library's default number of slots. */
herr_t h5perf_set_chunk_cache(hid_t fapl, size_t slots, size_t bytes);

/* settings.c: settings of the library that a run can choose. A value is a size, or the number of a word. */
typedef struct {
    const char *word; /* NULL: the end of a list of words */
    int64_t value;    /* negative: the library does not have it */
} h5perf_word;

enum {
    FILE_ACCESS,        /* any file access list */
    SHARED_FILE_ACCESS, /* access list of files that several processes open together */
    OWN_FILE_ACCESS,    /* access list of files that one process opens alone */
    FILE_CREATION,
    DATASET_CREATION,
    GROUP_CREATION,      /* creation list of groups, also of the root group: that of its file */
    OBJECT_CREATION,     /* creation list of datasets and of groups */
    TRANSFER,            /* any transfer list */
    COLLECTIVE_TRANSFER, /* transfer list of collective transfers */
};

enum {
    READ_FROM_FILE = 1, /* `get` takes an open file, too */
    AT_LEAST = 2,       /* the library may use a higher value than the one that was set */
    VARIES = 4,         /* the default depends on other properties and on the file driver */
    UNTOLD = 8,         /* an open file does not tell it */
};

typedef struct {
    const char *name; /* of the option */
    int list;         /* kind of list */
    int flags;
    const char *use; /* what to use instead of this library, which does not have the setting; NULL: it has */
    herr_t (*set)(hid_t list, uint64_t value);
    herr_t (*get)(hid_t list, uint64_t *value); /* NULL: the library does not tell */
    const h5perf_word *words;                   /* NULL: values are sizes in bytes */
} h5perf_setting;

/* Return an entry of the list of settings, or a word of a setting; NULL after the last one. */
const h5perf_setting *h5perf_setting_at(int index);
const h5perf_word *h5perf_word_at(const h5perf_setting *s, int index);
herr_t h5perf_set_setting(const h5perf_setting *s, hid_t list, uint64_t value);
herr_t h5perf_get_setting(const h5perf_setting *s, hid_t from, uint64_t *value);

/* The result of a call that processes one object after another, until one fails or the stop flag is set. */
typedef struct {
    uint64_t done;    /* number of objects done: the index of the one that failed */
    const char *call; /* function that failed and left its error stack; NULL: no failure */
    int system;       /* errno after the failure */
    const char *reason; /* if the function reported success, but its result is wrong; NULL: see its error stack */
} h5perf_outcome;

/* outcome.c: records the failure of the last call; returns -1. */
int h5perf_failed(h5perf_outcome *o, const char *call);
/* outcome.c: records that the last call reported success with a wrong result; returns -1. */
int h5perf_wrong(h5perf_outcome *o, const char *call, const char *reason);
/* Closes an object that remains after a failed call, and keeps the error stack. */
void h5perf_discard(hid_t id, herr_t (*close)(hid_t));

/* objects.c: members first to first + count - 1 of a family of groups or datasets, with `each` members in each
 * parent. parents[0] holds member first, whose identifier is handles[0]. */
typedef struct {
    h5perf_names *names;
    uint64_t each, first, count;
    const volatile int32_t *stop;
} h5perf_members;

h5perf_outcome h5perf_create_links(h5perf_members m, const hid_t *parents, int kind, const char *file, const char *path);
h5perf_outcome h5perf_create_groups(h5perf_members m, const hid_t *parents, hid_t *handles, hid_t gcpl);
h5perf_outcome h5perf_open_groups(h5perf_members m, const hid_t *parents, hid_t *handles);
/* Where the data of datasets are, if not in their file: from byte base + stride * (index of the member) of a file on;
 * file NULL: in their file. */
typedef struct {
    const char *file;
    uint64_t base, stride;
    hsize_t bytes; /* of a dataset */
} h5perf_external;

h5perf_outcome h5perf_create_datasets(h5perf_members m, const hid_t *parents, hid_t *handles, hid_t type, hid_t space,
                                      hid_t dcpl, h5perf_external external);
h5perf_outcome h5perf_open_datasets(h5perf_members m, const hid_t *parents, hid_t *handles);
h5perf_outcome h5perf_unlink(h5perf_members m, const hid_t *parents);
h5perf_outcome h5perf_rename(h5perf_members m, const hid_t *parents, h5perf_names *new_names);

/* lookup.c: asks about objects by their names. kind is what they must be: an H5O_type_t or, if link is not 0, an
 * H5L_type_t. fields are H5PERF_INFO_... */
enum { H5PERF_INFO_TIME = 1, H5PERF_INFO_ATTRIBUTES = 2, H5PERF_INFO_HEADER = 4, H5PERF_INFO_STORAGE = 8 };
h5perf_outcome h5perf_stat(h5perf_members m, const hid_t *parents, int kind, int link, unsigned fields);
/* lookup.c: lists groups, each of which must hold `expected` members of a family, `levels` levels below it. Level i has
 * the names names[i], each[i] of them in a group. If visits is not 0, it visits all objects below the groups;
 * otherwise there is one level. */
enum { H5PERF_MAXLEVELS = 64 };
h5perf_outcome h5perf_list_members(const hid_t *groups, uint64_t count, h5perf_names *const *names,
                                   const uint64_t *each, int levels, int visits, uint64_t expected,
                                   const volatile int32_t *stop);
h5perf_outcome h5perf_close_groups(const hid_t *handles, uint64_t count, const volatile int32_t *stop);
h5perf_outcome h5perf_close_datasets(const hid_t *handles, uint64_t count, const volatile int32_t *stop);
h5perf_outcome h5perf_extend(const hid_t *handles, uint64_t count, const hsize_t *extent, const volatile int32_t *stop);

/* attributes.c: attributes first to first + count - 1 of a family. The values follow each other, `bytes` bytes for
 * each attribute. */
typedef struct {
    h5perf_names *names;
    uint64_t first, count;
    hid_t type, memory, space; /* datatypes in the file and in memory; dataspace */
    size_t bytes;
    const volatile int32_t *stop;
} h5perf_attributes;

h5perf_outcome h5perf_write_attributes(hid_t object, h5perf_attributes a, const void *values);
h5perf_outcome h5perf_read_attributes(hid_t object, h5perf_attributes a, void *values);

/* types.c: returns the datatype of a number or bit field in the file, or in memory. A big-endian one is the same in
 * memory. */
enum { H5PERF_UNSIGNED, H5PERF_SIGNED, H5PERF_FLOAT, H5PERF_BITS };
hid_t h5perf_number(int class, size_t bytes, int big, int native);
/* Returns a string datatype of a fixed number of bytes, or of H5T_VARIABLE. Paddings are those of workload.Padding.
 * */
hid_t h5perf_text(size_t bytes, int padding, int utf8);
hid_t h5perf_opaque(size_t bytes, const char *tag);
/* Adds a member to an enumeration whose numbers have the given size in bytes. */
herr_t h5perf_enum_insert(hid_t type, const char *name, int64_t value, size_t bytes, int big);

/* filters.c: whether the library can apply a filter when it writes; negative after an error. It adds the filters
 * H5PERF_ZSTD and H5PERF_LZ4, which have their registered numbers, to a library that lacks them. */
enum { H5PERF_ZSTD = 32015, H5PERF_LZ4 = 32004 };
htri_t h5perf_can_filter(H5Z_filter_t id);

/* selections.c: selects the union of `count` boxes of `rank` dimensions, whose first elements and extents follow each
 * other. h5perf_add_boxes adds one box after another; h5perf_merge_boxes selects each half of the boxes in the same
 * way, and then merges the halves. After a failure, or with the stop flag set, the selection is incomplete or empty.
 * */
h5perf_outcome h5perf_add_boxes(hid_t space, int rank, uint64_t count, const hsize_t *start, const hsize_t *extent,
                                const volatile int32_t *stop);
h5perf_outcome h5perf_merge_boxes(hid_t space, int rank, uint64_t count, const hsize_t *start, const hsize_t *extent,
                                  const volatile int32_t *stop);
herr_t h5perf_select_slab(hid_t space, const hsize_t *start, const hsize_t *stride, const hsize_t *count,
                          const hsize_t *block);

/* multi.c: transfers of several datasets in one call. Buffer i begins at offsets[i] of the pool. If the library has
 * no such call, the functions fail and leave no error stack. */
herr_t h5perf_write_multi(size_t count, const hid_t *sets, const hid_t *types, const hid_t *memory, const hid_t *spaces,
                          hid_t dxpl, const void *pool, const uint64_t *offsets);
herr_t h5perf_read_multi(size_t count, const hid_t *sets, const hid_t *types, const hid_t *memory, const hid_t *spaces,
                         hid_t dxpl, void *pool, const uint64_t *offsets);

/* drivers.c. If the library was built without a driver, the function for it fails and leaves no error stack. */
herr_t h5perf_set_core(hid_t fapl, size_t increment, int backing_store);
herr_t h5perf_set_multi(hid_t fapl, hid_t member, const char *letters);
herr_t h5perf_set_direct(hid_t fapl, size_t alignment, size_t block, size_t buffer);

/* drivers_mpi.c, only in builds with MPI. comm and info point to an MPI_Comm and an MPI_Info. */
herr_t h5perf_set_mpio(hid_t fapl, const void *comm, const void *info);
herr_t h5perf_set_subfiling(hid_t fapl, const void *comm, const void *info, int64_t stripe, int32_t files,
                            int32_t threads);

#endif
