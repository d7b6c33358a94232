//go:build cgo && !nompi

package mpi

// #include <stdlib.h>
// #include "h5perf_mpi.h"
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"h5perf/pkg/units"
)

// Info is an MPI_Info, which holds the hints for a file. The caller must free it.
type Info struct {
	c *C.MPI_Info // in C memory, for engines in C
}

// NewInfo returns an MPI_Info with hints. If hints is nil, the result is MPI_INFO_NULL; if hints is empty but not nil,
// it is an MPI_Info without keys. NewInfo returns an error if a key or value is empty or too long, because MPI would
// end the job.
func NewInfo(hints []units.KeyValue) (Info, error) {
	for _, h := range hints {
		if err := checkHint(h); err != nil {
			return Info{}, err
		}
	}
	info := Info{(*C.MPI_Info)(C.malloc(C.sizeof_MPI_Info))} // without memory, cgo ends the program
	some := C.int(0)
	if hints != nil {
		some = 1
	}
	C.h5perf_info_create(info.c, some)
	for _, h := range hints {
		key, value := C.CString(h.Key), C.CString(h.Value)
		C.h5perf_info_set(info.c, key, value)
		C.free(unsafe.Pointer(key))
		C.free(unsafe.Pointer(value))
	}
	return info, nil
}

// checkHint returns an error for a hint that would make MPI end the job.
func checkHint(h units.KeyValue) error {
	switch {
	case h.Key == "" || h.Value == "":
		return fmt.Errorf("hint %q=%q: key and value must not be empty", h.Key, h.Value)
	case len(h.Key) > MaxInfoKey:
		return fmt.Errorf("hint %q: the key has %d bytes, the limit is %d", h.Key, len(h.Key), MaxInfoKey)
	case len(h.Value) > MaxInfoValue:
		return fmt.Errorf("hint %q: the value has %d bytes, the limit is %d", h.Key, len(h.Value), MaxInfoValue)
	}
	return nil
}

// Handle returns the address of the MPI_Info. It is valid until Free.
func (i Info) Handle() unsafe.Pointer { return unsafe.Pointer(i.c) }

// Free frees the MPI_Info.
//
// Implements: MPI_Info_free
func (i Info) Free() {
	C.h5perf_info_free(i.c)
	C.free(unsafe.Pointer(i.c))
}

// InfoHints returns the keys and values in the MPI_Info at handle; nil for MPI_INFO_NULL.
func InfoHints(handle unsafe.Pointer) []units.KeyValue {
	info := (*C.MPI_Info)(handle)
	n := C.h5perf_info_keys(info)
	if n < 0 {
		return nil
	}
	hints := make([]units.KeyValue, n)
	for i := range hints {
		var key [C.H5PERF_INFO_KEY]C.char
		var value [C.H5PERF_INFO_VALUE]C.char
		C.h5perf_info_get(info, C.int(i), &key[0], &value[0])
		hints[i] = units.KeyValue{Key: C.GoString(&key[0]), Value: C.GoString(&value[0])}
	}
	return hints
}

// FileHints returns the hints of the MPI_File at handle, as the library reports them.
//
// Implements: MPI_File_get_info
func FileHints(handle unsafe.Pointer) ([]units.KeyValue, error) {
	info, err := NewInfo(nil)
	if err != nil {
		return nil, err
	}
	defer info.Free()
	if rc := C.h5perf_info_of_file(handle, info.c); rc != C.MPI_SUCCESS {
		return nil, fmt.Errorf("MPI_File_get_info: %w", ErrorOf(int(rc)))
	}
	return InfoHints(info.Handle()), nil
}

// ErrorOf returns an error for an MPI error code, with the message of MPI in one line.
//
// Implements: MPI_Error_string
func ErrorOf(code int) error {
	var text [C.MPI_MAX_ERROR_STRING]C.char
	var n C.int
	C.MPI_Error_string(C.int(code), &text[0], &n)
	return errors.New(strings.Join(strings.Fields(C.GoStringN(&text[0], n)), " "))
}
