package report

import (
	"io"

	"h5perf/pkg/result"
)

// Print writes the whole report of a document. path gives the name of data file k, from 1, of an API.
func Print(w io.Writer, doc result.Document, options Options, path func(k int, api string) string) error {
	t := New(w, doc, options)
	t.Header()
	for _, c := range doc.Cases {
		t.Begin(c)
		for range iterations(c) {
			for k := range doc.Parameters.Files {
				t.File(path(k+1, c.API))
			}
		}
		t.End(c)
	}
	return t.Err()
}

// iterations is the number of iterations of a case that began.
func iterations(c result.Case) int {
	n := 0
	for _, s := range c.Samples {
		n = max(n, s.Iteration)
	}
	if c.Error != nil {
		n = max(n, c.Error.Iteration)
	}
	return n
}
