/* The settings of the library that a run can choose, by the names of their options. */
#include <string.h>
#include "calls.h"

/* Defines set_NAME and get_NAME for a property that is one number of a type. */
#define NUMBER(name, type)                                                                                             \
    static herr_t set_##name(hid_t list, uint64_t value) { return H5Pset_##name(list, (type)value); }                  \
    static herr_t get_##name(hid_t list, uint64_t *value)                                                              \
    {                                                                                                                  \
        type number;                                                                                                   \
        herr_t rc = H5Pget_##name(list, &number);                                                                      \
        *value = (uint64_t)number;                                                                                     \
        return rc;                                                                                                     \
    }

NUMBER(sieve_buf_size, size_t)
NUMBER(meta_block_size, hsize_t)
NUMBER(small_data_block_size, hsize_t)
NUMBER(fill_time, H5D_fill_time_t)
NUMBER(alloc_time, H5D_alloc_time_t)
NUMBER(obj_track_times, hbool_t)
NUMBER(dset_no_attrs_hint, hbool_t)

/* Defines set_NAME and get_NAME for the largest number of links or attributes in a header. Dense storage ends when there are
 * two less than that, as by default. */
#define PHASE_CHANGE(name)                                                                                             \
    static herr_t set_##name(hid_t list, uint64_t value)                                                               \
    {                                                                                                                  \
        return H5Pset_##name(list, (unsigned)value, value < 2 ? 0 : (unsigned)value - 2);                              \
    }                                                                                                                  \
    static herr_t get_##name(hid_t list, uint64_t *value)                                                              \
    {                                                                                                                  \
        unsigned most, unused;                                                                                         \
        herr_t rc = H5Pget_##name(list, &most, &unused);                                                               \
        *value = most;                                                                                                 \
        return rc;                                                                                                     \
    }

PHASE_CHANGE(link_phase_change)
PHASE_CHANGE(attr_phase_change)

static herr_t set_alignment(hid_t fapl, uint64_t value)
{
    hsize_t threshold, unused;
    return H5Pget_alignment(fapl, &threshold, &unused) < 0 ? -1 : H5Pset_alignment(fapl, threshold, value);
}

static herr_t get_alignment(hid_t fapl, uint64_t *value)
{
    hsize_t threshold, alignment;
    herr_t rc = H5Pget_alignment(fapl, &threshold, &alignment);
    *value = alignment;
    return rc;
}

static herr_t set_threshold(hid_t fapl, uint64_t value)
{
    hsize_t unused, alignment;
    return H5Pget_alignment(fapl, &unused, &alignment) < 0 ? -1 : H5Pset_alignment(fapl, value, alignment);
}

static herr_t get_threshold(hid_t fapl, uint64_t *value)
{
    hsize_t threshold, alignment;
    herr_t rc = H5Pget_alignment(fapl, &threshold, &alignment);
    *value = threshold;
    return rc;
}

static herr_t set_libver(hid_t fapl, uint64_t value)
{
    H5F_libver_t unused, high;
    return H5Pget_libver_bounds(fapl, &unused, &high) < 0 ? -1 : H5Pset_libver_bounds(fapl, (H5F_libver_t)value, high);
}

static herr_t get_libver(hid_t fapl, uint64_t *value)
{
    H5F_libver_t low, high;
    herr_t rc = H5Pget_libver_bounds(fapl, &low, &high);
    *value = (uint64_t)low;
    return rc;
}

static herr_t set_libver_high(hid_t fapl, uint64_t value)
{
    H5F_libver_t low, unused;
    return H5Pget_libver_bounds(fapl, &low, &unused) < 0 ? -1 : H5Pset_libver_bounds(fapl, low, (H5F_libver_t)value);
}

static herr_t get_libver_high(hid_t fapl, uint64_t *value)
{
    H5F_libver_t low, high;
    herr_t rc = H5Pget_libver_bounds(fapl, &low, &high);
    *value = (uint64_t)high;
    return rc;
}

/* Reads the configuration of the metadata cache from an access list, or from an open file. */
static herr_t get_cache(hid_t from, H5AC_cache_config_t *config)
{
    memset(config, 0, sizeof *config);
    config->version = H5AC__CURR_CACHE_CONFIG_VERSION;
    return H5Iget_type(from) == H5I_FILE ? H5Fget_mdc_config(from, config) : H5Pget_mdc_config(from, config);
}

static herr_t set_deferred(hid_t fapl, uint64_t value)
{
    H5AC_cache_config_t config;
    if (!value)
        return 0;
    if (get_cache(fapl, &config) < 0)
        return -1;
    config.evictions_enabled = 0;
    config.incr_mode = H5C_incr__off;
    config.flash_incr_mode = H5C_flash_incr__off;
    config.decr_mode = H5C_decr__off;
    return H5Pset_mdc_config(fapl, &config);
}

