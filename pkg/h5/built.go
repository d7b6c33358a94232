package h5

// #include "calls.h"
import "C"

// Drivers returns the names of the file drivers that the library was built with, according to its headers.
func Drivers() []string {
	all := []string{"sec2", "stdio", "core", "family", "split", "multi"}
	for _, d := range []struct {
		name  string
		built bool
	}{
		{"direct", C.BUILT_DIRECT != 0},
		{"mpio", Parallel()},
		{"subfiling", C.BUILT_SUBFILING != 0},
		{"ros3", C.BUILT_ROS3 != 0},
	} {
		if d.built {
			all = append(all, d.name)
		}
	}
	return all
}

// Parallel reports whether the library was built with MPI.
func Parallel() bool { return C.BUILT_PARALLEL != 0 }

// Threadsafe reports whether the library was built so that several threads may call it.
func Threadsafe() bool { return C.BUILT_THREADSAFE != 0 }
