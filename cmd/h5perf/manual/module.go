package main

import "fmt"

// modulefile returns the file for environment modules (Tcl or Lmod) of an installation at a prefix.
func modulefile(prefix string) string {
	return fmt.Sprintf(`#%%Module1.0
# %[1]s: benchmark of file systems through POSIX, MPI-IO and HDF5. `+
		`It needs the MPI and the HDF5 that it was built with: load
# theirs before it.
proc ModulesHelp { } {
    puts stderr "h5perf measures a file system the way HDF5 applications use it. See: man h5perf"
}
module-whatis "benchmark of file systems through POSIX, MPI-IO and HDF5"
conflict %[1]s
set prefix {%[2]s}
prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
setenv H5PERF_HOME $prefix/share/h5perf
`, toolName, prefix)
}