static herr_t get_deferred(hid_t from, uint64_t *value)
{
    H5AC_cache_config_t config;
    herr_t rc = get_cache(from, &config);
    *value = !config.evictions_enabled && config.incr_mode == H5C_incr__off &&
             config.flash_incr_mode == H5C_flash_incr__off && config.decr_mode == H5C_decr__off;
    return rc;
}

static herr_t set_cache_size(hid_t fapl, uint64_t value)
{
    H5AC_cache_config_t config;
    if (get_cache(fapl, &config) < 0)
        return -1;
    config.set_initial_size = 1;
    config.initial_size = (size_t)value;
    if (config.min_size > config.initial_size)
        config.min_size = config.initial_size;
    if (config.max_size < config.initial_size)
        config.max_size = config.initial_size;
    return H5Pset_mdc_config(fapl, &config);
}

/* The initial size of an open file is the current size of its cache. */
static herr_t get_cache_size(hid_t from, uint64_t *value)
{
    H5AC_cache_config_t config;
    herr_t rc = get_cache(from, &config);
    *value = config.initial_size;
    return rc;
}

static herr_t set_pages(hid_t fcpl, uint64_t value)
{
    if (!value)
        return 0;
    return H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_PAGE, 0, 1) < 0
               ? -1
               : H5Pset_file_space_page_size(fcpl, value);
}

static herr_t get_pages(hid_t fcpl, uint64_t *value)
{
    H5F_fspace_strategy_t strategy;
    hbool_t persist;
    hsize_t threshold, bytes = 0;
    *value = 0;
    if (H5Pget_file_space_strategy(fcpl, &strategy, &persist, &threshold) < 0)
        return -1;
    if (strategy != H5F_FSPACE_STRATEGY_PAGE)
        return 0;
    herr_t rc = H5Pget_file_space_page_size(fcpl, &bytes);
    *value = bytes;
    return rc;
}

static herr_t set_chunk_cache(hid_t fapl, uint64_t value) { return h5perf_set_chunk_cache(fapl, 0, (size_t)value); }

static herr_t get_chunk_cache(hid_t fapl, uint64_t *value)
{
    int unused;
    size_t slots, bytes = 0;
    double preemption;
    herr_t rc = H5Pget_cache(fapl, &unused, &slots, &bytes, &preemption);
    *value = bytes;
    return rc;
}

static herr_t set_buffer(hid_t dxpl, uint64_t value) { return H5Pset_buffer(dxpl, (size_t)value, NULL, NULL); }

/* H5Pget_buffer returns 0 after an error. */
static herr_t get_buffer(hid_t dxpl, uint64_t *value)
{
    *value = H5Pget_buffer(dxpl, NULL, NULL);
    return *value ? 0 : -1;
}

static const h5perf_word switch_words[] = {{"off", 0}, {"on", 1}, {NULL, 0}};
static const h5perf_word fill_words[] = {
    {"never", H5D_FILL_TIME_NEVER}, {"ifset", H5D_FILL_TIME_IFSET}, {"alloc", H5D_FILL_TIME_ALLOC}, {NULL, 0}};
static const h5perf_word allocation_words[] = {
    {"early", H5D_ALLOC_TIME_EARLY}, {"late", H5D_ALLOC_TIME_LATE}, {"incremental", H5D_ALLOC_TIME_INCR}, {NULL, 0}};
static const h5perf_word libver_words[] = {
    {"earliest", H5F_LIBVER_EARLIEST}, {"v18", LIBVER_V18},   {"v110", LIBVER_V110},
    {"v112", LIBVER_V112},             {"v114", LIBVER_V114}, {"latest", H5F_LIBVER_LATEST},
    {NULL, 0}};

/* Settings that not every library has: each is what to use instead, its functions and its words. */

#if defined(H5_HAVE_PARALLEL) && !H5_VERSION_GE(1, 14, 3)
#define EVICT_ON_CLOSE "an HDF5 without MPI, or 1.14.3 or newer", NULL, NULL, NULL
#else
NUMBER(evict_on_close, hbool_t)
#define EVICT_ON_CLOSE NULL, set_evict_on_close, get_evict_on_close, switch_words
#endif

#if defined(H5_HAVE_PARALLEL) && !H5_VERSION_GE(1, 14, 5)
#define PAGE_BUFFER "an HDF5 without MPI, or 1.14.5 or newer", NULL, NULL, NULL
#else
static herr_t set_page_buffer(hid_t fapl, uint64_t value) { return H5Pset_page_buffer_size(fapl, (size_t)value, 0, 0); }

