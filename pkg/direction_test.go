// Package pkg_test holds the rules that no package can hold for itself.
package pkg_test

import (
	"errors"
	"go/build"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// order is the order of the packages: one may import those that stand before it. A package that does not stand here is
// known by the nearest folder above it that does.
var order = []string{
	// leaves
	"pkg/units", "pkg/plain", "pkg/usage", "pkg/output", "pkg/process", "pkg/stats", "pkg/fill", "pkg/pattern",
	"pkg/launcher",

	// what is measured, where, and by what
	"pkg/option", "pkg/placement", "pkg/workload", "pkg/mpi", "pkg/engine", "pkg/script", "pkg/script/about",
	"pkg/script/fromfile",
	"pkg/h5",
	"pkg/engine/hdf5", "pkg/engine/mpiio", "pkg/engine/posix",

	// the document of a run, and what is known before it begins
	"pkg/result", "pkg/plan", "pkg/node", "pkg/rundir", "pkg/watch",

	// what follows from documents
	"pkg/figures", "pkg/history", "pkg/report", "pkg/page", "pkg/metrics",

	// what runs
	"pkg/doctor", "pkg/bench", "pkg/run", "cmd/h5perf/cli/help", "cmd/h5perf/command", "cmd/h5perf/cli", "cmd",

	// what is not in the program
	"pkg/test", "pkg", "ansible", "containers", "slurm",
}

// engineImports is all that an engine may know of the module.
var engineImports = []string{
	"pkg/engine", "pkg/fill", "pkg/h5", "pkg/mpi", "pkg/option", "pkg/pattern", "pkg/units", "pkg/workload",
}

// mayHoldC are the packages with code in C.
var mayHoldC = []string{
	"pkg/engine", "pkg/engine/hdf5", "pkg/engine/mpiio", "pkg/engine/posix", "pkg/h5", "pkg/mpi", "pkg/output",
	"pkg/process",
}

// bindings are the packages that only those which may hold C import.
var bindings = []string{"C", "github.com/sbromberger/gompi", "gonum.org/v1/hdf5"}

// folder returns the entry of order by which a package is known, or ".".
func folder(name string) string {
	for ; name != "."; name = path.Dir(name) {
		if slices.Contains(order, name) {
			break
		}
	}
	return name
}

// packages returns the imports of every package of the module, with MPI and without it.
func packages(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if base := path.Base(name); base == "testdata" || strings.HasPrefix(base, ".") && name != "." {
			return fs.SkipDir
		}
		for _, tags := range [][]string{nil, {"nompi"}} {
			ctx := build.Default
			ctx.CgoEnabled, ctx.BuildTags = true, tags
			p, err := ctx.ImportDir(path.Join("..", name), 0)
			if _, empty := errors.AsType[*build.NoGoError](err); empty {
				continue
			}
			if err != nil {
				return err
			}
			all[name] = append(all[name], p.Imports...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no packages found")
	}
	return all
}

// inside keeps the imports from the module itself.
func inside(imports []string) (names []string) {
	for _, i := range imports {
		if name, ok := strings.CutPrefix(i, "h5perf/"); ok {
			names = append(names, name)
		}
	}
	return names
}

func TestImportsPointToEarlierPackages(t *testing.T) {
	all := packages(t)
	for name, imports := range all {
		from := folder(name)
		if from == "." && len(imports) > 0 {
			t.Errorf("%s has no place in this test", name)
		}
		for _, i := range inside(imports) {
			to := folder(i)
			if from != to && slices.Index(order, to) > slices.Index(order, from) {
				t.Errorf("%s imports %s, which stands after it", name, i)
			}
			if to == "pkg/test" && from != to {
				t.Errorf("%s imports %s, which is for tests", name, i)
			}
		}
	}
	for _, name := range order {
		if _, ok := all[name]; !ok && strings.HasPrefix(name, "pkg/") && name != "pkg/test" {
			t.Errorf("there is no package %s", name)
		}
	}
}

// The house stays small: a new package takes the place of another one.
func TestTheRoomsAreFew(t *testing.T) {
	const most = 34
	var rooms []string
	for name := range packages(t) {
		if strings.HasPrefix(name, "pkg/") && !strings.HasPrefix(name, "pkg/test/") {
			rooms = append(rooms, name)
		}
	}
	if len(rooms) > most {
		t.Errorf("%d packages of the product, at most %d: %v", len(rooms), most, rooms)
	}
}

func TestEnginesKnowOnlyWhatTheyNeed(t *testing.T) {
	for name, imports := range packages(t) {
		if !strings.HasPrefix(name, "pkg/engine/") {
			continue
		}
		for _, i := range inside(imports) {
			if !slices.Contains(engineImports, i) {
				t.Errorf("%s imports %s", name, i)
			}
		}
	}
}

func TestOnlyEnginesAndBindingsHoldC(t *testing.T) {
	for name, imports := range packages(t) {
		if strings.HasPrefix(name, "pkg/test/") || slices.Contains(mayHoldC, folder(name)) {
			continue
		}
		for _, i := range imports {
			if slices.Contains(bindings, i) {
				t.Errorf("%s imports %s", name, i)
			}
		}
	}
}

func TestThePlanOfThePackagesNamesEachOne(t *testing.T) {
	plan, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range packages(t) {
		if folder, ok := strings.CutPrefix(name, "pkg/"); ok && !strings.Contains(folder, "/") && folder != "test" {
			if !strings.Contains(string(plan), "`"+folder+"`") {
				t.Errorf("pkg/README.md does not name %s", name)
			}
		}
	}
}
