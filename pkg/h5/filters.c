#include "calls.h"

htri_t h5perf_can_filter(H5Z_filter_t id)
{
    unsigned can = 0;
    htri_t there = H5Zfilter_avail(id);
    if (there <= 0)
        return there;
    if (H5Zget_filter_info(id, &can) < 0)
        return -1;
    return (can & H5Z_FILTER_CONFIG_ENCODE_ENABLED) != 0;
}
