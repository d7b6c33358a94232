//go:build !cgo

package process

// UseAllProcessors does nothing: without C, the Go runtime uses all processors.
func UseAllProcessors() {}
