/* The transfer loop of the POSIX engine. */
#ifndef H5PERF_POSIX_H
#define H5PERF_POSIX_H

#include "h5perf_list.h"

/* For one move after another, does the next n transfers of each of the given number of datasets: with pwrite if op is
 * 0 (workload.Write), else with pread. fds[0] is the file of the first dataset, and the one of the next dataset is
 * `distance` after it: 0 if one file holds all. Ends early if the stop flag is set or a call fails. The code of the
 * failure is errno, or -1 if the call moved nothing without an error. Returns the index of the last move. */
uint64_t h5perf_posix(h5perf_kernel *const *k, uint64_t moves, const int *fds, int distance, int op,
                      uint64_t n, uint64_t datasets);

#endif
