//go:build cgo && !nompi

package h5

/*
#include <stdlib.h>
#include "h5perf_hdf5.h"

static herr_t set_mpio(hid_t fapl, const void *comm, const MPI_Info *info)
{
    return H5Pset_fapl_mpio(fapl, *(const MPI_Comm *)comm, info ? *info : MPI_INFO_NULL);
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"h5perf/pkg/kv"

	"gonum.org/v1/hdf5"
)

// SetMPIO chooses the mpio driver. comm points to an MPI_Comm; nil hints are MPI_INFO_NULL, empty ones an info object
// without keys. Both are copied.
func SetMPIO(fapl *hdf5.PropList, comm unsafe.Pointer, hints []kv.KeyValue) error {
	var info *C.MPI_Info
	if hints != nil {
		var err error
		if info, err = newInfo(hints); err != nil {
			return err
		}
		defer freeInfo(info)
	}
	return status(C.set_mpio(C.hid_t(fapl.ID()), comm, info), "H5Pset_fapl_mpio")
}

// SetCollective makes the transfers of a list collective; all processes of the file must then take part in each.
func SetCollective(dxpl *hdf5.PropList) error {
	return status(C.H5Pset_dxpl_mpio(C.hid_t(dxpl.ID()), C.H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio")
}

// mpiStatus is the error of a call of MPI that returned rc.
func mpiStatus(rc C.int, call string) error {
	if rc == C.MPI_SUCCESS {
		return nil
	}
	var text [C.MPI_MAX_ERROR_STRING]C.char
	var n C.int
	C.MPI_Error_string(rc, &text[0], &n)
	return fmt.Errorf("%s: %s", call, oneLine(C.GoStringN(&text[0], n)))
}
