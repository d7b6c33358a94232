// Package process keeps the Go runtime from disturbing what is measured, and makes crashes end by a signal. It has its
// effect when it is imported.
//
// The monitor thread of the runtime (sysmon in runtime/proc.go) checks every 20 microseconds whether a call
// into C or into the system takes long. It does so for some milliseconds after the start of each such call,
// and less often later. A process that only makes such calls gains nothing from it: other goroutines that
// are ready have threads of their own. But with more processes on a node than processors, these checks take
// processor time from processes that have work to do.
//
// So the monitor thread gets a timer slack of 10 ms (PR_SET_TIMERSLACK of prctl(2)). No other thread gets
// it, because programs that this one starts would inherit it.
//
// By default the runtime uses all processors of the node, in each process. At 256 processors its own data make it
// collect garbage before main begins, with 64 threads that remain. So the process starts with GOMAXPROCS=2 if the
// variable is not set: one processor for the goroutine that measures, and one for the others, which mostly wait. The
// runtime reads the variable before any code in Go, from the stack of the process. Therefore C calls main with a copy
// of the variables.
package process
