//go:build cgo && !nompi

package h5

/*
#include <stdlib.h>
#include "h5perf_hdf5.h"

enum { KEY = MPI_MAX_INFO_KEY + 1, VALUE = MPI_MAX_INFO_VAL + 1 }; // with their ends

static int get(const MPI_Info *info, const char *key, char *value)
{
    int flag = 0;
#if MPI_VERSION >= 4
    int size = VALUE;
    int rc = MPI_Info_get_string(*info, key, &size, value, &flag);
#else
    int rc = MPI_Info_get(*info, key, VALUE - 1, value, &flag);
#endif
    if (!flag)
        value[0] = 0;
    return rc;
}

static int set(const MPI_Info *info, const char *key, const char *value) { return MPI_Info_set(*info, key, value); }
static int keys(const MPI_Info *info, int *n) { return MPI_Info_get_nkeys(*info, n); }
static int key(const MPI_Info *info, int n, char *key) { return MPI_Info_get_nthkey(*info, n, key); }
static int file_info(const void *file, MPI_Info *info) { return MPI_File_get_info(*(const MPI_File *)file, info); }
*/
import "C"

import (
	"unsafe"

	"h5perf/pkg/kv"

	"gonum.org/v1/hdf5"
)

// newInfo makes an info object of hints. Free it with freeInfo.
func newInfo(hints []kv.KeyValue) (*C.MPI_Info, error) {
	info := (*C.MPI_Info)(C.malloc(C.sizeof_MPI_Info))
	if err := mpiStatus(C.MPI_Info_create(info), "MPI_Info_create"); err != nil {
		C.free(unsafe.Pointer(info))
		return nil, err
	}
	for _, h := range hints {
		key, value := C.CString(h.Key), C.CString(h.Value)
		err := mpiStatus(C.set(info, key, value), "MPI_Info_set of "+h.Key)
		C.free(unsafe.Pointer(key))
		C.free(unsafe.Pointer(value))
		if err != nil {
			freeInfo(info)
			return nil, err
		}
	}
	return info, nil
}

func freeInfo(info *C.MPI_Info) {
	C.MPI_Info_free(info)
	C.free(unsafe.Pointer(info))
}

// Hints are the MPI-IO hints in effect for a file of the mpio driver, as MPI_File_get_info tells them.
func Hints(file *hdf5.File) ([]kv.KeyValue, error) {
	handle, err := vfd(file)
	if err != nil {
		return nil, err
	}
	info := (*C.MPI_Info)(C.malloc(C.sizeof_MPI_Info))
	if err := mpiStatus(C.file_info(handle, info), "MPI_File_get_info"); err != nil {
		C.free(unsafe.Pointer(info))
		return nil, err
	}
	defer freeInfo(info)
	var n C.int
	if err := mpiStatus(C.keys(info, &n), "MPI_Info_get_nkeys"); err != nil {
		return nil, err
	}
	hints := make([]kv.KeyValue, n)
	for i := range hints {
		var key [C.KEY]C.char
		var value [C.VALUE]C.char
		if err := mpiStatus(C.key(info, C.int(i), &key[0]), "MPI_Info_get_nthkey"); err != nil {
			return nil, err
		}
		if err := mpiStatus(C.get(info, &key[0], &value[0]), "MPI_Info_get"); err != nil {
			return nil, err
		}
		hints[i] = kv.KeyValue{Key: C.GoString(&key[0]), Value: C.GoString(&value[0])}
	}
	return hints, nil
}
