#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "calls.h"

/* Moves the value of one attribute; returns a negative number if it failed. */
typedef int (*mover)(hid_t object, const char *name, const h5perf_attributes *a, unsigned char *value,
                     h5perf_outcome *o);

static int close_one(hid_t id, h5perf_outcome *o)
{
    return H5Aclose(id) < 0 ? h5perf_failed(o, "H5Aclose") : 0;
}

static int write_value(hid_t id, const h5perf_attributes *a, const unsigned char *value, h5perf_outcome *o)
{
    if (a->text == 0)
        return H5Awrite(id, a->memory, value) < 0 ? h5perf_failed(o, "H5Awrite") : 0;
    size_t texts = a->bytes / a->text;
    char **all = calloc(texts, sizeof *all), *text = malloc(texts * (a->text + 1));
    int rc = all && text ? 0 : h5perf_failed(o, "malloc");
    for (size_t i = 0; rc == 0 && i < texts; i++) {
        all[i] = text + i * (a->text + 1);
        memcpy(all[i], value + i * a->text, a->text);
        all[i][a->text] = 0;
    }
    if (rc == 0 && H5Awrite(id, a->memory, all) < 0)
        rc = h5perf_failed(o, "H5Awrite");
    free(text);
    free(all);
    return rc;
}

/* Texts that are shorter than expected are filled up with zeros, longer ones are cut. */
static int read_value(hid_t id, const h5perf_attributes *a, unsigned char *value, h5perf_outcome *o)
{
    if (a->text == 0)
        return H5Aread(id, a->memory, value) < 0 ? h5perf_failed(o, "H5Aread") : 0;
    size_t texts = a->bytes / a->text;
    char **all = calloc(texts, sizeof *all);
    if (!all)
        return h5perf_failed(o, "malloc");
    if (H5Aread(id, a->memory, all) < 0) {
        free(all);
        return h5perf_failed(o, "H5Aread");
    }
    for (size_t i = 0; i < texts; i++)
        strncpy((char *)value + i * a->text, all[i] ? all[i] : "", a->text);
    int rc = H5Dvlen_reclaim(a->memory, a->space, H5P_DEFAULT, all) < 0 ? h5perf_failed(o, "H5Dvlen_reclaim") : 0;
    free(all);
    return rc;
}

static int write_one(hid_t object, const char *name, const h5perf_attributes *a, unsigned char *value,
                     h5perf_outcome *o)
{
    hid_t id = H5Acreate2(object, name, a->type, a->space, H5P_DEFAULT, H5P_DEFAULT);
    if (id < 0)
        return h5perf_failed(o, "H5Acreate2");
    if (a->bytes > 0 && write_value(id, a, value, o) < 0) {
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
    if (a->bytes > 0 && read_value(id, a, value, o) < 0) {
        h5perf_discard(id, H5Aclose);
        return -1;
    }
    return close_one(id, o);
}

static h5perf_outcome move_all(hid_t object, const h5perf_attributes *a, unsigned char *values, mover move)
{
    h5perf_outcome o = {0, NULL, 0};
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