static herr_t get_page_buffer(hid_t fapl, uint64_t *value)
{
    size_t bytes = 0;
    unsigned metadata, raw;
    herr_t rc = H5Pget_page_buffer_size(fapl, &bytes, &metadata, &raw);
    *value = bytes;
    return rc;
}

#define PAGE_BUFFER NULL, set_page_buffer, get_page_buffer, NULL
#endif

#if H5_VERSION_GE(1, 12, 1) || (H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 10 && H5_VERS_RELEASE >= 7)
enum { UNLOCKED, LOCKED, LOCKED_IF_POSSIBLE };

static const h5perf_word locking_words[] = {
    {"off", UNLOCKED}, {"on", LOCKED}, {"best-effort", LOCKED_IF_POSSIBLE}, {NULL, 0}};

static herr_t set_locking(hid_t fapl, uint64_t value)
{
    return H5Pset_file_locking(fapl, value != UNLOCKED, value != LOCKED);
}

static herr_t get_locking(hid_t fapl, uint64_t *value)
{
    hbool_t use = 0, ignore = 0;
    herr_t rc = H5Pget_file_locking(fapl, &use, &ignore);
    *value = !use ? UNLOCKED : ignore ? LOCKED_IF_POSSIBLE : LOCKED;
    return rc;
}

#define FILE_LOCKING NULL, set_locking, get_locking, locking_words
#else
#define FILE_LOCKING "HDF5 1.10.7, 1.12.1 or newer", NULL, NULL, NULL
#endif

#if H5_VERSION_GE(1, 14, 1)
static const h5perf_word selection_words[] = {{"default", H5D_SELECTION_IO_MODE_DEFAULT},
                                              {"off", H5D_SELECTION_IO_MODE_OFF},
                                              {"on", H5D_SELECTION_IO_MODE_ON},
                                              {NULL, 0}};
NUMBER(selection_io, H5D_selection_io_mode_t)
#define SELECTION_IO NULL, set_selection_io, get_selection_io, selection_words
#else
#define SELECTION_IO "HDF5 1.14.1 or newer", NULL, NULL, NULL
#endif

#ifdef H5_HAVE_PARALLEL
enum { COLLECTIVE_WRITES = 1, COLLECTIVE_READS = 2 };

static const h5perf_word metadata_words[] = {{"off", 0},
                                             {"writes", COLLECTIVE_WRITES},
                                             {"reads", COLLECTIVE_READS},
                                             {"both", COLLECTIVE_WRITES | COLLECTIVE_READS},
                                             {NULL, 0}};
static const h5perf_word chunk_io_words[] = {{"default", H5FD_MPIO_CHUNK_DEFAULT},
                                             {"link", H5FD_MPIO_CHUNK_ONE_IO},
                                             {"multi", H5FD_MPIO_CHUNK_MULTI_IO},
                                             {NULL, 0}};
static const h5perf_word collective_io_words[] = {
    {"collective", H5FD_MPIO_COLLECTIVE_IO}, {"individual", H5FD_MPIO_INDIVIDUAL_IO}, {NULL, 0}};

static herr_t set_metadata(hid_t fapl, uint64_t value)
{
    return H5Pset_coll_metadata_write(fapl, (value & COLLECTIVE_WRITES) != 0) < 0
               ? -1
               : H5Pset_all_coll_metadata_ops(fapl, (value & COLLECTIVE_READS) != 0);
}

static herr_t get_metadata(hid_t fapl, uint64_t *value)
{
    hbool_t writes = 0, reads = 0;
    herr_t rc = H5Pget_coll_metadata_write(fapl, &writes) < 0 ? -1 : H5Pget_all_coll_metadata_ops(fapl, &reads);
    *value = (uint64_t)(writes ? COLLECTIVE_WRITES : 0) | (uint64_t)(reads ? COLLECTIVE_READS : 0);
    return rc;
}

static herr_t set_chunk_io(hid_t dxpl, uint64_t value)
{
    return H5Pset_dxpl_mpio_chunk_opt(dxpl, (H5FD_mpio_chunk_opt_t)value);
}

static herr_t set_collective_io(hid_t dxpl, uint64_t value)
{
    return H5Pset_dxpl_mpio_collective_opt(dxpl, (H5FD_mpio_collective_opt_t)value);
}

static herr_t set_link_threshold(hid_t dxpl, uint64_t value)
{
    return H5Pset_dxpl_mpio_chunk_opt_num(dxpl, (unsigned)value);
}

static herr_t set_multi_percent(hid_t dxpl, uint64_t value)
{
    return H5Pset_dxpl_mpio_chunk_opt_ratio(dxpl, (unsigned)value);
}

