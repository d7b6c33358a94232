package h5

// #include "calls.h"
import "C"

import "strings"

// CallError describes a call of the library that failed.
type CallError struct {
	Call  string
	Stack string // the library's error stack in one line; the cause comes first
}

func (e *CallError) Error() string { return e.Call + ": " + e.Stack }

// NewCallError returns the error of a call that has just failed, with the library's error stack. It also serves for
// calls through the Go binding, which drops the reason. No other call of the library may come in between.
func NewCallError(call string) error { return NewCallErrorWith(call, nil) }

// NewCallErrorWith is NewCallError with errno as it was after the call; it must have been 0 before. errno is added if
// the library's text does not name it: the drivers stdio, multi and split lose it. It may be nil.
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
