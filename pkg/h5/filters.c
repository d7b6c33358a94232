#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include "calls.h"

/* Filters that HDF5 does not have itself. If it finds no plugin for one of them, the filter of this file takes its
 * place. What it stores is what the registered plugin stores: see
 * https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md. The functions return the number
 * of bytes in *buffer, or 0 after an error. */

#define MAX_CHUNK UINT32_MAX /* bytes */

static size_t (*zstd_compress)(void *, size_t, const void *, size_t, int);
static size_t (*zstd_decompress)(void *, size_t, const void *, size_t);
static size_t (*zstd_bound)(size_t);
static unsigned (*zstd_failed)(size_t);
static unsigned long long (*zstd_content)(const void *, size_t);
static int (*lz4_compress)(const char *, char *, int, int);
static int (*lz4_decompress)(const char *, char *, int, int);

/* Replaces the buffer by a new one that holds `used` bytes. */
static size_t replace_buffer(void *bytes, size_t used, size_t allocated, size_t *room, void **buffer)
{
    if (!used) {
        H5free_memory(bytes);
        return 0;
    }
    H5free_memory(*buffer);
    *buffer = bytes;
    *room = allocated;
    return used;
}

/* A chunk is one frame. The parameter is the level; 3 without one. */
static size_t filter_zstd(unsigned flags, size_t count, const unsigned *values, size_t bytes, size_t *room,
                          void **buffer)
{
    unsigned long long after;
    if (flags & H5Z_FLAG_REVERSE)
        after = zstd_content(*buffer, bytes); /* unknown, or an error: a size that is too large */
    else
        after = zstd_bound(bytes);
    if (!after || after > (flags & H5Z_FLAG_REVERSE ? 1ULL : 2ULL) * MAX_CHUNK)
        return 0;
    void *out = H5allocate_memory((size_t)after, 0);
    if (!out)
        return 0;
    size_t used = flags & H5Z_FLAG_REVERSE
                      ? zstd_decompress(out, (size_t)after, *buffer, bytes)
                      : zstd_compress(out, (size_t)after, *buffer, bytes, count > 0 ? (int)values[0] : 3);
    return replace_buffer(out, zstd_failed(used) ? 0 : used, (size_t)after, room, buffer);
}

static uint64_t get_big_endian(const unsigned char *from, int bytes)
{
    uint64_t n = 0;
    while (bytes-- > 0)
        n = n << 8 | *from++;
    return n;
}

static unsigned char *put_big_endian(unsigned char *to, uint64_t n, int bytes)
{
    for (int i = bytes; i-- > 0; n >>= 8)
        to[i] = (unsigned char)n;
    return to + bytes;
}

enum { LZ4_SIZE = 8, LZ4_BLOCK = 4 }; /* bytes of the sizes of a chunk and of a block */

/* A chunk begins with its size before compression and with the size of a block. Each block follows after its
 * compressed size. A block that does not become smaller is stored as it is. The parameter is the size of a block. */
static size_t compress_lz4(const char *in, size_t bytes, size_t block, unsigned char *out)
{
    unsigned char *to = put_big_endian(put_big_endian(out, bytes, LZ4_SIZE), block, LZ4_BLOCK);
    while (bytes > 0) {
        size_t n = bytes < block ? bytes : block;
        int smaller = lz4_compress(in, (char *)to + LZ4_BLOCK, (int)n, (int)n - 1);
        if (smaller <= 0)
            memcpy(to + LZ4_BLOCK, in, n);
        size_t used = smaller > 0 ? (size_t)smaller : n;
        to = put_big_endian(to, used, LZ4_BLOCK) + used;
        in += n;
        bytes -= n;
    }
    return (size_t)(to - out);
}

