package script_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"h5perf/pkg/bench"
	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// checked makes the programs of all ranks, and returns the error of a step that cannot be done, with its place.
func checked(s *script.Script, job script.Job) error {
	var all []workload.Program
	var err error
	for rank := int64(0); rank < job.Ranks && err == nil; rank++ {
		var p workload.Program
		p, err = s.Program(rank, job)
		all = append(all, p)
	}
	if err == nil {
		err = bench.CheckAll(all)
	}
	return s.Located(err)
}

// What HDF5 would refuse only when it comes to it, and POSIX and MPI-IO never, is refused before a run, at its place.
func TestStepsThatCannotBeDoneAreFoundBeforeARun(t *testing.T) {
	scripts, err := txtar.ParseFile("testdata/steps.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range scripts.Files {
		s, err := script.Read("w.star", append([]byte(`"""A test."""`+"\n"), file.Data...))
		if err == nil {
			err = checked(s, script.Job{Ranks: 4, Nodes: 2})
		}
		switch {
		case file.Name == "none" && err == nil:
		case file.Name == "none" || err == nil || !strings.HasPrefix(err.Error(), file.Name):
			t.Errorf("%s\ngot  %v\nwant %s", file.Data, err, file.Name)
		}
	}
}
