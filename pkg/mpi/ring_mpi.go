//go:build cgo && !nompi

package mpi

// #include "h5perf_mpi.h"
import "C"

import (
	"fmt"
	"time"
)

// Ring sends so many bytes from each process of c to the next, the last one's to the first, and compares what comes with
// what was sent. It returns how long that took here, which tells of no speed: all do it at a time, and wait for each other.
// It waits no longer than limit; after that error, the job can only be aborted. Without MPI (c.Handle is nil) it does
// nothing. Collective.
func Ring(c Comm, bytes int, limit time.Duration) (time.Duration, error) {
	if c.Handle() == nil {
		return 0, nil
	}
	var took C.double
	before := (c.Rank() + c.Size() - 1) % c.Size()
	right := C.h5perf_mpi_ring((*C.MPI_Comm)(c.Handle()), C.int(bytes), C.double(limit.Seconds()), &took)
	switch {
	case right < 0:
		return 0, fmt.Errorf("%d bytes from rank %d to rank %d, or from there to the next: %w after %v", bytes, before, c.Rank(), ErrNoAgreement, limit)
	case int(right) < bytes:
		return 0, fmt.Errorf("of %d bytes from rank %d the one at %d came wrong to rank %d", bytes, before, right, c.Rank())
	}
	return time.Duration(float64(took) * float64(time.Second)), nil
}
