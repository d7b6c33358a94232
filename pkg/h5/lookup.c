#include <errno.h>
#include <string.h>
#include "calls.h"

#if H5_VERSION_GE(1, 12, 0)

/* Since HDF5 1.12, one function tells what all file formats have, and another one what this format has. */
static int object_kind(hid_t parent, const char *name, unsigned fields)
{
    H5O_info2_t info;
    H5O_native_info_t native;
    unsigned general = H5O_INFO_BASIC, own = 0;
    if (fields & H5PERF_INFO_TIME)
        general |= H5O_INFO_TIME;
    if (fields & H5PERF_INFO_ATTRIBUTES)
        general |= H5O_INFO_NUM_ATTRS;
    if (fields & H5PERF_INFO_HEADER)
        own |= H5O_NATIVE_INFO_HDR;
    if (fields & H5PERF_INFO_STORAGE)
        own |= H5O_NATIVE_INFO_META_SIZE;
    if (H5Oget_info_by_name3(parent, name, &info, general, H5P_DEFAULT) < 0)
        return -1;
    if (own && H5Oget_native_info_by_name(parent, name, &native, own, H5P_DEFAULT) < 0)
        return -1;
    return (int)info.type;
}

#else

static int object_kind(hid_t parent, const char *name, unsigned fields)
{
    H5O_info_t info;
    unsigned all = H5O_INFO_BASIC;
    if (fields & H5PERF_INFO_TIME)
        all |= H5O_INFO_TIME;
    if (fields & H5PERF_INFO_ATTRIBUTES)
        all |= H5O_INFO_NUM_ATTRS;
    if (fields & H5PERF_INFO_HEADER)
        all |= H5O_INFO_HDR;
    if (fields & H5PERF_INFO_STORAGE)
        all |= H5O_INFO_META_SIZE;
    if (H5Oget_info_by_name2(parent, name, &info, all, H5P_DEFAULT) < 0)
        return -1;
    return (int)info.type;
}

#endif

static int link_kind(hid_t parent, const char *name)
{
    H5L_info_t info;
    return H5Lget_info(parent, name, &info, H5P_DEFAULT) < 0 ? -1 : (int)info.type;
}

h5perf_outcome h5perf_stat(h5perf_members m, const hid_t *parents, int kind, int link, unsigned fields)
{
    h5perf_outcome o = {0};
    uint64_t member = m.first % m.each;
    const char *call = link ? "H5Lget_info" : "H5Oget_info_by_name";
    while (o.done < m.count && !h5perf_stopped(m.stop)) {
        errno = 0;
        const char *name = h5perf_name(m.names, member);
        int found = link ? link_kind(*parents, name) : object_kind(*parents, name, fields);
        if (found < 0) {
            h5perf_failed(&o, call);
            break;
        }
        if (found != kind) {
            h5perf_wrong(&o, call, "reported success, but another kind of object than was created");
            break;
        }
        o.done++;
        if (++member == m.each) {
            member = 0;
            parents++;
        }
    }
    return o;
}

/* What is sought in a group, and how much of it was found. */
typedef struct {
    h5perf_names *const *names;
    const uint64_t *each;
    int levels;
    uint64_t found;
    const volatile int32_t *stop;
} listing;

static herr_t link_found(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    listing *l = data;
    (void)group;
    (void)info;
    l->found += (uint64_t)h5perf_has_name(l->names[0], name, strlen(name), l->each[0]);
    return h5perf_stopped(l->stop);
}

/* Counts an object if each part of its path has a name of its level. */
static herr_t object_found(hid_t group, const char *path, const H5O_info_t *info, void *data)
{
    listing *l = data;
    int level = 0;
    (void)group;
    (void)info;
    for (; level < l->levels; level++) {
        size_t bytes = strcspn(path, "/");
        if (!h5perf_has_name(l->names[level], path, bytes, l->each[level]))
            break;
        path += bytes;
        if (!*path) {
            level++;
            break;
        }
        path++;
    }
    if (level == l->levels && !*path)
        l->found++;
    return h5perf_stopped(l->stop);
}

static herr_t list_one(hid_t group, int visits, listing *l)
{
    if (!visits)
        return H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, link_found, l);
#if H5_VERSION_GE(1, 12, 0)
    return H5Ovisit3(group, H5_INDEX_NAME, H5_ITER_INC, object_found, l, H5O_INFO_BASIC);
#else
    return H5Ovisit2(group, H5_INDEX_NAME, H5_ITER_INC, object_found, l, H5O_INFO_BASIC);
#endif
}

h5perf_outcome h5perf_list_members(const hid_t *groups, uint64_t count, h5perf_names *const *names,
                                   const uint64_t *each, int levels, int visits, uint64_t expected,
                                   const volatile int32_t *stop)
{
    h5perf_outcome o = {0};
    listing l = {names, each, levels, 0, stop};
    const char *call = visits ? "H5Ovisit" : "H5Literate";
    for (; o.done < count && !h5perf_stopped(stop); o.done++) {
        errno = 0;
        l.found = 0;
        herr_t rc = list_one(groups[o.done], visits, &l);
        if (rc < 0) {
            h5perf_failed(&o, call);
            break;
        }
        if (rc > 0) /* stopped */
            break;
        if (l.found != expected) {
            h5perf_wrong(&o, call, "reported success, but did not find each object that was created exactly once");
            break;
        }
    }
    return o;
}
