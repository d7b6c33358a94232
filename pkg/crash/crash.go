// Package crash makes a crash of the process look like one: it ends by a signal. The Go runtime would end it with 2,
// which is exit.Usage. It is imported for its effect only.
//
// A crash in C ends the process by its own signal, without a trace of Go, which would take the runtime ten seconds.
package crash

import "runtime/debug"

func init() { debug.SetTraceback("crash") }
