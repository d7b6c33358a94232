//go:build cgo

package main

import (
	"slices"
	"strings"

	"h5perf/pkg/result"
)

// hangTimeout is the --timeout of runs that hang. patience is the --timeout of runs that hang only if the program is
// wrong, or if an MPI library waits for a process that failed.
const (
	hangTimeout = "2s"
	patience    = "10s"
)

// hung waits until the document of a run says why the run ends, and returns its first error. The run itself may still
// hang.
func (l *launched) hung() result.Error {
	l.t.Helper()
	var doc result.Document
	l.within(startTime+endsWithin, "the end of the document", func() bool {
		var err error
		doc, err = result.Read(l.json)
		return err == nil && doc.State != result.Running
	})
	if doc.State != result.Failed || len(doc.Errors) == 0 {
		l.t.Fatalf("document is %s with errors %v", doc.State, doc.Errors)
	}
	for _, c := range doc.Cases {
		if c.State == result.Complete || c.Error == nil {
			l.t.Errorf("case %s is %s with error %v", c.API, c.State, c.Error)
		}
	}
	return doc.Errors[0]
}

// failed checks what holds for every failed run: exit status, document, report, directory. It returns the error.
func (l *launched) failed() result.Error {
	l.t.Helper()
	l.fails(startTime + endsWithin)
	doc := l.document()
	if doc.State != result.Failed || len(doc.Errors) == 0 {
		l.t.Fatalf("document is %s with errors %v, want failed", doc.State, doc.Errors)
	}
	for _, c := range doc.Cases {
		if c.State == result.Complete {
			continue
		}
		if points := c.Points(); len(points) != 0 {
			l.t.Errorf("a figure for what failed: %v", points)
		}
	}
	complete := slices.ContainsFunc(doc.Cases, func(c result.Case) bool { return c.State == result.Complete })
	if !complete && strings.Contains(l.stdout.String(), "Throughput") {
		l.t.Error("the report shows a figure of what failed")
	}
	l.cleaned()
	return doc.Errors[0]
}
