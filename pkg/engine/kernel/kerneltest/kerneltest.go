//go:build cgo

// Package kerneltest shows tests what the loops of h5perf_kernel.h do, because test files cannot hold C.
package kerneltest

// #cgo CFLAGS: -I${SRCDIR}/.. -O2 -Wall -Wextra
// #include "walk.h"
import "C"

import (
	"unsafe"

	"h5perf/pkg/engine/kernel"
	"h5perf/pkg/hist"
)

// Run is one run of a transfer: its offset in the file and its place in the pool.
type Run struct {
	Offset, Position uint64
}

// Walk does the next transfer without moving data and returns its runs, of which there must be some.
func Walk(k *kernel.Kernel, runs uint64) []Run {
	offsets, positions := make([]uint64, runs), make([]uint64, runs)
	n := uint64(C.walk(pointer(k), (*C.uint64_t)(&offsets[0]), (*C.uint64_t)(&positions[0]), C.uint64_t(runs)))
	out := make([]Run, n) // those beyond the number expected are zero
	for i := range min(n, runs) {
		out[i] = Run{offsets[i], positions[i]}
	}
	return out
}

// Count does the next transfer without moving data and returns the number of its runs.
func Count(k *kernel.Kernel) uint64 { return uint64(C.walk(pointer(k), nil, nil, 0)) }

// Begin begins the next transfer, of so many left in a batch, and tells whether it may be done.
func Begin(k *kernel.Kernel, write bool, left uint64) bool {
	op := C.int(0)
	if write {
		op = 1
	}
	return C.h5perf_begin(pointer(k), op, C.uint64_t(left)) != 0
}

// Done ends the transfer.
func Done(k *kernel.Kernel) { C.h5perf_done(pointer(k)) }

// Stamp writes the stamp of a place into all of at, which must not be empty.
func Stamp(at []byte, tag, offset uint64) {
	C.stamp_one((*C.uchar)(&at[0]), C.uint64_t(len(at)), C.uint64_t(tag), C.uint64_t(offset))
}

// Record counts a time.
func Record(h *hist.Histogram, ns uint64) { C.record(unsafe.Pointer(h), C.uint64_t(ns)) }

// Tick is how long a tick of the counter of the processor is; 0: there is none.
func Tick() uint64 { return uint64(C.h5perf_tick()) }

// Ticks is the clock of data calls.
func Ticks(tick uint64) uint64 { return uint64(C.h5perf_ticks(C.uint64_t(tick))) }

// Nanoseconds are how long ticks take.
func Nanoseconds(tick, ticks uint64) uint64 {
	return uint64(C.h5perf_nanoseconds(C.uint64_t(tick), C.uint64_t(ticks)))
}

func pointer(k *kernel.Kernel) *C.h5perf_kernel { return (*C.h5perf_kernel)(k.Pointer()) }
