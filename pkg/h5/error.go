package h5

/*
#include <stdio.h>
#include <string.h>
#include "h5perf_hdf5.h"

typedef struct {
    char text[4096];
    size_t used;
} trace;

static herr_t add(unsigned n, const H5E_error2_t *e, void *data)
{
    trace *t = data;
    int more = snprintf(t->text + t->used, sizeof t->text - t->used, "%s%s: %s", n ? " <- " : "", e->func_name, e->desc);
    if (more > 0)
        t->used += (size_t)more;
    if (t->used >= sizeof t->text)
        t->used = sizeof t->text - 1;
    return 0;
}

// The cause first, the call last.
static void walk(trace *t)
{
    t->used = 0;
    t->text[0] = 0;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, add, t);
}
*/
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
	var t C.trace
	C.walk(&t)
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
