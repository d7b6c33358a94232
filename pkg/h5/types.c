#include "calls.h"

/* Returns a copy of a type with another size. */
static hid_t resized(hid_t like, size_t bytes)
{
    hid_t type = H5Tcopy(like);
    if (type >= 0 && H5Tset_size(type, bytes) < 0) {
        h5perf_discard(type, H5Tclose);
        return -1;
    }
    return type;
}

/* The library calculates the precision of smaller integers; numbers of floating point have more than a size. */
hid_t h5perf_number(int class, size_t bytes, int native)
{
    switch (class) {
    case H5PERF_UNSIGNED:
        return resized(native ? H5T_NATIVE_UINT64 : H5T_STD_U64LE, bytes);
    case H5PERF_SIGNED:
        return resized(native ? H5T_NATIVE_INT64 : H5T_STD_I64LE, bytes);
    default:
        if (bytes == sizeof(float))
            return H5Tcopy(native ? H5T_NATIVE_FLOAT : H5T_IEEE_F32LE);
        return H5Tcopy(native ? H5T_NATIVE_DOUBLE : H5T_IEEE_F64LE);
    }
}

hid_t h5perf_text(size_t bytes)
{
    hid_t type = resized(H5T_C_S1, bytes);
    if (type >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) < 0) {
        h5perf_discard(type, H5Tclose);
        return -1;
    }
    return type;
}
