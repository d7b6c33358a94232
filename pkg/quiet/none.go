//go:build !cgo

package quiet

// AllProcessors does nothing: without C, the Go runtime uses all processors.
func AllProcessors() {}
