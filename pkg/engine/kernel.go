//go:build cgo

// This file keeps the state of a transfer loop in C memory. Engines pass the pointer to the state to their own C loop,
// which includes h5perf_kernel.h. One call of the loop does a whole batch of transfers.

package engine

// #cgo CFLAGS: -O2 -Wall -Wextra
// #include <stdlib.h>
// #include "h5perf_list.h"
import "C"

import (
	"embed"
	"errors"
	"fmt"
	"unsafe"

	"h5perf/pkg/workload"
)

// The go command does not track headers in other folders. The headers are embedded, so that a changed header rebuilds
// this package and the engines, which import this package and include the header.
//
//go:embed h5perf_kernel.h h5perf_list.h h5perf_hist.h h5perf_clock.h h5perf_calls.h
var _ embed.FS

// Kernel holds the state of the loop in C that does the transfers of a move.
type Kernel struct {
	c    *C.h5perf_kernel
	move *workload.Move
}

// NewKernel makes the kernel of a move. The buffers of the move and env.Latency must be outside of the Go heap (see
// MapMemory and NewLatencyHistogram), and must not be freed before the kernel is freed. NewKernel returns an error if
// the pattern has too many loops, or does not fit the buffer.
func NewKernel(env *Env, move *workload.Move) (*Kernel, error) {
	size := C.size_t(C.sizeof_h5perf_kernel)
	if move.Listed {
		size = C.H5PERF_LISTED_KERNEL
	}
	c := (*C.h5perf_kernel)(C.calloc(1, size))
	if c == nil {
		return nil, errors.New("calloc of a transfer kernel: out of memory")
	}
	k := &Kernel{c, move}
	set := k.setRegular
	if move.Listed { // regular and listed moves set different fields; other code checks whether the kernel has a list
		set = k.setListed
	}
	if err := set(); err != nil {
		k.Free()
		return nil, err
	}
	buf := &move.Buffer
	c.transfers, c.transfer_bytes = C.uint64_t(move.NumTransfers()), C.uint64_t(move.TransferBytes())
	c.pool, c.slot_bytes = (*C.uchar)(unsafe.Pointer(unsafe.SliceData(buf.Pool))), C.uint64_t(buf.SlotBytes)
	c.grain = C.uint64_t(buf.Grain)
	for op := range c.op_slots {
		// a process that moves nothing may have none
		c.op_slots[op] = C.uint64_t(max(buf.SlotsUsedBy(workload.Op(op)), 1))
	}
	c.stop, c.latency = (*C.int32_t)(env.Stop.Pointer()), (*C.h5perf_hist)(unsafe.Pointer(env.Latency))
	if env.Latency != nil {
		c.tick = C.uint64_t(tickDuration())
	}
	c.zeros, c.compared = flagToC(env.DataMayBeZeros), flagToC(env.HarnessComparesReads)
	return k, nil
}

// setRegular sets the fields that only a regular move has: loops, runs and stamps.
func (k *Kernel) setRegular() error {
	c, seq, nest, buf := k.c, k.move.Sequence, k.move.Nest, k.move.Buffer
	if n := len(nest.Transfers); n > C.H5PERF_MAXDIM {
		return fmt.Errorf("the order of the transfers needs %d nested loops, but the maximum is %d", n, C.H5PERF_MAXDIM)
	}
	if n := len(nest.Runs); n > C.H5PERF_MAXLEVEL {
		return fmt.Errorf("the pieces of a transfer need %d nested loops, but the maximum is %d", n, C.H5PERF_MAXLEVEL)
	}
	if bytes := nest.RunsPerTransfer() * nest.RunBytes; bytes != seq.TransferBytes() || buf.SlotBytes != bytes {
		return fmt.Errorf("a transfer has %d bytes, but its pieces have %d bytes, and its buffer has %d bytes",
			seq.TransferBytes(), bytes, buf.SlotBytes)
	}
	for i, l := range nest.Transfers {
		c.transfer[i] = C.h5perf_level{count: C.uint64_t(l.Count), stride: C.uint64_t(l.Stride)}
		c.dim[i] = C.uint32_t(seq.Loops[i].Dim)
		c.step[i] = C.int64_t(seq.Loops[i].Step)
	}
	for i, l := range nest.Runs {
		c.run[i] = C.h5perf_level{count: C.uint64_t(l.Count), stride: C.uint64_t(l.Stride)}
	}
	c.transfer_levels, c.run_levels = C.uint32_t(len(nest.Transfers)), C.uint32_t(len(nest.Runs))
	c.runs, c.run_bytes, c.first = C.uint64_t(nest.RunsPerTransfer()), C.uint64_t(nest.RunBytes), C.uint64_t(nest.Base)
	if rest := (nest.RunBytes - 1) % buf.Grain; rest+1 >= C.H5PERF_STAMP_BYTES {
		c.last = C.uint64_t(nest.RunBytes - 1 - rest)
	} else {
		c.last = C.uint64_t(max(nest.RunBytes-1-rest, buf.Grain) - buf.Grain)
	}
	return nil
}

// setListed checks the buffer of a listed move, and adds an empty list, which KernelSet.BuildLists fills in.
func (k *Kernel) setListed() error {
	bytes, err := k.move.Form.MemoryBytes(k.move.PlainSelection)
	if err != nil {
		return err
	}
	buf := &k.move.Buffer
	if buf.SlotBytes < bytes || uint64(len(buf.Pool)) < buf.Slots*buf.SlotBytes || bytes > 0 && buf.Grain == 0 {
		return fmt.Errorf("a transfer needs %d bytes of memory and stamps at a distance, but its buffer has %d "+
			"slots of %d bytes in a pool of %d, and stamps every %d bytes", bytes, buf.Slots, buf.SlotBytes,
			len(buf.Pool),
			buf.Grain)
	}
	k.c.list = copySliceToC(make([]C.h5perf_list, 1))
	return nil
}

func flagToC(set bool) C.int32_t {
	if set {
		return 1
	}
	return 0
}

// Move returns the move.
func (k *Kernel) Move() *workload.Move { return k.move }

// Pointer returns the address of the h5perf_kernel, for the C loop of an engine.
func (k *Kernel) Pointer() unsafe.Pointer { return unsafe.Pointer(k.c) }

// Progress counts what the loop has done since Begin, in all datasets of a batch.
func (k *Kernel) Progress() Progress {
	return Progress{
		Transfers: uint64(k.c.next), Bytes: uint64(k.c.bytes), Calls: uint64(k.c.calls),
		SetViews: uint64(k.c.set_views),
	}
}

// Stopped reports whether the loop ended because of the stop flag.
func (k *Kernel) Stopped() bool { return k.c.stopped != 0 }

// Failure describes the failed call that ended the loop. code is the error code of the API, such as errno or an MPI
// error code. It is 0 if no call failed, and -1 if a call reported no error but moved too few bytes. offset is in the
// file. bytes is the number of bytes that the call was to move, and moved the number that it moved.
func (k *Kernel) Failure() (code int, offset, bytes, moved uint64) {
	return int(k.c.failed), uint64(k.c.fail_offset), uint64(k.c.fail_bytes), uint64(k.c.fail_moved)
}

// Free frees the kernel and its list.
func (k *Kernel) Free() {
	k.freeList()
	C.free(unsafe.Pointer(k.c))
	k.c = nil
}
