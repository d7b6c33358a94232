/* The implementation of MPI-IO that Open MPI uses. */
#ifndef H5PERF_COMPONENT_H
#define H5PERF_COMPONENT_H

enum { H5PERF_IO_ROOM = 4096 };

/* Stores the value of Open MPI's parameter "io", wherever it was set. Returns 0 if there is no such parameter. Opens
 * /dev/null if needed, because the library knows the parameter only after it has opened a file. */
int h5perf_io_parameter(char value[H5PERF_IO_ROOM]);

#endif
