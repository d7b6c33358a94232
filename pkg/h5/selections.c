#include <errno.h>
#include "calls.h"

herr_t h5perf_select_slab(hid_t space, const hsize_t *start, const hsize_t *stride, const hsize_t *count,
                          const hsize_t *block)
{
    return H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block);
}

/* The boxes of a union. */
typedef struct {
    hid_t space;
    int rank;
    const hsize_t *start, *extent;
    const volatile int32_t *stop;
    h5perf_outcome outcome; /* done: boxes that were selected */
} boxes;

/* Selects box n in a space, or adds it to the selection there. */
static int select_box(boxes *b, hid_t space, H5S_seloper_t how, uint64_t n)
{
    static const hsize_t once[] = {
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    };
    _Static_assert(sizeof once / sizeof *once == H5S_MAX_RANK, "one for each dimension");
    size_t at = (size_t)n * (size_t)b->rank;
    errno = 0;
    if (H5Sselect_hyperslab(space, how, b->start + at, NULL, once, b->extent + at) < 0)
        return h5perf_failed(&b->outcome, "H5Sselect_hyperslab");
    b->outcome.done++;
    return 0;
}

/* Makes the selection empty, so that it is not copied with the space. */
static int clear(boxes *b)
{
    return H5Sselect_none(b->space) < 0 ? h5perf_failed(&b->outcome, "H5Sselect_none") : 0;
}

h5perf_outcome h5perf_add_boxes(hid_t space, int rank, uint64_t count, const hsize_t *start, const hsize_t *extent,
                                const volatile int32_t *stop)
{
    boxes b = {space, rank, start, extent, stop, {0}};
    if (clear(&b) < 0)
        return b.outcome;
    for (uint64_t n = 0; n < count && !h5perf_stopped(stop); n++)
        if (select_box(&b, space, n ? H5S_SELECT_OR : H5S_SELECT_SET, n) < 0)
            break;
    return b.outcome;
}

#if H5PERF_MERGE
/* Returns a dataspace in which box n is selected; a negative number after a failure or if the stop flag is set. */
static hid_t space_of_box(boxes *b, uint64_t n)
{
    if (h5perf_stopped(b->stop))
        return -1;
    hid_t space = H5Scopy(b->space);
    if (space < 0)
        return h5perf_failed(&b->outcome, "H5Scopy");
    if (select_box(b, space, H5S_SELECT_SET, n) < 0) {
        h5perf_discard(space, H5Sclose);
        return -1;
    }
    return space;
}

static int is_empty(hid_t space) { return H5Sget_select_type(space) == H5S_SEL_NONE; }

/* Returns a dataspace with the union of the selections of two dataspaces, which it closes. The library does not merge
 * the selection of a box without elements. */
static hid_t combine(boxes *b, hid_t left, hid_t right)
{
    if (is_empty(left) || is_empty(right)) {
        hid_t rest = is_empty(left) ? right : left;
        H5Sclose(rest == left ? right : left);
        return rest;
    }
    hid_t both = H5Scombine_select(left, H5S_SELECT_OR, right);
    if (both < 0) {
        h5perf_failed(&b->outcome, "H5Scombine_select");
        h5perf_discard(left, H5Sclose);
        h5perf_discard(right, H5Sclose);
        return -1;
    }
    H5Sclose(left);
    H5Sclose(right);
    return both;
}

/* Returns a dataspace with boxes first to end - 1, at least one box; a negative number in the same cases as
 * space_of_box. */
static hid_t merged(boxes *b, uint64_t first, uint64_t end)
{
    if (end - first == 1)
        return space_of_box(b, first);
    uint64_t middle = first + (end - first) / 2;
    hid_t left = merged(b, first, middle);
    if (left < 0)
        return -1;
    hid_t right = merged(b, middle, end);
    if (right < 0) {
        h5perf_discard(left, H5Sclose);
        return -1;
    }
    return combine(b, left, right);
}
#endif

h5perf_outcome h5perf_merge_boxes(hid_t space, int rank, uint64_t count, const hsize_t *start, const hsize_t *extent,
                                  const volatile int32_t *stop)
{
    boxes b = {space, rank, start, extent, stop, {0}};
    if (clear(&b) < 0 || count == 0)
        return b.outcome;
#if H5PERF_MERGE
    hid_t all = merged(&b, 0, count);
    if (all < 0)
        return b.outcome;
    if (H5Sselect_copy(space, all) < 0)
        h5perf_failed(&b.outcome, "H5Sselect_copy");
    h5perf_discard(all, H5Sclose); /* once for each selection */
#else
    h5perf_failed(&b.outcome, "H5Scombine_select");
#endif
    return b.outcome;
}