static size_t decompress_lz4(const unsigned char *in, size_t bytes, size_t block, char *out, size_t after)
{
    const unsigned char *end = in + bytes;
    for (size_t done = 0, n; done < after; done += n) {
        n = after - done < block ? after - done : block;
        if (end - in < LZ4_BLOCK)
            return 0;
        size_t used = get_big_endian(in, LZ4_BLOCK);
        in += LZ4_BLOCK;
        if (used > (size_t)(end - in) || used > n || n > INT_MAX)
            return 0;
        if (used == n)
            memcpy(out + done, in, n);
        else if (lz4_decompress((const char *)in, out + done, (int)used, (int)n) != (int)n)
            return 0;
        in += used;
    }
    return after;
}

static size_t filter_lz4(unsigned flags, size_t count, const unsigned *values, size_t bytes, size_t *room,
                         void **buffer)
{
    enum { HEADER = LZ4_SIZE + LZ4_BLOCK, MAX_BLOCK = 1 << 30, MAX_RATIO = 255 };
    int back = (flags & H5Z_FLAG_REVERSE) != 0;
    uint64_t after, block;
    if (back) {
        if (bytes < HEADER)
            return 0;
        after = get_big_endian(*buffer, LZ4_SIZE);
        block = get_big_endian((unsigned char *)*buffer + LZ4_SIZE, LZ4_BLOCK);
        if (!block || after > MAX_CHUNK || after / MAX_RATIO > bytes)
            return 0;
    } else {
        block = count > 0 && values[0] > 0 && values[0] < MAX_BLOCK ? values[0] : MAX_BLOCK;
        block = block < bytes ? block : bytes;
        if (!block)
            return 0;
        after = HEADER + bytes + (bytes - 1) / block * LZ4_BLOCK + LZ4_BLOCK;
    }
    void *out = after ? H5allocate_memory((size_t)after, 0) : NULL;
    if (!out)
        return 0;
    size_t used = back ? decompress_lz4((unsigned char *)*buffer + HEADER, bytes - HEADER, (size_t)block, out,
                                        (size_t)after)
                       : compress_lz4(*buffer, bytes, (size_t)block, out);
    return replace_buffer(out, used, (size_t)after, room, buffer);
}

/* Finds the functions of a library, the names of which end with NULL. */
static int load_functions(const char *library, const char *const *names, void **functions[])
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return 0;
    for (; *names; names++, functions++)
        if (!(**functions = dlsym(handle, *names)))
            return 0;
    return 1;
}

static int load_zstd(void)
{
    static const char *const names[] = {"ZSTD_compress", "ZSTD_decompress", "ZSTD_compressBound", "ZSTD_isError",
                                        "ZSTD_getFrameContentSize", NULL};
    void **functions[] = {(void **)&zstd_compress, (void **)&zstd_decompress, (void **)&zstd_bound,
                          (void **)&zstd_failed, (void **)&zstd_content};
    return load_functions("libzstd.so.1", names, functions);
}

static int load_lz4(void)
{
    static const char *const names[] = {"LZ4_compress_default", "LZ4_decompress_safe", NULL};
    void **functions[] = {(void **)&lz4_compress, (void **)&lz4_decompress};
    return load_functions("liblz4.so.1", names, functions);
}

static const H5Z_class2_t added[] = {
    {H5Z_CLASS_T_VERS, H5PERF_ZSTD, 1, 1, "zstd", NULL, NULL, filter_zstd},
    {H5Z_CLASS_T_VERS, H5PERF_LZ4, 1, 1, "lz4", NULL, NULL, filter_lz4},
};

/* Adds a filter of this file to the library; returns whether the library has it then. */
static htri_t add_filter(H5Z_filter_t id)
{
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        if (added[i].id == id)
            return !(id == H5PERF_ZSTD ? load_zstd() : load_lz4()) ? 0 : H5Zregister(added + i) < 0 ? -1 : 1;
    }
    return 0;
}

htri_t h5perf_can_filter(H5Z_filter_t id)
{
    unsigned can = 0;
    htri_t there = H5Zfilter_avail(id);
    if (!there)
        there = add_filter(id);
    if (there <= 0)
        return there;
    if (H5Zget_filter_info(id, &can) < 0)
        return -1;
    return (can & H5Z_FILTER_CONFIG_ENCODE_ENABLED) != 0;
}
