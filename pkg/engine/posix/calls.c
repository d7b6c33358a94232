/* The functions of the C library that HDF5 and MPI call for files, with the same names. As the program defines them,
 * the linker exports them, and shared libraries get them. They pass each call on to the next definition, which is that
 * of the C library or of a library that was loaded before it. While calls are counted, they count those for data files:
 * the files in one directory that this process has opened since then. Calls for other files, pipes and sockets, of which
 * MPI makes many, are not counted. */
#undef _FILE_OFFSET_BITS /* both names of a function, such as pread and pread64, are defined here */
#undef _FORTIFY_SOURCE   /* else headers define some of these functions */
#define _GNU_SOURCE
#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "calls.h"

/* Descriptors above are not counted. The system gives the lowest that is free. */
#define MAX_FILES 65536

static int counting;
static char dir[PATH_MAX]; /* ends with a slash */
static unsigned char is_data[MAX_FILES];

#define ENTRY(name, kind) {#name, kind, 0, 0},
static h5perf_function functions[] = {H5PERF_POSIX_FUNCTIONS(ENTRY)};

void h5perf_posix_start(const char *path)
{
    snprintf(dir, sizeof dir, "%s/", path); /* files with longer paths cannot be opened */
    memset(is_data, 0, sizeof is_data);
    h5perf_reset(functions, H5PERF_POSIX_COUNT);
    __atomic_store_n(&counting, 1, __ATOMIC_SEQ_CST);
}

h5perf_function *h5perf_posix_stop(void)
{
    __atomic_store_n(&counting, 0, __ATOMIC_SEQ_CST);
    return functions;
}

/* Reports whether calls are counted. */
static inline int is_counting(void) { return __builtin_expect(__atomic_load_n(&counting, __ATOMIC_RELAXED), 0); }

static void mark(int fd, unsigned char data)
{
    if (fd >= 0 && fd < MAX_FILES)
        is_data[fd] = data;
}

/* Counts a call for a descriptor, unless it is not that of a data file. */
static void count(int function, int fd, ssize_t bytes)
{
    if (fd >= 0 && fd < MAX_FILES && is_data[fd])
        h5perf_count(&functions[function], bytes > 0 ? (uint64_t)bytes : 0);
}

static void count_open(int fd)
{
    mark(fd, 1);
    count(H5PERF_open, fd, 0);
}

/* The kernel may give the descriptor to another thread before close returns. */
static void count_close(int fd)
{
    count(H5PERF_close, fd, 0);
    mark(fd, 0);
}

void h5perf_posix_own(int function, int fd)
{
    if (function == H5PERF_open)
        count_open(fd);
    else if (function == H5PERF_close)
        count_close(fd);
    else
        count(function, fd, 0);
}

void h5perf_posix_opened(int fd)
{
    if (is_counting())
        count_open(fd);
}

void h5perf_posix_named(int function)
{
    if (is_counting())
        h5perf_count(&functions[function], 0);
}

/* Returns the next definition of a function. */
static void *find_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "h5perf: the C library has no %s\n", name);
        abort();
    }
    return found;
}

/* Defines next_NAME, the next definition of a function. It is looked for at the first call, which a library may make
 * before the program has started. */
