#include <errno.h>
#include "calls.h"

/* The creation list of new groups or datasets, the type, the dataspace and the external file of datasets, what links
 * point to, and the new names of objects with the number of the member in its group, and in its family. */
typedef struct {
    hid_t type, space, list;
    h5perf_external external;
    const char *file, *path;
    h5perf_names *new_names;
    uint64_t member, index;
} shape;

/* Processes the object with a name. Returns its identifier or another number that is not negative; a negative number
 * if it failed. */
typedef hid_t (*action)(hid_t parent, const char *name, const shape *s);

static hid_t create_group(hid_t parent, const char *name, const shape *s)
{
    return H5Gcreate2(parent, name, H5P_DEFAULT, s->list, H5P_DEFAULT);
}

static hid_t open_group(hid_t parent, const char *name, const shape *s)
{
    (void)s;
    return H5Gopen2(parent, name, H5P_DEFAULT);
}

static hid_t create_dataset(hid_t parent, const char *name, const shape *s)
{
    return H5Dcreate2(parent, name, s->type, s->space, H5P_DEFAULT, s->list, H5P_DEFAULT);
}

/* A creation list has all the files of a dataset, so that each dataset needs its own. */
static hid_t create_external_dataset(hid_t parent, const char *name, const shape *s)
{
    const h5perf_external *e = &s->external;
    hid_t set = -1, list = H5Pcopy(s->list);
    if (list < 0)
        return -1;
    if (H5Pset_external(list, e->file, (off_t)(e->base + e->stride * s->index), e->bytes) >= 0)
        set = H5Dcreate2(parent, name, s->type, s->space, H5P_DEFAULT, list, H5P_DEFAULT);
    h5perf_discard(list, H5Pclose);
    return set;
}

static hid_t open_dataset(hid_t parent, const char *name, const shape *s)
{
    (void)s;
    return H5Dopen2(parent, name, H5P_DEFAULT);
}

static hid_t create_hard_link(hid_t parent, const char *name, const shape *s)
{
    return H5Lcreate_hard(parent, s->path, parent, name, H5P_DEFAULT, H5P_DEFAULT);
}

static hid_t create_soft_link(hid_t parent, const char *name, const shape *s)
{
    return H5Lcreate_soft(s->path, parent, name, H5P_DEFAULT, H5P_DEFAULT);
}

static hid_t create_external_link(hid_t parent, const char *name, const shape *s)
{
    return H5Lcreate_external(s->file, s->path, parent, name, H5P_DEFAULT, H5P_DEFAULT);
}

static hid_t unlink_object(hid_t parent, const char *name, const shape *s)
{
    (void)s;
    return H5Ldelete(parent, name, H5P_DEFAULT);
}

static hid_t rename_object(hid_t parent, const char *name, const shape *s)
{
    return H5Lmove(parent, name, parent, h5perf_name(s->new_names, s->member), H5P_DEFAULT, H5P_DEFAULT);
}

/* Does one action for each member. handles may be NULL. */
static h5perf_outcome all(h5perf_members m, const hid_t *parents, hid_t *handles, action act, const char *call, shape s)
{
    h5perf_outcome o = {0};
    s.member = m.first % m.each;
    while (o.done < m.count && !h5perf_stopped(m.stop)) {
        errno = 0;
        s.index = m.first + o.done;
        hid_t id = act(*parents, h5perf_name(m.names, s.member), &s);
        if (id < 0) {
            h5perf_failed(&o, call);
            break;
        }
        if (handles)
            handles[o.done] = id;
        o.done++;
        if (++s.member == m.each) {
            s.member = 0;
            parents++;
        }
    }
    return o;
}

h5perf_outcome h5perf_create_links(h5perf_members m, const hid_t *parents, int kind, const char *file, const char *path)
{
    shape s = {.file = file, .path = path};
    switch (kind) {
    case 'h':
        return all(m, parents, NULL, create_hard_link, "H5Lcreate_hard", s);
    case 's':
        return all(m, parents, NULL, create_soft_link, "H5Lcreate_soft", s);
    default:
        return all(m, parents, NULL, create_external_link, "H5Lcreate_external", s);
    }
}

h5perf_outcome h5perf_create_groups(h5perf_members m, const hid_t *parents, hid_t *handles, hid_t gcpl)
{
    shape s = {.list = gcpl};
    return all(m, parents, handles, create_group, "H5Gcreate2", s);
}

h5perf_outcome h5perf_open_groups(h5perf_members m, const hid_t *parents, hid_t *handles)
{
    return all(m, parents, handles, open_group, "H5Gopen2", (shape){0});
}

h5perf_outcome h5perf_create_datasets(h5perf_members m, const hid_t *parents, hid_t *handles, hid_t type, hid_t space,
                                      hid_t dcpl, h5perf_external external)
{
    shape s = {.type = type, .space = space, .list = dcpl, .external = external};
    return all(m, parents, handles, external.file ? create_external_dataset : create_dataset, "H5Dcreate2", s);
}

h5perf_outcome h5perf_open_datasets(h5perf_members m, const hid_t *parents, hid_t *handles)
{
    return all(m, parents, handles, open_dataset, "H5Dopen2", (shape){0});
}

h5perf_outcome h5perf_unlink(h5perf_members m, const hid_t *parents)
{
    return all(m, parents, NULL, unlink_object, "H5Ldelete", (shape){0});
}

h5perf_outcome h5perf_rename(h5perf_members m, const hid_t *parents, h5perf_names *new_names)
{
    return all(m, parents, NULL, rename_object, "H5Lmove", (shape){.new_names = new_names});
}

static h5perf_outcome close_all(const hid_t *handles, uint64_t count, const volatile int32_t *stop,
                                herr_t (*close)(hid_t), const char *call)
{
    h5perf_outcome o = {0};
    while (o.done < count && !h5perf_stopped(stop)) {
        errno = 0;
        if (close(handles[o.done]) < 0) {
            h5perf_failed(&o, call);
            break;
        }
        o.done++;
    }
    return o;
}

h5perf_outcome h5perf_close_groups(const hid_t *handles, uint64_t count, const volatile int32_t *stop)
{
    return close_all(handles, count, stop, H5Gclose, "H5Gclose");
}

h5perf_outcome h5perf_close_datasets(const hid_t *handles, uint64_t count, const volatile int32_t *stop)
{
    return close_all(handles, count, stop, H5Dclose, "H5Dclose");
}

h5perf_outcome h5perf_extend(const hid_t *handles, uint64_t count, const hsize_t *extent, const volatile int32_t *stop)
{
    h5perf_outcome o = {0};
    while (o.done < count && !h5perf_stopped(stop)) {
        errno = 0;
        if (H5Dset_extent(handles[o.done], extent) < 0) {
            h5perf_failed(&o, "H5Dset_extent");
            break;
        }
        o.done++;
    }
    return o;
}
