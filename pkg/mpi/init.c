//go:build cgo && !nompi

#include <signal.h>
#include <stdlib.h>
#include "h5perf_mpi.h"

static struct sigaction before[NSIG];

/* Restores the handlers of signals for which MPI has installed a handler without SA_ONSTACK. Such a handler would run
 * on the stack of a goroutine, and the Go runtime would end the program (as with MPICH's handler of SIGUSR1). */
int h5perf_mpi_init(int wanted, int *provided)
{
    for (int s = 1; s < NSIG; s++)
        sigaction(s, NULL, &before[s]);
    int rc = MPI_Init_thread(NULL, NULL, wanted, provided);
    for (int s = 1; s < NSIG; s++) {
        struct sigaction now;
        if (sigaction(s, NULL, &now) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN &&
            !(now.sa_flags & SA_ONSTACK))
            sigaction(s, &before[s], NULL);
    }
    return rc;
}

int h5perf_mpi_duplicate_world(MPI_Comm *out) { return MPI_Comm_dup(MPI_COMM_WORLD, out); }
