//go:build cgo

// Package kerneltest shows tests what the loops of h5perf_kernel.h do, because test files cannot hold C.
package kerneltest

// #cgo CFLAGS: -I${SRCDIR}/.. -O2 -Wall -Wextra
// #include "h5perf_kernel.h"
//
// static uint64_t walk(h5perf_kernel *k, uint64_t *offsets, uint64_t *positions, uint64_t room) {
//     uint64_t n = 0;
//     H5PERF_FOR_EACH_RUN(k, k->offset, offset, pos) {
//         if (n < room) { offsets[n] = offset; positions[n] = (uint64_t)(h5perf_buffer(k) + pos - k->pool); }
//         n++;
//     }
//     h5perf_done(k);
//     return n;
// }
//
// static int begin(h5perf_kernel *k, int write) { return h5perf_begin(k, write); }
// static void done(h5perf_kernel *k) { h5perf_done(k); }
// static void stamp_one(unsigned char *at, uint64_t room, uint64_t tag, uint64_t offset) {
//     h5perf_stamp_one(at, room, h5perf_mix(tag), offset);
// }
import "C"

import (
	"h5perf/pkg/engine/kernel"
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

// Begin begins the next transfer and tells whether it may be done.
func Begin(k *kernel.Kernel, write bool) bool {
	op := C.int(0)
	if write {
		op = 1
	}
	return C.begin(pointer(k), op) != 0
}

// Done ends the transfer.
func Done(k *kernel.Kernel) { C.done(pointer(k)) }

// Stamp writes the stamp of a place into all of at, which must not be empty.
func Stamp(at []byte, tag, offset uint64) {
	C.stamp_one((*C.uchar)(&at[0]), C.uint64_t(len(at)), C.uint64_t(tag), C.uint64_t(offset))
}

func pointer(k *kernel.Kernel) *C.h5perf_kernel { return (*C.h5perf_kernel)(k.Pointer()) }
