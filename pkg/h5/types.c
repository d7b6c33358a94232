#include <string.h>
#include "calls.h"

/* Returns a type if the calls that made it succeeded. Otherwise closes it, and returns a negative number. */
static hid_t kept(hid_t type, int made)
{
    if (type >= 0 && !made) {
        h5perf_discard(type, H5Tclose);
        return -1;
    }
    return type;
}

/* Returns a copy of a type with another size. */
static hid_t resized(hid_t like, size_t bytes)
{
    hid_t type = H5Tcopy(like);
    return kept(type, type >= 0 && H5Tset_size(type, bytes) >= 0);
}

/* Returns the type of floating-point numbers in half precision. */
static hid_t half(int big)
{
    hid_t type = H5Tcopy(big ? H5T_IEEE_F32BE : H5T_IEEE_F32LE);
    return kept(type, type >= 0 && H5Tset_fields(type, 15, 10, 5, 0, 10) >= 0 && H5Tset_size(type, 2) >= 0 &&
                          H5Tset_ebias(type, 15) >= 0);
}

/* Returns the type of floating-point numbers in the extended precision of x86: 80 bits in 16 bytes, without an
 * implied bit. */
static hid_t extended(void)
{
    hid_t type = H5Tcopy(H5T_IEEE_F64LE);
    return kept(type, type >= 0 && H5Tset_size(type, 16) >= 0 && H5Tset_precision(type, 80) >= 0 &&
                          H5Tset_fields(type, 79, 64, 15, 0, 64) >= 0 && H5Tset_ebias(type, 16383) >= 0 &&
                          H5Tset_norm(type, H5T_NORM_NONE) >= 0);
}

static hid_t real(size_t bytes, int big, int native)
{
    switch (bytes) {
    case 2:
        return half(big);
    case sizeof(float):
        return H5Tcopy(big ? H5T_IEEE_F32BE : native ? H5T_NATIVE_FLOAT : H5T_IEEE_F32LE);
    case sizeof(double):
        return H5Tcopy(big ? H5T_IEEE_F64BE : native ? H5T_NATIVE_DOUBLE : H5T_IEEE_F64LE);
    default:
        return extended();
    }
}

/* For smaller integers, the library sets the precision from the size; floating-point numbers need more settings. */
hid_t h5perf_number(int class, size_t bytes, int big, int native)
{
    switch (class) {
    case H5PERF_UNSIGNED:
        return resized(big ? H5T_STD_U64BE : native ? H5T_NATIVE_UINT64 : H5T_STD_U64LE, bytes);
    case H5PERF_SIGNED:
        return resized(big ? H5T_STD_I64BE : native ? H5T_NATIVE_INT64 : H5T_STD_I64LE, bytes);
    case H5PERF_BITS:
        return resized(big ? H5T_STD_B64BE : H5T_STD_B64LE, bytes);
    default:
        return real(bytes, big, native);
    }
}

hid_t h5perf_text(size_t bytes, int padding, int utf8)
{
    static const H5T_str_t paddings[] = {H5T_STR_NULLPAD, H5T_STR_NULLTERM, H5T_STR_SPACEPAD};
    hid_t type = resized(H5T_C_S1, bytes);
    return kept(type, type >= 0 && H5Tset_strpad(type, paddings[padding]) >= 0 &&
                          H5Tset_cset(type, utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII) >= 0);
}

hid_t h5perf_opaque(size_t bytes, const char *tag)
{
    hid_t type = H5Tcreate(H5T_OPAQUE, bytes);
    return kept(type, type >= 0 && H5Tset_tag(type, tag) >= 0);
}

herr_t h5perf_enum_insert(hid_t type, const char *name, int64_t value, size_t bytes, int big)
{
    unsigned char number[8];
    for (size_t i = 0; i < bytes; i++)
        number[big ? bytes - 1 - i : i] = (unsigned char)((uint64_t)value >> (8 * i));
    return H5Tenum_insert(type, name, number);
}
