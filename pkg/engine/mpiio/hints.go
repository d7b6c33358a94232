//go:build cgo && !nompi

package mpiio

/*
#include <stdlib.h>
#include <mpi.h>

static MPI_Info info_null(void) { return MPI_INFO_NULL; }
static int is_null(MPI_Info info) { return info == MPI_INFO_NULL; }

// The value of a key; found is 0 when there is none.
static void info_value(MPI_Info info, const char *key, char *value, int room, int *found)
{
#if MPI_VERSION >= 4
    MPI_Info_get_string(info, key, &room, value, found);
#else
    MPI_Info_get(info, key, room - 1, value, found);
#endif
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"h5perf/pkg/kv"
	"h5perf/pkg/mpi"
)

// newInfo makes the info object of the hints asked for; of nil it is MPI_INFO_NULL. MPI ends the job on keys and values that are empty or too long:
// they are refused.
func newInfo(hints []kv.KeyValue) (C.MPI_Info, error) {
	info := C.info_null()
	if hints == nil {
		return info, nil
	}
	for _, h := range hints {
		switch {
		case h.Key == "" || h.Value == "":
			return info, fmt.Errorf("hint %q=%q: key and value must not be empty", h.Key, h.Value)
		case len(h.Key) > mpi.MaxInfoKey:
			return info, fmt.Errorf("hint %q: the key has %d bytes, the limit is %d", h.Key, len(h.Key), mpi.MaxInfoKey)
		case len(h.Value) > mpi.MaxInfoValue:
			return info, fmt.Errorf("hint %q: the value has %d bytes, the limit is %d", h.Key, len(h.Value), mpi.MaxInfoValue)
		}
	}
	C.MPI_Info_create(&info)
	for _, h := range hints {
		key, value := C.CString(h.Key), C.CString(h.Value)
		C.MPI_Info_set(info, key, value)
		C.free(unsafe.Pointer(key))
		C.free(unsafe.Pointer(value))
	}
	return info, nil
}

func freeInfo(info C.MPI_Info) {
	if C.is_null(info) == 0 {
		C.MPI_Info_free(&info)
	}
}

// infoHints lists what an info object holds.
func infoHints(info C.MPI_Info) []kv.KeyValue {
	if C.is_null(info) != 0 {
		return nil
	}
	var keys C.int
	C.MPI_Info_get_nkeys(info, &keys)
	var hints []kv.KeyValue
	for i := range keys {
		var key [C.MPI_MAX_INFO_KEY + 1]C.char
		var value [C.MPI_MAX_INFO_VAL + 1]C.char
		var found C.int
		C.MPI_Info_get_nthkey(info, i, &key[0])
		C.info_value(info, &key[0], &value[0], C.int(len(value)), &found)
		if found != 0 {
			hints = append(hints, kv.KeyValue{Key: C.GoString(&key[0]), Value: C.GoString(&value[0])})
		}
	}
	return hints
}
