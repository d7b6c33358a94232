//go:build !cgo

package process

// AllProcessors does nothing: without C, the Go runtime uses all processors.
func AllProcessors() {}
