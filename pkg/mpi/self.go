package mpi

import (
	"time"
	"unsafe"
)

// Self is a communicator of one process, without MPI.
type Self struct{}

var _ Comm = Self{}

// Rank returns 0.
func (Self) Rank() int { return 0 }

// Size returns 1.
func (Self) Size() int { return 1 }

// Barrier returns at once.
func (Self) Barrier() {}

// Agree returns code and rank 0.
func (Self) Agree(code int, _ func() bool, _ time.Duration, _ WaitMode) (int, int, error) {
	return code, 0, nil
}

// Reduce returns the values of this process.
func (Self) Reduce(values []float64) []ReducedValue {
	out := make([]ReducedValue, len(values))
	for i, v := range values {
		out[i] = ReducedValue{Max: v, Min: v, Sum: v}
	}
	return out
}

// SumUint64 leaves the values unchanged.
func (Self) SumUint64([]uint64) {}

// Bcast returns data.
func (Self) Bcast(data []byte, _ int) []byte { return data }

// Gather returns data.
func (Self) Gather(data []byte) [][]byte { return [][]byte{data} }

// Signal does nothing: there is no other process.
func (Self) Signal(int, int) {}

// AwaitSignal returns false: there is no other process.
func (Self) AwaitSignal(int, func() bool) (int, bool) { return 0, false }

// Split returns s, or nil for a negative color.
func (s Self) Split(color, _ int) Comm {
	if color < 0 {
		return nil
	}
	return s
}

// SplitNode returns s.
func (s Self) SplitNode() Comm { return s }

// SplitFirst returns s.
func (s Self) SplitFirst(int) Comm { return s }

// SplitSelf returns s.
func (s Self) SplitSelf() Comm { return s }

// Free does nothing.
func (Self) Free() {}

// Handle returns nil: there is no MPI.
func (Self) Handle() unsafe.Pointer { return nil }

// Abort does nothing: there is no other process to end.
func (Self) Abort(int) {}
