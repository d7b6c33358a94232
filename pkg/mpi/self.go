package mpi

import (
	"time"
	"unsafe"
)

// Self is the communicator of one process without MPI.
type Self struct{}

var _ Comm = Self{}

// Rank is 0.
func (Self) Rank() int { return 0 }

// Size is 1.
func (Self) Size() int { return 1 }

// Barrier returns at once.
func (Self) Barrier() {}

// Agree returns the process's own code.
func (Self) Agree(code int, _ func() bool, _ time.Duration) (int, int, error) { return code, 0, nil }

// Reduce returns the process's own values.
func (Self) Reduce(values []float64) []Extremes {
	out := make([]Extremes, len(values))
	for i, v := range values {
		out[i] = Extremes{Max: v, Min: v, Sum: v}
	}
	return out
}

// SumUint64 leaves the values as they are.
func (Self) SumUint64([]uint64) {}

// Bcast returns data.
func (Self) Bcast(data []byte, _ int) []byte { return data }

// Gather returns data.
func (Self) Gather(data []byte) [][]byte { return [][]byte{data} }

// Split returns the process itself, or nil for a negative color.
func (s Self) Split(color, _ int) Comm {
	if color < 0 {
		return nil
	}
	return s
}

// SplitNode returns the process itself.
func (s Self) SplitNode() Comm { return s }

// Free does nothing.
func (Self) Free() {}

// Handle is nil.
func (Self) Handle() unsafe.Pointer { return nil }

// Abort returns: there is no other process to end.
func (Self) Abort(int) {}
