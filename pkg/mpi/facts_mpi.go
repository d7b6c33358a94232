//go:build cgo && !nompi

package mpi

// #cgo linux LDFLAGS: -ldl
// #include "h5perf_mpi.h"
import "C"

import (
	"fmt"
	"path/filepath"
	"slices"
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
	n := C.h5perf_mpi_library(&text[0])
	return strings.Trim(C.GoStringN(&text[0], n), " \n\x00") // Open MPI counts the terminating null
}

// ThreadLevel is the thread level that MPI gave: single, funneled, serialized or multiple. It may be asked after Init.
func ThreadLevel() string {
	switch C.h5perf_mpi_thread_level() {
	case C.MPI_THREAD_SINGLE:
		return "single"
	case C.MPI_THREAD_FUNNELED:
		return "funneled"
	case C.MPI_THREAD_SERIALIZED:
		return "serialized"
	case C.MPI_THREAD_MULTIPLE:
		return Multiple
	}
	return ""
}

// Standard is the version of the MPI standard that the program was compiled for, such as "3.1".
func Standard() string { return fmt.Sprintf("%d.%d", C.MPI_VERSION, C.MPI_SUBVERSION) }

// PMIx is the version of the PMIx library by which MPI asks its launcher, such as "5.0.7"; "" is none. It may be asked after
// Init: Open MPI 4 loads it there.
func PMIx() string {
	words := strings.Fields(C.GoString(C.h5perf_mpi_pmix())) // "OpenPMIx 4.2.2, repo rev: ..."
	if len(words) < 2 {
		return ""
	}
	return strings.TrimRight(words[1], ",")
}

// SpeaksPMIxAlone tells whether the library is one that asks its launcher by PMIx and by no other protocol of
// Slurm or Cray: Open MPI from release 5 on, and one before it that has components for PMIx and for none of the others.
func SpeaksPMIxAlone() bool {
	version, open := strings.CutPrefix(LibraryVersion(), "Open MPI v")
	major, _, _ := strings.Cut(version, ".")
	if !open || major != "3" && major != "4" {
		return open && major != "1" && major != "2"
	}
	file, err := filepath.EvalSymlinks(C.GoString(C.h5perf_mpi_file()))
	if err != nil {
		return false
	}
	var components []string
	for _, below := range []string{"openmpi*", "openmpi/lib/openmpi*"} { // as installed by itself, and by Debian
		found, _ := filepath.Glob(filepath.Join(filepath.Dir(file), below, "mca_pmix_*.so"))
		components = append(components, found...)
	}
	other := slices.ContainsFunc(components, func(path string) bool {
		return slices.Contains([]string{"mca_pmix_s1.so", "mca_pmix_s2.so", "mca_pmix_cray.so"}, filepath.Base(path))
	})
	return len(components) > 0 && !other
}
