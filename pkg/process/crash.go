package process

import "runtime/debug"

// A crash ends the process by a signal. The Go runtime would end it with 2, which is result.ExitUsage. A crash in C
// ends it by its own signal, without a trace of Go, which would take the runtime ten seconds.
func init() { debug.SetTraceback("crash") }
