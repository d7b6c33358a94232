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

// MaxInfoKey and MaxInfoValue are the largest lengths of the key and the value of an MPI-IO hint, in bytes. The limits
// in mpi.h include the terminating null character.
const (
	MaxInfoKey   = C.MPI_MAX_INFO_KEY - 1
	MaxInfoValue = C.MPI_MAX_INFO_VAL - 1
)

// LibraryVersion returns the string that identifies the MPI library. It may be called before Init.
//
// Implements: MPI_Get_library_version
func LibraryVersion() string {
	var text [C.MPI_MAX_LIBRARY_VERSION_STRING]C.char
	n := C.h5perf_mpi_library(&text[0])
	return strings.Trim(C.GoStringN(&text[0], n), " \n\x00") // Open MPI counts the terminating null character
}

// ThreadLevel returns the thread level that MPI provides: single, funneled, serialized or multiple. It may be called
// only after Init.
//
// Implements: MPI_Query_thread
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

// StandardVersion returns the version of the MPI standard that the program was compiled for, such as "3.1".
func StandardVersion() string { return fmt.Sprintf("%d.%d", C.MPI_VERSION, C.MPI_SUBVERSION) }

// PMIx returns the version of the PMIx library through which MPI talks to its launcher, such as "5.0.7"; "" if it uses
// no PMIx. It may be called only after Init, because Open MPI 4 loads the PMIx library in MPI_Init.
func PMIx() string {
	words := strings.Fields(C.GoString(C.h5perf_mpi_pmix())) // "OpenPMIx 4.2.2, repo rev: ..."
	if len(words) < 2 {
		return ""
	}
	return strings.TrimRight(words[1], ",")
}

// UsesPMIxOnly reports whether PMIx is the only protocol by which the MPI library can talk to its launcher. Other MPI
// libraries also support protocols of Slurm or Cray. It returns true for Open MPI 5 and later, and for Open MPI 3 and 4
// if all their components for launchers are PMIx components.
func UsesPMIxOnly() bool {
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
	for _, below := range []string{"openmpi*", "openmpi/lib/openmpi*"} { // Open MPI's own layout, and Debian's
		found, _ := filepath.Glob(filepath.Join(filepath.Dir(file), below, "mca_pmix_*.so"))
		components = append(components, found...)
	}
	other := slices.ContainsFunc(components, func(path string) bool {
		return slices.Contains([]string{"mca_pmix_s1.so", "mca_pmix_s2.so", "mca_pmix_cray.so"}, filepath.Base(path))
	})
	return len(components) > 0 && !other
}
