package star_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"h5perf/pkg/script/star"
	"h5perf/pkg/workload"
)

// checked makes the programs of all ranks, and returns the error of a step that cannot be done, with its place.
func checked(s *star.Script, job star.Job) error {
	var all []workload.Program
	var err error
	for rank := int64(0); rank < job.Ranks && err == nil; rank++ {
		var p workload.Program
		if p, err = s.Program(rank, job); err == nil {
			err = p.Check()
		}
		all = append(all, p)
	}
	if err == nil {
		err = workload.CheckReads(all)
	}
	if f, is := errors.AsType[*workload.Fault](err); is {
		return s.At(f.Line, errors.New(f.Reason))
	}
	return err
}

// What HDF5 would refuse only when it comes to it, and POSIX and MPI-IO never, is refused before a run, at its place.
func TestStepsThatCannotBeDoneAreFoundBeforeARun(t *testing.T) {
	scripts, err := txtar.ParseFile("testdata/steps.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts.Files {
		s, err := star.Read("w.star", append([]byte(`"""A test."""`+"\n"), script.Data...))
		if err == nil {
			err = checked(s, star.Job{Ranks: 4, Nodes: 2})
		}
		switch {
		case script.Name == "none" && err == nil:
		case script.Name == "none" || err == nil || !strings.HasPrefix(err.Error(), script.Name):
			t.Errorf("%s\ngot  %v\nwant %s", script.Data, err, script.Name)
		}
	}
}
