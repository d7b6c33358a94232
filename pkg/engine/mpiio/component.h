/* Which implementation of MPI-IO Open MPI uses. */
#ifndef H5PERF_COMPONENT_H
#define H5PERF_COMPONENT_H

enum { H5PERF_IO_ROOM = 4096 };

/* The value of Open MPI's parameter "io", from wherever it was set; returns 0 when there is none. Its parts know it when the
 * first file was opened. */
int h5perf_io_parameter(char value[H5PERF_IO_ROOM]);

#endif
