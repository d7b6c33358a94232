package h5

// #include "calls.h"
import "C"

import "strings"

// Error is a call of the library that failed.
type Error struct {
	Call  string
	Stack string // the library's words, cause first
}

func (e *Error) Error() string { return e.Call + ": " + e.Stack }

// Failed is the error of a call that just failed, also of one made through the binding, which drops the reason. There must
// be no other call of the library in between.
func Failed(call string) error { return FailedWith(call, nil) }

// FailedWith is Failed with what errno said after the call, if it was 0 before. It is told where the library does not: the
// drivers stdio, multi and split lose it.
func FailedWith(call string, errno error) error {
	var t C.h5perf_trace
	C.h5perf_walk(&t)
	stack := oneLine(C.GoString(&t.text[0]))
	if stack == "" {
		stack = "no reason given"
	}
	if errno != nil && !strings.Contains(stack, "errno") {
		stack += ": " + errno.Error()
	}
	return &Error{call, stack}
}

// oneLine makes one line of a text of the library or of MPI.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
