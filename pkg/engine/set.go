//go:build cgo

package engine

// #include "h5perf_list.h"
import "C"

import (
	"h5perf/pkg/workload"
)

// KernelSet holds the kernels of a program, one for each move.
type KernelSet struct {
	program       *workload.Program
	kernels       []*Kernel
	endedProgress Progress // sum over the transfers that have ended
	staging       []byte   // buffer for packing, shared by all listed moves
}

// NewKernelSet makes the kernels of a program. It has the same requirements and errors as NewKernel.
func NewKernelSet(env *Env, program *workload.Program) (*KernelSet, error) {
	s := &KernelSet{program: program}
	for i := range program.Moves {
		k, err := NewKernel(env, &program.Moves[i])
		if err != nil {
			s.Free()
			return nil, err
		}
		k.c.stride = C.uint64_t(program.Objects[k.move.Object].Stride)
		s.kernels = append(s.kernels, k)
	}
	return s, nil
}

// KernelOf returns the kernel of a move.
func (s *KernelSet) KernelOf(move int) *Kernel { return s.kernels[move] }

func (s *KernelSet) datasetOffset(family int, b *workload.Batch) uint64 {
	object := &s.program.Objects[family]
	return object.Base + b.First*object.Stride
}

// BeginBatch starts the transfers of the move b.Move, if the batch has a move.
func (s *KernelSet) BeginBatch(b *workload.Batch) {
	if b.Move != workload.NoMove {
		s.BeginMove(b.Move, b)
	}
}

// BeginMove starts the transfers of a move at the first dataset of a batch.
func (s *KernelSet) BeginMove(move int, b *workload.Batch) {
	k := s.kernels[move]
	k.Begin(b.Op, s.datasetOffset(k.move.Object, b), k.move.Ordinal(b.First, 0), b.Tag, b.Stamping)
}

// EndBatch ends the transfers of the move b.Move, if the batch has a move: it adds what they have done to
// EndedProgress.
func (s *KernelSet) EndBatch(b *workload.Batch) {
	if b.Move != workload.NoMove {
		s.EndMove(b.Move)
	}
}

// EndMove ends the transfers of a move: it adds what they have done to EndedProgress.
func (s *KernelSet) EndMove(move int) {
	p := s.Progress(move)
	s.endedProgress.Transfers += p.Transfers
	s.endedProgress.Bytes += p.Bytes
	s.endedProgress.Calls += p.Calls
	s.endedProgress.SetViews += p.SetViews
}

// TransferMoves calls do for each move of a batch of class Transfer, with the number of datasets, until do fails. If
// b.BeginsAndEnds is set, it calls BeginMove before do and EndMove after do, also if do fails.
func (s *KernelSet) TransferMoves(b *workload.Batch, do func(move int, datasets uint64) error) error {
	if !b.BeginsAndEnds {
		return do(b.Move, 1)
	}
	for move := range b.Moves() {
		s.BeginMove(move, b)
		err := do(move, b.Count)
		s.EndMove(move)
		if err != nil {
			return err
		}
	}
	return nil
}

// EndedProgress returns the sums of calls, bytes and other counts over all transfers that have ended.
func (s *KernelSet) EndedProgress() Progress { return s.endedProgress }

// Progress counts what the transfers of a move have done since they began.
func (s *KernelSet) Progress(move int) Progress { return s.kernels[move].Progress() }

// Free frees the kernels and the staging buffer.
func (s *KernelSet) Free() {
	for _, k := range s.kernels {
		k.Free()
	}
	s.kernels = nil
	if s.staging != nil {
		_ = UnmapMemory(s.staging) // cannot fail: MapMemory returned it
		s.staging = nil
	}
}
