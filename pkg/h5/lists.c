#include "calls.h"

hid_t h5perf_file_access(void) { return H5P_FILE_ACCESS; }

hid_t h5perf_dataset_transfer(void) { return H5P_DATASET_XFER; }

hid_t h5perf_dataset_create(void) { return H5P_DATASET_CREATE; }

hid_t h5perf_file_create(void) { return H5P_FILE_CREATE; }

hid_t h5perf_group_create(void) { return H5P_GROUP_CREATE; }

herr_t h5perf_no_times(hid_t list) { return H5Pset_obj_track_times(list, 0); }

htri_t h5perf_has_times(hid_t list)
{
    hbool_t times;
    return H5Pget_obj_track_times(list, &times) < 0 ? -1 : times != 0;
}

herr_t h5perf_no_locking(hid_t fapl)
{
#if H5_VERSION_GE(1, 12, 1) || (H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 10 && H5_VERS_RELEASE >= 7)
    return H5Pset_file_locking(fapl, 0, 1);
#else
    (void)fapl;
    return H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_FILE, H5E_CANTSET,
                    "HDF5 " H5_VERS_INFO " cannot do without file locks"), -1;
#endif
}

herr_t h5perf_set_chunk_cache(hid_t fapl, size_t slots, size_t bytes)
{
    int unused;
    size_t default_slots, default_bytes;
    double preemption;
    if (H5Pget_cache(fapl, &unused, &default_slots, &default_bytes, &preemption) < 0)
        return -1;
    return H5Pset_cache(fapl, unused, slots > default_slots ? slots : default_slots, bytes, preemption);
}
