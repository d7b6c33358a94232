//go:build cgo

// Package kerneltest gives tests access to the functions of h5perf_kernel.h. It exists because test files cannot use
// cgo.
package kerneltest

// #cgo CFLAGS: -I${SRCDIR}/../../engine -O2 -Wall -Wextra
// #include "walk.h"
import "C"

import (
	"unsafe"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/workload"
)

// Run is one run of a transfer: its offset in the file and its offset in the pool, in bytes.
type Run struct {
	Offset, Position uint64
}

// Walk does the next transfer without moving data and returns its runs. runs is the number expected, at least 1; runs
// beyond it are returned as zero values.
func Walk(k *engine.Kernel, runs uint64) []Run {
	offsets, positions := make([]uint64, runs), make([]uint64, runs)
	n := uint64(C.walk(pointer(k), (*C.uint64_t)(&offsets[0]), (*C.uint64_t)(&positions[0]), C.uint64_t(runs)))
	out := make([]Run, n)
	for i := range min(n, runs) {
		out[i] = Run{offsets[i], positions[i]}
	}
	return out
}

// Count does the next transfer without moving data and returns the number of its runs.
func Count(k *engine.Kernel) uint64 { return uint64(C.walk(pointer(k), nil, nil, 0)) }

// BeginDataset starts the transfers in a dataset at byte base of its file. ordinal is the number of the first transfer:
// see workload.Move.Ordinal.
//
// Implements: h5perf_begin_dataset
func BeginDataset(k *engine.Kernel, op workload.Op, base, ordinal, tag uint64, stamping bool) {
	stamps := C.int32_t(0)
	if stamping {
		stamps = 1
	}
	C.h5perf_begin_dataset(pointer(k), C.int(op), C.uint64_t(base), C.uint64_t(ordinal), C.uint64_t(tag), stamps)
}

// Begin starts the next transfer, with left transfers left in the batch, and reports whether it may be done.
//
// Implements: h5perf_begin
func Begin(k *engine.Kernel, write bool, left uint64) bool {
	op := C.int(0)
	if write {
		op = 1
	}
	return C.h5perf_begin(pointer(k), op, C.uint64_t(left)) != 0
}

// Done counts the transfer and advances to the next.
//
// Implements: h5perf_done
func Done(k *engine.Kernel) { C.h5perf_done(pointer(k)) }

// Stamp writes the stamp of a tag and a file offset to at, which must not be empty, and cuts it to the length of at.
func Stamp(at []byte, tag, offset uint64) {
	C.stamp_one((*C.uchar)(&at[0]), C.uint64_t(len(at)), C.uint64_t(tag), C.uint64_t(offset))
}

// Record adds a time in nanoseconds to a histogram.
//
// Implements: h5perf_hist_record
func Record(h *fill.Histogram, ns uint64) { C.record(unsafe.Pointer(h), C.uint64_t(ns)) }

// Tick returns the duration of a tick of the time stamp counter, in nanoseconds times 2^32; 0 if there is no counter.
//
// Implements: h5perf_tick
func Tick() uint64 { return uint64(C.h5perf_tick()) }

// Ticks returns the reading of the clock of data calls.
//
// Implements: h5perf_ticks
func Ticks(tick uint64) uint64 { return uint64(C.h5perf_ticks(C.uint64_t(tick))) }

// Nanoseconds converts ticks to nanoseconds.
//
// Implements: h5perf_nanoseconds
func Nanoseconds(tick, ticks uint64) uint64 {
	return uint64(C.h5perf_nanoseconds(C.uint64_t(tick), C.uint64_t(ticks)))
}

// Entries returns the number of entries for runs and for pieces in the list of a listed move.
func Entries(k *engine.Kernel) (runs, pieces int) {
	for _, r := range entries(k) {
		pieces += int(r.pieces)
		runs++
	}
	return runs, pieces
}

// Offsets returns where the runs of a listed move begin, in their order.
func Offsets(k *engine.Kernel) []uint64 {
	var all []uint64
	for _, r := range entries(k) {
		for i := range r.count {
			all = append(all, uint64(r.offset+i*r.stride))
		}
	}
	return all
}

func entries(k *engine.Kernel) []C.h5perf_runs {
	l := list(k)
	return unsafe.Slice(l.run, l.runs)
}

func list(k *engine.Kernel) *C.h5perf_list { return (*C.h5perf_list)(unsafe.Pointer(pointer(k).list)) }

// PackAll packs the first slot of a listed move and returns the staging buffer.
//
// Implements: h5perf_pack_all
func PackAll(k *engine.Kernel) []byte {
	l := list(k)
	C.h5perf_pack_all(l, pointer(k).pool)
	return unsafe.Slice((*byte)(l.staging), pointer(k).transfer_bytes)
}

// UnpackAll unpacks the staging buffer into the first slot of a listed move.
//
// Implements: h5perf_unpack_all
func UnpackAll(k *engine.Kernel) { C.h5perf_unpack_all(list(k), pointer(k).pool) }

// Guard guards the runs of a listed transfer, one after another in packed.
//
// Implements: h5perf_guard_list
func Guard(k *engine.Kernel, packed []byte) { C.h5perf_guard_list(pointer(k), (*C.uchar)(&packed[0])) }

// WasRead returns how many bytes of a listed transfer were read.
//
// Implements: h5perf_list_was_read
func WasRead(k *engine.Kernel, packed []byte) uint64 {
	return uint64(C.h5perf_list_was_read(pointer(k), (*C.uchar)(&packed[0])))
}

func pointer(k *engine.Kernel) *C.h5perf_kernel { return (*C.h5perf_kernel)(k.Pointer()) }
