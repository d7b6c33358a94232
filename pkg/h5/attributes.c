#include <errno.h>
#include "calls.h"

/* Moves the value of one attribute; returns a negative number if it failed. */
typedef int (*mover)(hid_t object, const char *name, const h5perf_attributes *a, unsigned char *value,
                     h5perf_outcome *o);

static int close_one(hid_t id, h5perf_outcome *o)
{
    return H5Aclose(id) < 0 ? h5perf_failed(o, "H5Aclose") : 0;
}

static int write_one(hid_t object, const char *name, const h5perf_attributes *a, unsigned char *value,
                     h5perf_outcome *o)
{
    hid_t id = H5Acreate2(object, name, a->type, a->space, H5P_DEFAULT, H5P_DEFAULT);
    if (id < 0)
        return h5perf_failed(o, "H5Acreate2");
    if (a->bytes > 0 && H5Awrite(id, a->memory, value) < 0) {
        h5perf_failed(o, "H5Awrite");
        h5perf_discard(id, H5Aclose);
        return -1;
    }
    return close_one(id, o);
}

static int read_one(hid_t object, const char *name, const h5perf_attributes *a, unsigned char *value, h5perf_outcome *o)
{
    hid_t id = H5Aopen(object, name, H5P_DEFAULT);
    if (id < 0)
        return h5perf_failed(o, "H5Aopen");
    if (a->bytes > 0 && H5Aread(id, a->memory, value) < 0) {
        h5perf_failed(o, "H5Aread");
        h5perf_discard(id, H5Aclose);
        return -1;
    }
    return close_one(id, o);
}

static h5perf_outcome move_all(hid_t object, const h5perf_attributes *a, unsigned char *values, mover move)
{
    h5perf_outcome o = {0};
    while (o.done < a->count && !h5perf_stopped(a->stop)) {
        errno = 0;
        if (move(object, h5perf_name(a->names, a->first + o.done), a, values + o.done * a->bytes, &o) < 0)
            break;
        o.done++;
    }
    return o;
}

h5perf_outcome h5perf_write_attributes(hid_t object, h5perf_attributes a, const void *values)
{
    return move_all(object, &a, (unsigned char *)values, write_one);
}

h5perf_outcome h5perf_read_attributes(hid_t object, h5perf_attributes a, void *values)
{
    return move_all(object, &a, values, read_one);
}
