// Package quiet keeps the Go runtime from disturbing what a program measures. Who imports it needs nothing of it.
//
// The runtime has a thread that looks every 20 microseconds whether a call into C or the system lasts, for some milliseconds after
// each that began, and less often later (sysmon in runtime/proc.go). In a process that only calls, nothing needs to know that soon:
// another goroutine that is ready has another thread. With more processes on a node than processors, these looks take the
// processors from those who work. So this thread gets a timer slack of 10 ms (PR_SET_TIMERSLACK of prctl(2)), and no other: it
// would pass to the programs that this one starts.
package quiet
