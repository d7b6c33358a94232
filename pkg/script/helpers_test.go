package script_test

import (
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// read reads a script that has the given text after its docstring.
func read(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Read("w.star", []byte(`"""A test."""`+text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// program returns the program of a rank in a job of two ranks.
func program(text string, rank int64) (workload.Program, error) {
	s, err := script.Read("w.star", []byte(`"""A test."""`+text))
	if err != nil {
		return workload.Program{}, err
	}
	return s.Program(rank, script.JobSize{Ranks: 2, Nodes: 1})
}
