/* Objects that are files of their own: groups are directories, datasets are files, and links are links. */
#ifndef H5PERF_POSIX_OBJECTS_H
#define H5PERF_POSIX_OBJECTS_H

#include "h5perf_names.h"

/* Members first to first + count - 1 of a family, with `each` members in each directory. parents[0] is the descriptor
 * of the directory that holds member first. */
typedef struct {
    h5perf_names *names;
    uint64_t each, first, count;
    const volatile int32_t *stop;
    int shared; /* other processes do the same at the same time: what exists already is no failure */
} h5perf_entries;

/* The result of a call for one object after another, until one fails or the stop flag is set. */
typedef struct {
    uint64_t done;    /* number of objects done: the index of the one that failed */
    const char *call; /* function that failed; NULL: no failure */
    int code;         /* errno of the failure; 0: the function reported success, but its result is wrong */
} h5perf_posix_outcome;

/* Create and open store the descriptors of the objects in fds. Directories are opened to be read. */
h5perf_posix_outcome h5perf_make_directories(h5perf_entries e, const int *parents, int *fds);
h5perf_posix_outcome h5perf_open_directories(h5perf_entries e, const int *parents, int *fds);
h5perf_posix_outcome h5perf_make_files(h5perf_entries e, const int *parents, int *fds);
h5perf_posix_outcome h5perf_open_files(h5perf_entries e, const int *parents, int *fds, int writes);
/* Closes all descriptors, also after a failure, and sets them to -1. */
h5perf_posix_outcome h5perf_close_all(int *fds, uint64_t count);
/* A symbolic link with this text; or a hard link to the object at this path from the directory top on. */
h5perf_posix_outcome h5perf_make_links(h5perf_entries e, const int *parents, const char *text, int hard, int top);
/* format is what the objects must be: S_IFDIR, S_IFREG or S_IFLNK. */
h5perf_posix_outcome h5perf_stat_all(h5perf_entries e, const int *parents, unsigned format);
h5perf_posix_outcome h5perf_rename_all(h5perf_entries e, const int *parents, h5perf_names *new_names);
h5perf_posix_outcome h5perf_unlink_all(h5perf_entries e, const int *parents, int directories);
/* Lists directories, each of which must hold `expected` members of a family, `levels` levels below it. Level i has the
 * names names[i], each[i] of them in a directory. If visits is not 0, it lists all directories below, too, and asks for
 * the status of each entry. */
enum { H5PERF_MAXLEVELS = 64 };
h5perf_posix_outcome h5perf_list_all(const int *directories, uint64_t count, h5perf_names *const *names,
                                     const uint64_t *each, int levels, int visits, uint64_t expected,
                                     const volatile int32_t *stop);

#endif
