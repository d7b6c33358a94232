module h5perf

go 1.26.0

require (
	github.com/alecthomas/kong v1.17.0
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/sbromberger/gompi v0.2.0
	golang.org/x/sys v0.49.0
	gonum.org/v1/hdf5 v0.0.0-20210714002203-8c5d23bc6946
)
