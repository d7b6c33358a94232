//go:build cgo && !nompi

package mpi

/*
#include "state.h"

static int library(char *text)
{
    int n = 0;
    return MPI_Get_library_version(text, &n) == MPI_SUCCESS ? n : 0;
}
*/
import "C"

import (
	"fmt"
	"strings"
)

// MaxInfoKey and MaxInfoValue are the largest lengths of the key and the value of an MPI-IO hint, in bytes. The limits of
// MPI count the terminating null.
const (
	MaxInfoKey   = C.MPI_MAX_INFO_KEY - 1
	MaxInfoValue = C.MPI_MAX_INFO_VAL - 1
)

// LibraryVersion is the text of MPI_Get_library_version. It may be asked before Init.
func LibraryVersion() string {
	var text [C.MPI_MAX_LIBRARY_VERSION_STRING]C.char
	n := C.library(&text[0])
	return strings.Trim(C.GoStringN(&text[0], n), " \n\x00") // Open MPI counts the terminating null
}

// Standard is the version of the MPI standard that the program was compiled for, such as "3.1".
func Standard() string { return fmt.Sprintf("%d.%d", C.MPI_VERSION, C.MPI_SUBVERSION) }
