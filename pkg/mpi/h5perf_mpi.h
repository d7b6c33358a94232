/* Functions of MPI that gompi lacks, and a communicator in C memory: MPI keeps pointers to its vote during a vote. */
#ifndef H5PERF_MPI_H
#define H5PERF_MPI_H

#ifdef __has_include
#if !__has_include(<mpi.h>)
#error "h5perf: no mpi.h in the include path: use make build FLAVOUR=openmpi|mpich, or FLAVOUR=serial for a program \
without MPI"
#endif
#endif
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int code, rank; /* the layout of MPI_2INT */
} h5perf_vote;

typedef struct {
    MPI_Comm comm;
    h5perf_vote mine, highest;
    MPI_Request request;
} h5perf_comm;

typedef struct {
    double value;
    int rank; /* the layout of MPI_DOUBLE_INT */
} h5perf_place;

/* init.c */

/* Calls MPI_Init_thread, and then restores signal handlers that do not work with the Go runtime. Returns an MPI error
 * code. */
int h5perf_mpi_init(int wanted, int *provided);
int h5perf_mpi_duplicate_world(MPI_Comm *out);

/* comm.c: collectives. */

void h5perf_comm_barrier(const h5perf_comm *c);
/* Sets each place to the highest value on any process, and the lowest rank that has this value. */
void h5perf_comm_highest(const h5perf_comm *c, h5perf_place *p, int n);
void h5perf_comm_sum(const h5perf_comm *c, double *v, int n);
void h5perf_comm_sum_uint64(const h5perf_comm *c, uint64_t *v, int n);
void h5perf_comm_bcast(const h5perf_comm *c, void *data, uint64_t n, int root);
void h5perf_comm_gather_length(const h5perf_comm *c, int length, int *lengths);
void h5perf_comm_gather(const h5perf_comm *c, const void *data, int n, void *out, const int *lengths, const int *at);
/* Returns 0 for a negative color: then there is no new communicator. */
int h5perf_comm_split(const h5perf_comm *c, int color, int key, h5perf_comm *out);
void h5perf_comm_split_node(const h5perf_comm *c, int key, h5perf_comm *out);
/* Makes a communicator of the first n processes. Only these take part. */
void h5perf_comm_first(const h5perf_comm *c, int n, h5perf_comm *out);
/* Makes a communicator of this process alone. */
void h5perf_comm_alone(h5perf_comm *out);
void h5perf_comm_order(const h5perf_comm *c, int *rank, int *size);
void h5perf_comm_free(h5perf_comm *c);

/* agree.c */

void h5perf_comm_vote(h5perf_comm *c, int code, int rank);
/* Waits for the end of a vote, for at most `slice` nanoseconds. `waited` is the time in nanoseconds that earlier
 * calls have waited for it. If `sleeps` is set, it sleeps between checks, see h5perf_comm_nap; otherwise it yields
 * its processor to other processes. Returns 1 if the vote has ended, otherwise 0. */
int h5perf_comm_wait_vote(h5perf_comm *c, int64_t waited, int64_t slice, int sleeps);
/* Returns how long h5perf_comm_wait_vote sleeps before its next check, in nanoseconds; 0: it does not sleep. */
int64_t h5perf_comm_nap(int64_t waited);
void h5perf_comm_signal(const h5perf_comm *c, int to, int code);
/* Waits for a code from a process, for at most `slice` nanoseconds, and yields its processor to other processes.
 * Returns 1 if the code has come, otherwise 0; then MPI keeps no pointer to `code`. */
int h5perf_comm_wait_signal(const h5perf_comm *c, int from, int64_t slice, int *code);

/* facts.c */

/* The path of the MPI library in use, and the version string of the PMIx library that it has loaded; "" if there is
 * none. */
const char *h5perf_mpi_file(void);
const char *h5perf_mpi_pmix(void);
/* Stores the string from MPI_Get_library_version, at most MPI_MAX_LIBRARY_VERSION_STRING bytes. Returns its length.
 * */
int h5perf_mpi_library(char *text);
int h5perf_mpi_thread_level(void);

/* info.c. Errors end the job, which is the default of MPI. */

/* sizes of buffers, with the terminating null character */
enum { H5PERF_INFO_KEY = MPI_MAX_INFO_KEY + 1, H5PERF_INFO_VALUE = MPI_MAX_INFO_VAL + 1 };

/* Makes an MPI_Info without keys if `some` is not 0, otherwise MPI_INFO_NULL. */
void h5perf_info_create(MPI_Info *info, int some);
void h5perf_info_set(const MPI_Info *info, const char *key, const char *value);
/* Returns the number of keys; -1 for MPI_INFO_NULL. */
int h5perf_info_keys(const MPI_Info *info);
/* Stores the key and the value of hint n, counted from 0. */
void h5perf_info_get(const MPI_Info *info, int n, char *key, char *value);
void h5perf_info_free(MPI_Info *info);
/* MPI_File_get_info; `file` points to an MPI_File. Returns an MPI error code. */
int h5perf_info_of_file(const void *file, MPI_Info *info);

/* ring.c */

/* Sends n bytes to the next process and receives n bytes from the previous process, within `limit` seconds. Returns
 * the number of bytes before the first wrong one, and sets `took` to the time in seconds. Returns -1 if the bytes did
 * not arrive in time; then MPI keeps the buffers. */
int h5perf_mpi_ring(const MPI_Comm *comm, int n, double limit, double *took);

#endif
