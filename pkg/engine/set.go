//go:build cgo

package engine

// #include <stdlib.h>
// #include "h5perf_list.h"
import "C"

import (
	"unsafe"

	"h5perf/pkg/workload"
)

// KernelSet holds the kernels of a program, one for each move.
type KernelSet struct {
	program  *workload.Program
	kernels  []*Kernel
	pointers []*C.h5perf_kernel // by move; in C memory
	ended    C.h5perf_progress  // sums over the transfers that have ended
	staging  []byte             // buffer for packing, shared by all listed moves
}

// NewKernelSet makes the kernels of a program. It has the same requirements and errors as NewKernel.
func NewKernelSet(env *Env, program *workload.Program) (*KernelSet, error) {
	n := len(program.Moves)
	s := &KernelSet{
		program:  program,
		pointers: NewPointers[C.h5perf_kernel](n),
	}
	for i := range program.Moves {
		k, err := NewKernel(env, &program.Moves[i])
		if err != nil {
			s.Free()
			return nil, err
		}
		object := &program.Objects[k.move.Object]
		k.c.family, k.c.stride = C.uint64_t(object.Base), C.uint64_t(object.Stride)
		s.kernels, s.pointers[i] = append(s.kernels, k), k.c
	}
	return s, nil
}

// KernelOf returns the kernel of a move.
func (s *KernelSet) KernelOf(move int) *Kernel { return s.kernels[move] }

// Pointers returns the address of the first of consecutive pointers to h5perf_kernel: those of a move and of the moves
// after it. They are in C memory.
func (s *KernelSet) Pointers(move int) unsafe.Pointer { return unsafe.Pointer(&s.pointers[move]) }

// BeginBatch starts the transfers of the moves of a batch, if it has any, at its first dataset. With b.Stamping, the
// loop stamps each buffer with b.Tag before it writes the buffer, and expects such stamps in the data that it reads.
func (s *KernelSet) BeginBatch(b *workload.Batch) {
	if b.Move != workload.NoMove {
		C.h5perf_begin_moves(&s.pointers[b.Move], C.uint64_t(b.NumMoves()), C.uint64_t(b.First), C.int(b.Op),
			C.uint64_t(b.Tag),
			flagToC(b.Stamping))
	}
}

// EndBatch ends the transfers of the moves of a batch, if it has any: it adds what they have done to EndedProgress.
func (s *KernelSet) EndBatch(b *workload.Batch) {
	if b.Move == workload.NoMove {
		return
	}
	C.h5perf_add_progress(&s.pointers[b.Move], C.uint64_t(b.NumMoves()), &s.ended)
}

// TransferBatch calls do, which does the transfers of a batch of class Transfer, in a number of datasets. If
// b.BeginsAndEnds is set, it calls BeginBatch before do and EndBatch after do, also if do fails.
func (s *KernelSet) TransferBatch(b *workload.Batch, do func(datasets uint64) error) error {
	if !b.BeginsAndEnds {
		return do(1)
	}
	s.BeginBatch(b)
	defer s.EndBatch(b)
	return do(b.Count)
}

// EndedProgress returns the sums of calls, bytes and other counts over all transfers that have ended.
func (s *KernelSet) EndedProgress() Progress {
	return Progress{
		Transfers: uint64(s.ended.transfers), Bytes: uint64(s.ended.bytes), Calls: uint64(s.ended.calls),
		SetViews: uint64(s.ended.set_views),
	}
}

// Progress counts what the transfers of a move have done since they began.
func (s *KernelSet) Progress(move int) Progress { return s.kernels[move].Progress() }

// Free frees the kernels and the staging buffer.
func (s *KernelSet) Free() {
	for _, k := range s.kernels {
		k.Free()
	}
	FreePointers(s.pointers)
	s.kernels, s.pointers = nil, nil
	if s.staging != nil {
		_ = UnmapMemory(s.staging) // cannot fail: MapMemory returned it
		s.staging = nil
	}
}

// NewPointers returns a slice of n pointers in C memory, which are nil. If a C function gets the address of one of
// them, cgo need not check them all, as it would in Go memory. They must point to C memory. Free them with
// FreePointers.
func NewPointers[T any](n int) []*T {
	p := C.calloc(C.size_t(max(n, 1)), C.size_t(unsafe.Sizeof(uintptr(0)))) // without memory, cgo ends the program
	return unsafe.Slice((**T)(p), n)
}

// FreePointers frees what NewPointers returned, but not what the pointers point to.
func FreePointers[T any](all []*T) { C.free(unsafe.Pointer(unsafe.SliceData(all))) }
