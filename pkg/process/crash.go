package process

import "runtime/debug"

// A crash ends the process by a signal. The Go runtime would end the process with status 2, which is result.ExitUsage.
// A crash in C ends the process by its own signal, without a stack trace of Go, which would take the runtime ten
// seconds.
func init() { debug.SetTraceback("crash") }
