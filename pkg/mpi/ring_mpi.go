//go:build cgo && !nompi

package mpi

// #include "h5perf_mpi.h"
import "C"

import (
	"fmt"
	"time"
)

// Ring sends a message of the given size in bytes from each process of c to the next, and from the last to the first.
// It checks that the messages arrive unchanged, and returns how long this took on this process. The time does not
// measure speed, because all processes send at the same time and wait for each other. If the messages have not arrived
// after the time limit, Ring returns ErrNoAgreement; the job can then only be aborted. Without MPI (c.Handle returns
// nil) it does nothing. Collective.
func Ring(c Comm, bytes int, limit time.Duration) (time.Duration, error) {
	if c.Handle() == nil {
		return 0, nil
	}
	var took C.double
	before := (c.Rank() + c.Size() - 1) % c.Size()
	right := C.h5perf_mpi_ring((*C.MPI_Comm)(c.Handle()), C.int(bytes), C.double(limit.Seconds()), &took)
	switch {
	case right < 0:
		return 0, fmt.Errorf("message of %d bytes from rank %d to rank %d, or from there to the next rank: %w after %v",
			bytes, before, c.Rank(), ErrNoAgreement, limit)
	case int(right) < bytes:
		return 0, fmt.Errorf("message of %d bytes from rank %d to rank %d: byte %d arrived wrong", bytes, before,
			c.Rank(), right)
	}
	return time.Duration(float64(took) * float64(time.Second)), nil
}
