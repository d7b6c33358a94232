//go:build cgo

package quiet

// #cgo LDFLAGS: -Wl,--wrap=pthread_create
import "C"
