/* A communicator in C memory: MPI keeps pointers to its agreement while that is under way. */
#ifndef H5PERF_MPI_STATE_H
#define H5PERF_MPI_STATE_H

#ifdef __has_include
#if !__has_include(<mpi.h>)
#error "h5perf: no mpi.h in the include path: use make build FLAVOUR=openmpi|mpich, or FLAVOUR=serial for a program without MPI"
#endif
#endif
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
