#include "h5test.h"

herr_t h5test_add(hid_t space, const hsize_t *start, const hsize_t *stride, const hsize_t *count, const hsize_t *block)
{
    return H5Sselect_hyperslab(space, H5S_SELECT_OR, start, stride, count, block);
}

herr_t h5test_account(hid_t dxpl, h5perf_collective *c)
{
#ifdef H5_HAVE_PARALLEL
    return h5perf_account(c, dxpl, 1);
#else
    (void)dxpl, (void)c;
    return -1;
#endif
}

/* The library numbers the identifiers of each kind in ascending order. */
void h5test_mark(hid_t *mark)
{
    H5Sclose(mark[0] = H5Screate(H5S_SCALAR));
    H5Tclose(mark[1] = H5Tcopy(H5T_NATIVE_INT));
    H5Pclose(mark[2] = H5Pcreate(H5P_DATASET_CREATE));
    H5Eclose_stack(mark[3] = H5Eget_current_stack());
}

uint64_t h5test_left(const hid_t *mark)
{
    uint64_t left = 0;
    hid_t now[H5TEST_KINDS];
    h5test_mark(now);
    for (int kind = 0; kind < H5TEST_KINDS; kind++)
        for (hid_t id = mark[kind]; id < now[kind]; id++)
            left += H5Iis_valid(id) > 0;
    return left;
}

herr_t h5test_of_file(h5test_settings *s)
{
    hid_t file, access = -1, creation = -1;
    H5F_libver_t low, high;
    H5F_fspace_strategy_t strategy;
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    hbool_t persist, writes = 0, reads = 0;
    hsize_t threshold;
    size_t size = 0;
    herr_t rc = -1;

    if (H5Fget_obj_ids(H5F_OBJ_ALL, H5F_OBJ_FILE, 1, &file) < 1 || (access = H5Fget_access_plist(file)) < 0 ||
        (creation = H5Fget_create_plist(file)) < 0)
        goto end;
#ifdef H5_HAVE_PARALLEL
    if (H5Pget_coll_metadata_write(access, &writes) < 0 || H5Pget_all_coll_metadata_ops(access, &reads) < 0)
        goto end;
#endif
    if (H5Pget_alignment(access, &s->threshold, &s->alignment) < 0 ||
        H5Pget_meta_block_size(access, &s->block) < 0 || H5Pget_small_data_block_size(access, &s->small) < 0 ||
        H5Fget_mdc_size(file, &size, NULL, NULL, NULL) < 0 || H5Pget_libver_bounds(access, &low, &high) < 0 ||
        H5Pget_file_space_strategy(creation, &strategy, &persist, &threshold) < 0 ||
        H5Pget_file_space_page_size(creation, &s->page) < 0 || H5Fget_mdc_config(file, &cache) < 0)
        goto end;
    if (strategy != H5F_FSPACE_STRATEGY_PAGE)
        s->page = 0;
    s->cache = size;
    s->low = low, s->high = high, s->writes = writes, s->reads = reads, s->evictions = cache.evictions_enabled;
    s->increment = cache.incr_mode, s->flash = cache.flash_incr_mode, s->decrement = cache.decr_mode;
    rc = 0;
end:
    if (access >= 0)
        H5Pclose(access);
    if (creation >= 0)
        H5Pclose(creation);
    return rc;
}
