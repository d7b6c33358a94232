package h5

// #include "calls.h"
import "C"

import "strings"

// CallError describes a call of the library that failed.
type CallError struct {
	Call  string
	Stack string // the library's error stack in one line, the cause first
}

func (e *CallError) Error() string { return e.Call + ": " + e.Stack }

// NewCallError returns the error of a call that has just failed, with the library's error stack. It also serves for
// calls through the Go binding, which does not report the cause. There must be no other call of the library in between.
func NewCallError(call string) error { return NewCallErrorWith(call, nil) }

// NewCallErrorWith does the same as NewCallError, and adds the value of errno after the call; errno must have been 0
// before the call. The error includes it if the library's error stack does not, as with the drivers stdio, multi and
// split. errno may be nil.
func NewCallErrorWith(call string, errno error) error {
	var t C.h5perf_trace
	C.h5perf_walk(&t)
	stack := oneLine(C.GoString(&t.text[0]))
	if stack == "" {
		stack = "no reason given"
	}
	if errno != nil && !strings.Contains(stack, "errno") {
		stack += ": " + errno.Error()
	}
	return &CallError{call, stack}
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