#define COLLECTIVE_METADATA NULL, set_metadata, get_metadata, metadata_words
#define CHUNK_IO NULL, set_chunk_io, NULL, chunk_io_words
#define COLLECTIVE_IO NULL, set_collective_io, NULL, collective_io_words
#define LINK_THRESHOLD NULL, set_link_threshold, NULL, NULL
#define MULTI_PERCENT NULL, set_multi_percent, NULL, NULL
#else
#define COLLECTIVE_METADATA "an HDF5 with MPI", NULL, NULL, NULL
#define CHUNK_IO COLLECTIVE_METADATA
#define COLLECTIVE_IO COLLECTIVE_METADATA
#define LINK_THRESHOLD COLLECTIVE_METADATA
#define MULTI_PERCENT COLLECTIVE_METADATA
#endif

/* In the order in which they are set: libver is checked against the upper bound, which is the highest by default. */
static const h5perf_setting settings[] = {
    {"sieve-buffer", FILE_ACCESS, 0, NULL, set_sieve_buf_size, get_sieve_buf_size, NULL},
    {"align", FILE_ACCESS, 0, NULL, set_alignment, get_alignment, NULL},
    {"threshold", FILE_ACCESS, 0, NULL, set_threshold, get_threshold, NULL},
    {"meta-block-size", FILE_ACCESS, 0, NULL, set_meta_block_size, get_meta_block_size, NULL},
    {"small-data-block", FILE_ACCESS, 0, NULL, set_small_data_block_size, get_small_data_block_size, NULL},
    {"fill-time", DATASET_CREATION, 0, NULL, set_fill_time, get_fill_time, fill_words},
    {"allocation-time", DATASET_CREATION, VARIES, NULL, set_alloc_time, get_alloc_time, allocation_words},
    {"object-times", DATASET_CREATION, 0, NULL, set_obj_track_times, get_obj_track_times, switch_words},
    {"minimized-headers", DATASET_CREATION, 0, NULL, set_dset_no_attrs_hint, get_dset_no_attrs_hint, switch_words},
    {"compact-attributes", OBJECT_CREATION, 0, NULL, set_attr_phase_change, get_attr_phase_change, NULL},
    {"compact-links", GROUP_CREATION, 0, NULL, set_link_phase_change, get_link_phase_change, NULL},
    {"defer-metadata", FILE_ACCESS, READ_FROM_FILE, NULL, set_deferred, get_deferred, switch_words},
    {"metadata-cache", FILE_ACCESS, READ_FROM_FILE, NULL, set_cache_size, get_cache_size, NULL},
    {"evict-on-close", FILE_ACCESS, UNTOLD, EVICT_ON_CLOSE},
    {"libver", FILE_ACCESS, AT_LEAST, NULL, set_libver, get_libver, libver_words},
    {"libver-high", FILE_ACCESS, 0, NULL, set_libver_high, get_libver_high, libver_words},
    {"paged-allocation", FILE_CREATION, 0, NULL, set_pages, get_pages, NULL},
    {"page-buffer", FILE_ACCESS, 0, PAGE_BUFFER},
    {"file-locking", OWN_FILE_ACCESS, UNTOLD, FILE_LOCKING},
    {"collective-metadata", SHARED_FILE_ACCESS, 0, COLLECTIVE_METADATA},
    {"chunk-cache", FILE_ACCESS, 0, NULL, set_chunk_cache, get_chunk_cache, NULL},
    {"chunk-io", COLLECTIVE_TRANSFER, 0, CHUNK_IO},
    {"link-threshold", COLLECTIVE_TRANSFER, 0, LINK_THRESHOLD},
    {"multi-percent", COLLECTIVE_TRANSFER, 0, MULTI_PERCENT},
    {"collective-io", COLLECTIVE_TRANSFER, 0, COLLECTIVE_IO},
    {"selection-io", TRANSFER, 0, SELECTION_IO},
    {"conversion-buffer", TRANSFER, 0, NULL, set_buffer, get_buffer, NULL},
};

const h5perf_setting *h5perf_setting_at(int index)
{
    return index < (int)(sizeof settings / sizeof *settings) ? settings + index : NULL;
}

const h5perf_word *h5perf_word_at(const h5perf_setting *s, int index)
{
    return s->words && s->words[index].word ? s->words + index : NULL;
}

herr_t h5perf_set_setting(const h5perf_setting *s, hid_t list, uint64_t value) { return s->set(list, value); }

herr_t h5perf_get_setting(const h5perf_setting *s, hid_t from, uint64_t *value) { return s->get(from, value); }
