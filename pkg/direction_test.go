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

// layers orders the packages: an import goes to a lower layer, within layer 1, or within the same folder. A package is
// known by its own path or by the nearest folder above it that stands here.
var layers = map[string]int{
	"ansible": 4, "cmd": 4, "containers": 4,

	"pkg/run": 3,

	"pkg/bench": 2, "pkg/doctor": 2, "pkg/metrics": 2, "pkg/page": 2,
	"pkg/report": 2,

	"pkg/engine": 1, "pkg/figures": 1, "pkg/h5": 1, "pkg/history": 1, "pkg/launcher": 1, "pkg/mpi": 1,
	"pkg/placement": 1, "pkg/plan": 1, "pkg/node": 1, "pkg/result": 1, "pkg/rundir": 1,
	"pkg/watch": 1, "pkg/workload": 1,

	"pkg/option": 0, "pkg/fill": 0,

	"pkg/output": 0, "pkg/pattern": 0, "pkg/plain": 0, "pkg/process": 0,

	"pkg/stats": 0, "pkg/units": 0, "pkg/usage": 0,
}

// engineImports is all that an engine may know of the module.
var engineImports = []string{
	"pkg/engine", "pkg/fill", "pkg/h5", "pkg/mpi", "pkg/option", "pkg/pattern", "pkg/units", "pkg/workload",
}

// bindings are the packages that only those which may hold C import.
var bindings = []string{"C", "github.com/sbromberger/gompi", "gonum.org/v1/hdf5"}

// folder returns the key of layers that a package is known by, or ".".
func folder(name string) string {
	for ; name != "."; name = path.Dir(name) {
		if _, ok := layers[name]; ok {
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

func TestImportsPointDownwards(t *testing.T) {
	for name, imports := range packages(t) {
		from := folder(name)
		if from == "." && len(imports) > 0 {
			t.Errorf("%s has no layer in this test", name)
		}
		for _, i := range inside(imports) {
			to := folder(i)
			if from != to && layers[to] >= layers[from] && (layers[to] != 1 || layers[from] != 1) {
				t.Errorf("%s, layer %d, imports %s, layer %d", name, layers[from], i, layers[to])
			}
		}
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
		if strings.HasPrefix(name, "pkg/engine") || name == "pkg/mpi" || name == "pkg/process" ||
			name == "pkg/output" || folder(name) == "pkg/h5" {
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
		if folder, ok := strings.CutPrefix(name, "pkg/"); ok && !strings.Contains(folder, "/") {
			if !strings.Contains(string(plan), "`"+folder+"`") {
				t.Errorf("pkg/README.md does not name %s", name)
			}
		}
	}
}
