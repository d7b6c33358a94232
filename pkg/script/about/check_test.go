package about_test

import (
	"errors"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/script/about"
	"h5perf/pkg/workload"
)

// read reads a workload with the given steps.
func read(t *testing.T, plain, chunks, gzip string) *script.Script {
	t.Helper()
	s, err := script.Read("own.star", []byte(`"""One of three datasets."""
n = size(40, "rows")
small = size_set(n = 8)
storage = choice("plain", "chunked", "gzip", about = "how the dataset is stored")
mode = choice("collective", "independent", about = "how ranks write")
def write(job):
    f = job.create("f")
    if storage == "plain":
        f.create_dataset("a", "i4", (n, 20)).write(`+plain+`, collective = mode == "collective")
    elif storage == "chunked":
        b = f.create_dataset("b", "i4", (n, 20), chunks = `+chunks+`)
        b.write(slab(), collective = mode == "collective")
    else:
        c = f.create_dataset("c", "i4", (n, 20), chunks = (4, 10), compression = "gzip")
        c.write(slab(), collective = `+gzip+`)
    f.close()
`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEachWordOfEachChoiceIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		plain, chunks, gzip string
		ranks               int
		errors, notes       []string
	}{
		"all is well": {"slab()", "(4, 10)", "True", 0, nil, nil},
		"a chunk larger than the dataset": {
			"slab()", "(60, 10)", "True", 0, []string{"with storage=chunked: own.star:11:29: ", "60"}, nil,
		},
		"a chunk larger than the dataset of a set of sizes": {
			"slab()", "(20, 10)", "True", 0,
			[]string{"with storage=chunked, --size small: own.star:11:29: ", "20"},
			nil,
		},
		"an independent write with a filter": {
			"slab()", "(4, 10)", `mode == "collective"`, 0,
			[]string{"with mode=independent, storage=gzip, --size small, 4 ranks: own.star:15:16: ", "filters"},
			nil,
		},
		"the same with one rank": {"slab()", "(4, 10)", `mode == "collective"`, 1, nil, nil},
		"a grid for 6 ranks": {
			"block(grid = (2, 3))", "(4, 10)", "True", 0, nil,
			[]string{"with 1 rank: own.star:9:", "grid [2 3]", "with 4 ranks:", "6 ranks can run it"},
		},
		"a grid for 6 ranks, with 6": {"block(grid = (2, 3))", "(4, 10)", "True", 6, nil, nil},
		"a grid for 6 ranks, with 5": {
			"block(grid = (2, 3))", "(4, 10)", "True", 5, []string{"with 5 ranks: own"}, nil,
		},
		"a grid of too many dimensions": {
			"block(grid = (2, 3, 4))", "(4, 10)", "True", 0, []string{"own.star:9"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := about.Check(read(t, c.plain, c.chunks, c.gzip), about.CheckOptions{Ranks: c.ranks})
			if (err != nil) != (c.errors != nil) || (len(c.notes) > 0) != strings.Contains(text, "Note: ") {
				t.Errorf("error %v, want %q; text %s", err, c.errors, text)
			}
			for _, want := range c.errors {
				if err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
			for _, want := range c.notes {
				if !strings.Contains(text, want) {
					t.Errorf("text %s, want %q", text, want)
				}
			}
			if err == nil && !strings.Contains(text, "3 other words of choices checked, and 2 combinations of words") {
				t.Errorf("text %s, want all words and combinations", text)
			}
		})
	}
}

// Runs refuse it, too: a workload cannot read a file that another run has created.
func TestAWorkloadThatOnlyReadsIsRefused(t *testing.T) {
	s, err := script.Read("own.star", []byte("\"\"\"A test.\"\"\"\ndef read(job):\n    pass\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = about.Check(s, about.CheckOptions{})
	if err == nil || !strings.Contains(err.Error(), "no function write") {
		t.Errorf("error %v, want one about the function write", err)
	}
}

// If there are too many ranks to compare, the text says which were checked.
func TestNumbersOfRanksAreSaidToFitAsFarAsSeen(t *testing.T) {
	for name, c := range map[string]struct {
		steps       string
		ranks       int
		err, inText string
	}{
		"an error of rank 1 alone": {"if job.rank == 1: fail(\"no\")", 0, "with 4 ranks: own.star:3:27: no", ""},
		"a sample": {
			"pass", 8192, "", "sizes of the file, 8192 ranks (a sample: 4096 of them looked at, each by itself): 0 B",
		},
		"ranks that are not compared": {
			"pass", 9, "", "sizes of the file, 9 ranks (each looked at by itself, and not compared): 0 B",
		},
		"ranks that are compared": {"pass", 8, "", "sizes of the file, 8 ranks: 0 B"},
		"more ranks than are compared": {
			"if job.ranks < 12: fail(\"few\")", 0, "",
			"few; no error was found with 12 ranks (each looked at by itself, and not compared)",
		},
	} {
		s, err := script.Read("own.star", []byte("\"\"\"A test.\"\"\"\ndef write(job):\n    "+c.steps+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := about.Check(s, about.CheckOptions{Ranks: c.ranks})
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) ||
			!strings.Contains(text, c.inText) {
			t.Errorf("%s: error %v, want %q; text %s, want %q", name, err, c.err, text, c.inText)
		}
	}
}

func TestWhatTheLibraryLacksIsANote(t *testing.T) {
	text, err := about.Check(read(t, "slab()", "(4, 10)", "True"), about.CheckOptions{
		CheckFeatures: func(_ *script.Script, p workload.Program) error {
			for _, o := range p.Objects {
				if o.Filters != nil {
					return errors.New("there is no deflate")
				}
			}
			return nil
		},
	})
	if err != nil || strings.Count(text, "Note: with storage=gzip: there is no deflate\n") != 1 {
		t.Errorf("error %v, text %s", err, text)
	}
}

// Check finds differences between the programs of ranks without a run, and reports their line.
func TestRanksAreCompared(t *testing.T) {
	for name, c := range map[string]struct{ steps, want string }{
		"a step of one rank": {`
    f = job.create("f")
    if job.rank == 0:
        f.create_group("g").close()
    f.close()
`, "with 4 ranks: own.star:5: ranks would wait for one another for ever"},
		"a file that one rank creates, without an object": {`
    job.dump()
    if job.rank == 0:
        job.create("f").close()
`, "ranks would wait for one another for ever: they differ in step 2 of those that all do together; rank 0: file f " +
			"is created (line 5); ranks 1 to 3: the workload ends"},
		"another file on each rank, without an object": {`
    job.create("f%d" % job.rank).close()
`, "with 4 ranks: own.star:3: ranks would wait for one another for ever: they differ in step 2 of those that all do " +
			"together; rank 0: file f0 is created (line 3); rank 1: file f1 is created (line 3)"},
		"a file that ranks create by themselves": {`
    job.create("f", alone = True).close()
`, "with 4 ranks: own.star:3: file f is created by ranks 0 to 3, each by itself"},
		"a file that nobody creates": {`
    job.open("g%d" % job.rank, alone = True).close()
`, "own.star:3: file g0 is opened, but no step of any rank has created it"},
		"another extent on each rank": {`
    def turn(_):
        f = job.create("f")
        f.create_dataset("d", "f8", 8 + job.rank).close()
        f.close()
    job.turns(turn)
`, "with 4 ranks: own.star:5: dataset f:/d is opened by rank 1 of type f64, extent [9], but rank 0"},
	} {
		s, err := script.Read("own.star", []byte("\"\"\"A test.\"\"\"\ndef write(job):"+c.steps))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = about.Check(s, about.CheckOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// An error that only plain files of POSIX and MPI-IO have is a note, because not all runs make such files.
func TestPlacesInPlainFilesAreANote(t *testing.T) {
	s, err := script.Read("own.star", []byte(`"""A test."""
def write(job):
    if job.rank == 0:
        f = job.create("f", alone = True)
        f.create_dataset("a", "f8", 8).close()
        f.create_dataset("b", "f8", 8).close()
        f.close()
    job.fence()
    f = job.open("f", alone = True)
    f.open_dataset("b", "f8", 8).close()
    f.close()
`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := about.Check(s, about.CheckOptions{})
	want := "Note: with 4 ranks: own.star:10: dataset f:/b: rank 3 opens the datasets of its file in another order"
	if err != nil || strings.Count(text, want) != 1 {
		t.Errorf("error %v, text %s, want %q", err, text, want)
	}
}

// Data that are read back, and datasets that are opened, are neither written data nor new datasets.
func TestReadsInWritesAreCountedApart(t *testing.T) {
	s, err := script.Read("own.star", []byte(`"""A test."""
def write(job):
    job.dump()
    f = job.create("f")
    d = f.create_dataset("d", "f8", (8,)); d.write(slab()); d.close(); f.close()
    job.dump()
    f = job.open("f")
    f["d"].read(everything())
    f.close()
`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := about.Check(s, about.CheckOptions{})
	want := "4 ranks: 64 B written in 2 dumps, 256 B read back in write(job), 0 B read, 1 dataset, 64 B on disk"
	if err != nil || !strings.Contains(text, want) {
		t.Errorf("%v, %s, want %s", err, text, want)
	}
	text, err = about.Page(s, "", nil, 4)
	for _, want := range []string{"0 B to 16 B of each rank and dump", "256 B read back in all, by all ranks"} {
		if err != nil || !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%v, %s, want %s", err, text, want)
		}
	}
}

// What nobody has written is a note where it is read in part write, too.
func TestReadsInWritesOfElementsThatNobodyWritesAreANote(t *testing.T) {
	s, err := script.Read("own.star", []byte(`"""A test."""
def write(job):
    f = job.create("f")
    d = f.create_dataset("d", "f8", (8,)); d.write([hyperslab((0,), (3,))])
    job.fence()
    d.read(everything())
    f.close()
`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := about.Check(s, about.CheckOptions{})
	want := "own.star:6: element [3] of dataset f:/d is read by rank 0"
	if err != nil || !strings.Contains(text, want) {
		t.Errorf("%v, %s, want %s", err, text, want)
	}
}

// A run would find wrong data there when it verifies what it reads.
func TestReadsOfElementsThatNobodyWritesAreANote(t *testing.T) {
	for name, c := range map[string]struct{ dataset, write, read, want string }{
		"half of a dataset": {
			`"d", "f8", (4, 3)`, "d.write([hyperslab((0, 0), (3, 2))])", "d.read(everything())",
			"own.star:9: element [0, 2] of dataset f:/d is read by rank 0, but no rank has written all of it",
		},
		"all of it, by several ranks": {`"d", "f8", (4, 3)`, "d.write(slab())", "d.read(everything())", ""},
		"what was written": {
			`"d", "f8", (4, 3)`, "d.write([hyperslab((0, 0), (3, 2))])", "d.read([hyperslab((1, 1), (2, 1))])", "",
		},
		"what the last ranks do not write": {
			`"d", "f8", (8,)`, "d.write([hyperslab((job.rank, ), (1, ))])", "d.read(everything())",
			"with 4 ranks: own.star:9: element [4] of dataset f:/d",
		},
		"another member": {
			`"d", compound([("a", "f4"), ("b", "f4")]), (12,)`, `d.write(slab(), memory = members(["a"]))`,
			`d.read(slab(), memory = members(["b"]))`, "own.star:9: element [0] of dataset f:/d is read by rank 0",
		},
		"what a resize has cut off": {
			`"d", "f8", (12,), maxshape = (24,), chunks = (3,)`,
			"d.write(slab(), collective = True); d.resize((6,)); d.resize((12,))", "d.read(everything())",
			"own.star:9: element [6] of dataset f:/d is read by rank 0",
		},
		"many datasets": {
			`numbered("d%03d", 100), "f8", (4,)`, "d.write(slab())",
			"d.read(everything())", "",
		},
		"under a new name": {
			`"d", "f8", (4,)`, `d.write(slab()); d.close(); f.move("d", "e")`, "d.read(everything())", "",
		},
		"half of it, under a new name": {
			`"d", "f8", (4,)`, `d.write([hyperslab((0,), (2,))]); d.close(); f.move("d", "e")`,
			"d.read(everything())", "own.star:9: element [2] of dataset f:/e is read by rank 0",
		},
	} {
		opened := `f["d"]`
		if strings.Contains(c.write, "move") {
			opened = `f["e"]`
		}
		if strings.HasPrefix(c.dataset, "numbered") {
			opened = `f[numbered("d%03d", 100)]`
		}
		s, err := script.Read("own.star", []byte(`"""A test."""
def write(job):
    f = job.create("f")
    d = f.create_dataset(`+c.dataset+`)
    `+c.write+`
    f.close()
def read(job):
    f = job.open("f"); d = `+opened+`
    `+c.read+`
    f.close()
`))
		if err != nil {
			t.Fatal(err)
		}
		text, err := about.Check(s, about.CheckOptions{})
		if err != nil || strings.Contains(text, "Note: ") != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: error %v, text %s, want %q", name, err, text, c.want)
		}
	}
}
