package h5

/*
#include "h5perf_hdf5.h"

#ifndef H5_HAVE_DIRECT
#define H5_HAVE_DIRECT 0
#endif
#ifndef H5_HAVE_PARALLEL
#define H5_HAVE_PARALLEL 0
#endif
#ifndef H5_HAVE_SUBFILING_VFD
#define H5_HAVE_SUBFILING_VFD 0
#endif
#ifndef H5_HAVE_ROS3_VFD
#define H5_HAVE_ROS3_VFD 0
#endif
#ifndef H5_HAVE_THREADSAFE
#define H5_HAVE_THREADSAFE 0
#endif

enum {
    BUILT_DIRECT = H5_HAVE_DIRECT + 0, BUILT_PARALLEL = H5_HAVE_PARALLEL + 0, BUILT_SUBFILING = H5_HAVE_SUBFILING_VFD + 0,
    BUILT_ROS3 = H5_HAVE_ROS3_VFD + 0, BUILT_THREADSAFE = H5_HAVE_THREADSAFE + 0
};
*/
import "C"

// Drivers are the file drivers that the library was built with, as its headers tell.
func Drivers() []string {
	all := []string{"sec2", "stdio", "core", "family", "split", "multi"}
	for _, d := range []struct {
		name  string
		built bool
	}{{"direct", C.BUILT_DIRECT != 0}, {"mpio", Parallel()}, {"subfiling", C.BUILT_SUBFILING != 0}, {"ros3", C.BUILT_ROS3 != 0}} {
		if d.built {
			all = append(all, d.name)
		}
	}
	return all
}

// Parallel tells whether the library was built with MPI.
func Parallel() bool { return C.BUILT_PARALLEL != 0 }

// Threadsafe tells whether the library was built to be called from several threads.
func Threadsafe() bool { return C.BUILT_THREADSAFE != 0 }
