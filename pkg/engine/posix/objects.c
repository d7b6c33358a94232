#define _GNU_SOURCE
#include "objects.h"

#include "calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* What an action needs beside the directory and the name. */
typedef struct {
    int shared, flags, top;
    unsigned format;
    const char *text;
    h5perf_names *new_names;
    uint64_t member;
    const char *call; /* set by the action: the function that failed */
} request;

/* Does something with an entry of a directory. Returns a descriptor or 0; -1 if it failed, with errno, which is 0 if
 * only the result is wrong. */
typedef int (*action)(int parent, const char *name, request *r);

static int open_entry(int parent, const char *name, request *r)
{
    r->call = "openat";
    int fd = openat(parent, name, r->flags | O_NOFOLLOW | O_CLOEXEC, 0600);
    h5perf_posix_opened(fd);
    return fd;
}

static int make_directory(int parent, const char *name, request *r)
{
    r->call = "mkdirat";
    h5perf_posix_named(H5PERF_mkdirat);
    if (mkdirat(parent, name, 0700) < 0 && !(r->shared && errno == EEXIST))
        return -1;
    return open_entry(parent, name, r);
}

static int make_symbolic_link(int parent, const char *name, request *r)
{
    r->call = "symlinkat";
    h5perf_posix_named(H5PERF_symlinkat);
    return symlinkat(r->text, parent, name) < 0 && !(r->shared && errno == EEXIST) ? -1 : 0;
}

static int make_hard_link(int parent, const char *name, request *r)
{
    r->call = "linkat";
    h5perf_posix_named(H5PERF_linkat);
    return linkat(r->top, r->text, parent, name, 0) < 0 && !(r->shared && errno == EEXIST) ? -1 : 0;
}

static int stat_entry(int parent, const char *name, request *r)
{
    struct stat s;
    r->call = "fstatat";
    h5perf_posix_named(H5PERF_fstatat);
    if (fstatat(parent, name, &s, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    errno = 0;
    return (s.st_mode & S_IFMT) == r->format ? 0 : -1;
}

static int rename_entry(int parent, const char *name, request *r)
{
    r->call = "renameat";
    h5perf_posix_named(H5PERF_renameat);
    return renameat(parent, name, parent, h5perf_name(r->new_names, r->member));
}

static int unlink_entry(int parent, const char *name, request *r)
{
    r->call = "unlinkat";
    h5perf_posix_named(H5PERF_unlinkat);
    return unlinkat(parent, name, r->flags);
}

/* Does one action for each member. fds may be NULL. */
static h5perf_posix_outcome all(h5perf_entries e, const int *parents, int *fds, action act, request r)
{
    h5perf_posix_outcome o = {0};
    r.shared = e.shared;
    r.member = e.first % e.each;
    while (o.done < e.count && !h5perf_stopped(e.stop)) {
        int fd = act(*parents, h5perf_name(e.names, r.member), &r);
        if (fd < 0 && errno == EINTR)
            continue;
        if (fd < 0) {
            o.call = r.call;
            o.code = errno;
            break;
        }
        if (fds)
            fds[o.done] = fd;
        o.done++;
        if (++r.member == e.each) {
            r.member = 0;
            parents++;
        }
    }
    return o;
}

h5perf_posix_outcome h5perf_make_directories(h5perf_entries e, const int *parents, int *fds)
{
    return all(e, parents, fds, make_directory, (request){.flags = O_RDONLY | O_DIRECTORY});
}

h5perf_posix_outcome h5perf_open_directories(h5perf_entries e, const int *parents, int *fds)
{
    return all(e, parents, fds, open_entry, (request){.flags = O_RDONLY | O_DIRECTORY});
}

h5perf_posix_outcome h5perf_make_files(h5perf_entries e, const int *parents, int *fds)
{
    return all(e, parents, fds, open_entry, (request){.flags = O_RDWR | O_CREAT | (e.shared ? 0 : O_EXCL)});
}

h5perf_posix_outcome h5perf_open_files(h5perf_entries e, const int *parents, int *fds, int writes)
{
    return all(e, parents, fds, open_entry, (request){.flags = writes ? O_RDWR : O_RDONLY});
}

h5perf_posix_outcome h5perf_close_all(int *fds, uint64_t count)
{
    h5perf_posix_outcome o = {0};
    for (uint64_t i = 0; i < count; i++) {
        if (close(fds[i]) < 0 && !o.call)
            o = (h5perf_posix_outcome){i, "close", errno};
        fds[i] = -1;
    }
    if (!o.call)
        o.done = count;
    return o;
}

h5perf_posix_outcome h5perf_make_links(h5perf_entries e, const int *parents, const char *text, int hard, int top)
{
    return all(e, parents, NULL, hard ? make_hard_link : make_symbolic_link, (request){.text = text, .top = top});
}

h5perf_posix_outcome h5perf_stat_all(h5perf_entries e, const int *parents, unsigned format)
{
    return all(e, parents, NULL, stat_entry, (request){.format = format});
}

h5perf_posix_outcome h5perf_rename_all(h5perf_entries e, const int *parents, h5perf_names *new_names)
{
    return all(e, parents, NULL, rename_entry, (request){.new_names = new_names});
}

h5perf_posix_outcome h5perf_unlink_all(h5perf_entries e, const int *parents, int directories)
{
    return all(e, parents, NULL, unlink_entry, (request){.flags = directories ? AT_REMOVEDIR : 0});
}

/* What is sought in a directory, and how much of it was found. */
typedef struct {
    h5perf_names *const *names;
    const uint64_t *each;
    int levels, visits;
    uint64_t found;
    const volatile int32_t *stop;
} listing;

static const char *list_one(int parent, const char *name, int level, int sought, listing *l);

/* Counts an entry, and lists it if it is a directory. Returns the function that failed, or NULL. */
static const char *list_entry(int parent, const char *name, int level, int sought, listing *l)
{
    struct stat s;
    sought = sought && level < l->levels && h5perf_has_name(l->names[level], name, strlen(name), l->each[level]);
    if (sought && level + 1 == l->levels)
        l->found++;
    if (!l->visits)
        return NULL;
    if (fstatat(parent, name, &s, AT_SYMLINK_NOFOLLOW) < 0)
        return "fstatat";
    return S_ISDIR(s.st_mode) ? list_one(parent, name, level + 1, sought, l) : NULL;
}

/* Lists a directory, at a level below the first one. sought says whether its path has the names of the levels. */
static const char *list_one(int parent, const char *name, int level, int sought, listing *l)
{
    const char *failed = NULL;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return "openat";
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return "fdopendir";
    }
    while (!failed && !h5perf_stopped(l->stop)) {
        errno = 0;
        const struct dirent *entry = readdir(d);
        if (!entry) {
            failed = errno ? "readdir" : NULL;
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            failed = list_entry(dirfd(d), entry->d_name, level, sought, l);
    }
    int code = errno;
    closedir(d);
    errno = code;
    return failed;
}

h5perf_posix_outcome h5perf_list_all(const int *directories, uint64_t count, h5perf_names *const *names,
                                     const uint64_t *each, int levels, int visits, uint64_t expected,
                                     const volatile int32_t *stop)
{
    h5perf_posix_outcome o = {0};
    listing l = {names, each, levels, visits, 0, stop};
    for (; o.done < count && !h5perf_stopped(stop); o.done++) {
        l.found = 0;
        o.call = list_one(directories[o.done], ".", 0, 1, &l);
        if (o.call) {
            o.code = errno;
            break;
        }
        if (h5perf_stopped(stop))
            break;
        if (l.found != expected) {
            o.call = "readdir";
            break;
        }
    }
    return o;
}
