package script_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"h5perf/pkg/bench"
	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// checked makes and checks the programs of all ranks. It returns the error with its position in the script. plain says
// that the programs must also fit plain files.
func checked(s *script.Script, job script.JobSize, plain bool) error {
	var all []workload.Program
	var err error
	for rank := int64(0); rank < job.Ranks && err == nil; rank++ {
		var p workload.Program
		p, err = s.Program(rank, job)
		all = append(all, p)
	}
	if err == nil {
		err = bench.CheckAllPrograms(all, plain)
	}
	return s.LocateFault(err)
}

// HDF5 would refuse these steps only during a run, and POSIX and MPI-IO would accept them. The checks before a run
// refuse them with their position.
func TestStepsThatCannotBeDoneAreFoundBeforeARun(t *testing.T) {
	scripts, err := txtar.ParseFile("testdata/steps.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range scripts.Files {
		s, err := script.Read("w.star", append([]byte(`"""A test."""`+"\n"), file.Data...))
		if err == nil {
			err = checked(s, script.JobSize{Ranks: 4, Nodes: 2}, false)
		}
		switch {
		case file.Name == "none" && err == nil:
		case file.Name == "none" || err == nil || !strings.HasPrefix(err.Error(), file.Name):
			t.Errorf("%s\ngot  %v\nwant %s", file.Data, err, file.Name)
		}
	}
}

// objectStates is the start of a script in which rank 0 creates a file alone and rank 1 opens it.
const twoRankScript = `"""A test."""
def write(job):
    if job.rank == 0:
        f = job.create("f", alone = True)
        f.create_dataset("a", "f8", 10).write(everything())
        f.create_dataset(numbered("b%d", 2), "i4", 20).write(everything())
        f.close()
    job.fence()
    if job.rank == 1:
        f = job.open("f", alone = True)
`

// turned is a script in which two ranks write a file in turns.
const turned = `"""A test."""
def write(job):
    def turn(_):
        f = job.create("f")
        if job.rank == 0:
            f.create_dataset("a", "f8", 10).write(everything())
        f.create_dataset("b", "f8", 10).write(slab())
        f.close()
    job.turns(turn)
`

// A plain file holds its datasets in the order in which a rank first uses them.
func TestRanksFindDatasetsOfPlainFilesWhereOthersPutThem(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"all, in their order": {twoRankScript + `
        f.open_dataset("a", "f8", 10).write(everything())
        f.open_dataset(numbered("b%d", 2), "i4", 20).write(everything())
        f.close()
`, ""},
		"another order": {twoRankScript + `
        f.open_dataset(numbered("b%d", 2), "i4", 20).write(everything())
        f.open_dataset("a", "f8", 10).write(everything())
        f.close()
`, "w.star:12: dataset f:/b0: rank 1 opens the datasets of its file in another order than rank 0 creates"},
		"only the first one": {twoRankScript + `
        f.open_dataset("a", "f8", 10).write(everything())
        f.close()
`, ""},
		"only the second one": {twoRankScript + `
        f.open_dataset("b1", "i4", 20).write(everything())
        f.close()
`, "w.star:12: dataset f:/b1: rank 1 opens the datasets"},
		"in turns, only some": {
			turned, "w.star:7: dataset f:/b: rank 1 opens the datasets of its file in another order than rank 0",
		},
	} {
		s, err := script.Read("w.star", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		job := script.JobSize{Ranks: 2, Nodes: 1}
		if err := checked(s, job, false); err != nil {
			t.Errorf("%s, with HDF5 alone: %v", name, err)
		}
		err = checked(s, job, true)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
