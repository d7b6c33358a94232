#ifndef H5PERF_CLOSED_H
#define H5PERF_CLOSED_H

/* Reports whether a standard stream was closed when the process began. */
int h5perf_closed_at_start(int fd);

#endif