#define NEXT(type, name, parameters, ...)                       \
    static type find_##name parameters;                         \
    static type(*next_##name) parameters = find_##name;         \
    static type find_##name parameters                          \
    {                                                           \
        *(void **)&next_##name = find_next(#name);              \
        return next_##name(__VA_ARGS__);                        \
    }

/* Defines a function that counts its calls; if MOVES is set, with its result as their bytes. */
#define COUNTED(type, name, moves, parameters, ...)             \
    NEXT(type, name, parameters, __VA_ARGS__)                   \
    type name parameters                                        \
    {                                                           \
        if (!is_counting())                                     \
            return next_##name(__VA_ARGS__);                    \
        type result = next_##name(__VA_ARGS__);                 \
        count(H5PERF_##name, fd, moves ? (ssize_t)result : 0);  \
        return result;                                          \
    }

COUNTED(ssize_t, pwrite, 1, (int fd, const void *memory, size_t bytes, off_t offset), fd, memory, bytes, offset)
COUNTED(ssize_t, pread, 1, (int fd, void *memory, size_t bytes, off_t offset), fd, memory, bytes, offset)
COUNTED(ssize_t, pwritev, 1, (int fd, const struct iovec *pieces, int n, off_t offset), fd, pieces, n, offset)
COUNTED(ssize_t, preadv, 1, (int fd, const struct iovec *pieces, int n, off_t offset), fd, pieces, n, offset)
COUNTED(ssize_t, write, 1, (int fd, const void *memory, size_t bytes), fd, memory, bytes)
COUNTED(ssize_t, read, 1, (int fd, void *memory, size_t bytes), fd, memory, bytes)
COUNTED(off_t, lseek, 0, (int fd, off_t offset, int from), fd, offset, from)
COUNTED(int, ftruncate, 0, (int fd, off_t bytes), fd, bytes)
COUNTED(int, fsync, 0, (int fd), fd)
COUNTED(int, flock, 0, (int fd, int how), fd, how)

NEXT(int, close, (int fd), fd)

int close(int fd)
{
    if (is_counting())
        count_close(fd);
    return next_close(fd);
}

NEXT(int, aio_write, (struct aiocb * request), request)

int aio_write(struct aiocb *request)
{
    if (is_counting())
        count(H5PERF_aio_write, request->aio_fildes, (ssize_t)request->aio_nbytes);
    return next_aio_write(request);
}

NEXT(int, aio_read, (struct aiocb * request), request)

int aio_read(struct aiocb *request)
{
    if (is_counting())
        count(H5PERF_aio_read, request->aio_fildes, (ssize_t)request->aio_nbytes);
    return next_aio_read(request);
}

/* Before 2.33, the C library has no function fstat that could be counted. */
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
COUNTED(int, fstat, 0, (int fd, struct stat *status), fd, status)
#endif

int open(const char *path, int flags, ...)
{
    static int (*next)(const char *, int, ...);
    mode_t mode = 0;
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    if (!next)
        *(void **)&next = find_next("open");
    int fd = next(path, flags, mode);
    if (is_counting() && strncmp(path, dir, strlen(dir)) == 0)
        count_open(fd);
    return fd;
}

/* Whether a command of fcntl locks a part of a file, or asks for locks. */
static int is_lock(int command)
{
    switch (command) {
    case F_SETLK:
    case F_SETLKW:
    case F_GETLK:
#ifdef F_OFD_SETLK
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
    case F_OFD_GETLK:
#endif
        return 1;
    }
    return 0;
}

int fcntl(int fd, int command, ...)
{
    static int (*next)(int, int, ...);
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *); /* some commands have none, or an int: then it is passed on all the same */
    va_end(list);
    if (!next)
        *(void **)&next = find_next("fcntl");
    int n = next(fd, command, argument);
    if (is_counting() && is_lock(command))
        count(H5PERF_fcntl, fd, 0);
    return n;
}

/* On systems with 64 bits, the functions for offsets of 64 bits are the same. */
#if defined __GLIBC__ && defined __OFF_T_MATCHES_OFF64_T
#define SAME_64(name) extern __typeof__(name) name##64 __attribute__((alias(#name)));
SAME_64(open)
SAME_64(pwrite)
SAME_64(pread)
SAME_64(pwritev)
SAME_64(preadv)
SAME_64(lseek)
SAME_64(ftruncate)
SAME_64(fcntl)

int aio_write64(struct aiocb64 *request) { return aio_write((struct aiocb *)request); }
int aio_read64(struct aiocb64 *request) { return aio_read((struct aiocb *)request); }
#if __GLIBC_PREREQ(2, 33)
int fstat64(int fd, struct stat64 *status) { return fstat(fd, (struct stat *)status); }
#endif
#endif
