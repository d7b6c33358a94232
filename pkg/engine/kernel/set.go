//go:build cgo

package kernel

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/workload"
)

// Set holds the kernels of a program, one for each move.
type Set struct {
	program *workload.Program
	kernels []*Kernel
	done    engine.Progress // of transfers that have ended
}

// NewSet makes the kernels of a program. See New.
func NewSet(env *engine.Env, program *workload.Program) (*Set, error) {
	s := &Set{program: program}
	for i := range program.Moves {
		k, err := New(env, &program.Moves[i])
		if err != nil {
			s.Free()
			return nil, err
		}
		s.kernels = append(s.kernels, k)
	}
	return s, nil
}

// Of returns the kernel of a move.
func (s *Set) Of(move int) *Kernel { return s.kernels[move] }

// Base returns the first byte of the dataset of a batch in a plain file.
func (s *Set) Base(b *workload.Batch) uint64 {
	object := &s.program.Objects[b.Object]
	return object.Base + b.First*object.Stride
}

// Begin starts the transfers that begin with a batch, if any do.
func (s *Set) Begin(b *workload.Batch) {
	if b.Move != workload.NoMove {
		k := s.kernels[b.Move]
		k.Begin(b.Op, s.Base(b), k.move.Ordinal(b.First, 0), b.Tag, b.Stamping)
	}
}

// End adds the transfers that end with a batch to what is done.
func (s *Set) End(b *workload.Batch) {
	if b.Move == workload.NoMove {
		return
	}
	p := s.Progress(b.Move)
	s.done.Transfers += p.Transfers
	s.done.Bytes += p.Bytes
	s.done.Calls += p.Calls
	s.done.SetViews += p.SetViews
}

// Done returns what transfers have done that have ended.
func (s *Set) Done() engine.Progress { return s.done }

// Progress returns what the transfers of a move have done since they began.
func (s *Set) Progress(move int) engine.Progress { return s.kernels[move].Progress() }

// Free frees the kernels.
func (s *Set) Free() {
	for _, k := range s.kernels {
		k.Free()
	}
	s.kernels = nil
}
