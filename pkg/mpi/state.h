/* A communicator in C memory: MPI keeps pointers to its agreement while that is under way. */
#ifndef H5PERF_MPI_STATE_H
#define H5PERF_MPI_STATE_H

#include <mpi.h>

typedef struct {
    int code, rank; /* the layout of MPI_2INT */
} h5perf_vote;

typedef struct {
    MPI_Comm comm;
    h5perf_vote mine, highest;
    MPI_Request request;
} h5perf_comm;

#endif
