//go:build cgo

package engine

// #include "h5perf_calls.h"
import "C"

import "unsafe"

// ReadCalls returns the counts of n consecutive h5perf_function in C memory.
func ReadCalls(first unsafe.Pointer, n int) []FunctionCalls {
	kinds := map[C.int]CallKind{C.H5PERF_OTHER: OtherCall, C.H5PERF_WRITES: WriteCall, C.H5PERF_READS: ReadCall}
	all := make([]FunctionCalls, n)
	for i, f := range unsafe.Slice((*C.h5perf_function)(first), n) {
		all[i] = FunctionCalls{
			Function: C.GoString(f.name), Kind: kinds[f.kind], Calls: uint64(f.calls), Bytes: uint64(f.bytes),
		}
	}
	return all
}
