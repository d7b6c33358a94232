#include "loop.h"

#include <errno.h>
#include <unistd.h>

/* Moves one run, in as many calls as the system needs. Returns 0 if the loop must end. */
static inline int move(h5perf_kernel *k, int fd, int op, unsigned char *buffer, uint64_t offset, uint64_t bytes)
{
    uint64_t moved = 0;
    while (moved < bytes) {
        if (*k->stop) {
            k->stopped = 1;
            return 0;
        }
        size_t rest = bytes - moved;
        ssize_t n = op == 0 ? pwrite(fd, buffer + moved, rest, (off_t)(offset + moved))
                            : pread(fd, buffer + moved, rest, (off_t)(offset + moved));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            h5perf_fail(k, n < 0 ? errno : 0, offset, bytes, moved);
            return 0;
        }
        h5perf_called(k);
        moved += (uint64_t)n;
        k->bytes += (uint64_t)n;
    }
    return 1;
}

/* Does the next n transfers of a regular move. Returns 0 if the loop must end. */
static int regular(h5perf_kernel *k, int fd, int op, uint64_t n)
{
    h5perf_call(k);
    for (; n > 0; n--) {
        if (!h5perf_begin(k, op == 0, n))
            return 0;
        unsigned char *buffer = h5perf_buffer(k);
        H5PERF_FOR_EACH_RUN(k, k->offset, offset, pos) {
            if (!move(k, fd, op, buffer + pos, offset, k->run_bytes))
                return 0;
        }
        h5perf_done(k);
    }
    return 1;
}

/* Moves a run that is not contiguous in memory. Returns 0 if the loop must end. */
static int packed(h5perf_kernel *k, int fd, int op, const h5perf_runs *r, unsigned char *memory, uint64_t offset)
{
    const h5perf_list *l = k->list;
    if (op == 0)
        h5perf_pack(l, r, memory, l->staging);
    h5perf_call(k); /* the latency does not include packing */
    if (!move(k, fd, op, l->staging, offset, r->bytes))
        return 0;
    if (op != 0)
        h5perf_unpack(l, r, memory, l->staging);
    return 1;
}

/* Does the next n transfers of a listed move. Returns 0 if the loop must end. */
static int listed(h5perf_kernel *k, int fd, int op, uint64_t n)
{
    const h5perf_list *l = k->list;
    for (; n > 0; n--) {
        if (!h5perf_begin_list(k, op == 0))
            return 0;
        for (const h5perf_runs *r = l->run, *end = r + l->runs; r < end; r++) {
            unsigned char *memory = h5perf_buffer(k) + r->memory;
            uint64_t offset = k->base + r->offset;
            h5perf_call(k);
            for (uint64_t i = 0; i < r->count; i++, memory += r->step, offset += r->stride) {
                if (!(r->pieces ? packed(k, fd, op, r, memory, offset) : move(k, fd, op, memory, offset, r->bytes)))
                    return 0;
            }
        }
        h5perf_done(k);
    }
    return 1;
}

static void one_move(h5perf_kernel *k, const int *fds, int distance, int op, uint64_t n, uint64_t datasets)
{
    while (datasets > 0 && (k->list ? listed : regular)(k, *fds, op, n) && --datasets > 0) {
        h5perf_next_dataset(k);
        fds += distance;
    }
}

uint64_t h5perf_posix(h5perf_kernel *const *k, uint64_t moves, const int *fds, int distance, int op,
                      uint64_t n, uint64_t datasets)
{
    uint64_t i = 0;
    for (;; i++) {
        one_move(k[i], fds, distance, op, n, datasets);
        if (i + 1 == moves || h5perf_ended_early(k[i]))
            return i;
    }
}
