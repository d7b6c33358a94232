#include "loop.h"

#include <errno.h>
#include <unistd.h>

/* Moves one run, in as many calls as the system needs. Returns 0 if the loop must end. */
static inline int move(h5perf_kernel *k, int fd, int op, unsigned char *buffer, uint64_t offset)
{
    uint64_t moved = 0;
    while (moved < k->run_bytes) {
        if (*k->stop) {
            k->stopped = 1;
            return 0;
        }
        size_t rest = k->run_bytes - moved;
        ssize_t n = op == 0 ? pwrite(fd, buffer + moved, rest, (off_t)(offset + moved))
                            : pread(fd, buffer + moved, rest, (off_t)(offset + moved));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            h5perf_fail(k, n < 0 ? errno : 0, offset, k->run_bytes, moved);
            return 0;
        }
        h5perf_called(k);
        moved += (uint64_t)n;
        k->bytes += (uint64_t)n;
    }
    return 1;
}

void h5perf_posix(h5perf_kernel *k, int fd, int op, uint64_t n)
{
    h5perf_call(k);
    for (; n > 0 && h5perf_begin(k, op == 0, n); n--) {
        unsigned char *buffer = h5perf_buffer(k);
        H5PERF_FOR_EACH_RUN(k, k->offset, offset, pos) {
            if (!move(k, fd, op, buffer + pos, offset))
                return;
        }
        h5perf_done(k);
    }
}
