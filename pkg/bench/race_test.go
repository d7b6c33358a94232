//go:build cgo && !nompi && race

package bench_test

// unraced is empty: the race detector allocates memory of its own.
var unraced []sentence
