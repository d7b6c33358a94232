#include <stdio.h>
#include "calls.h"

/* Adds an entry of the error stack to a trace. */
static herr_t add(unsigned n, const H5E_error2_t *e, void *data)
{
    h5perf_trace *t = data;
    int more = snprintf(t->text + t->used, sizeof t->text - t->used, "%s%s: %s", n ? " <- " : "", e->func_name,
                        e->desc);
    if (more > 0)
        t->used += (size_t)more;
    if (t->used >= sizeof t->text)
        t->used = sizeof t->text - 1;
    return 0;
}

void h5perf_walk(h5perf_trace *t)
{
    t->used = 0;
    t->text[0] = 0;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, add, t);
}
