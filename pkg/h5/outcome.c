#include <errno.h>
#include "calls.h"

int h5perf_failed(h5perf_outcome *o, const char *call)
{
    o->system = errno;
    o->call = call;
    return -1;
}

int h5perf_wrong(h5perf_outcome *o, const char *call, const char *reason)
{
    o->call = call;
    o->reason = reason;
    return -1;
}

/* Each call of the library clears its error stack, except calls that take an error stack as argument. */
void h5perf_discard(hid_t id, herr_t (*close)(hid_t))
{
    hid_t reason = H5Eget_current_stack();
    close(id);
    H5Eset_current_stack(reason);
}
