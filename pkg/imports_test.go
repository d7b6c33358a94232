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

// mostPackages is how many packages the product may have: a new one takes the place of another one.
const mostPackages = 34

// limits are what some packages may import of the module. Paths that end in a slash stand for all below.
var limits = []struct {
	of  []string
	may []string
}{
	{ // engines
		of: []string{"pkg/engine/"},
		may: []string{
			"pkg/engine", "pkg/fill", "pkg/h5", "pkg/mpi", "pkg/option", "pkg/pattern", "pkg/units", "pkg/workload",
		},
	},
	{ // output about a run is made from its document only
		of: []string{"pkg/figures", "pkg/history", "pkg/report", "pkg/page", "pkg/metrics"},
		may: []string{
			"pkg/figures", "pkg/history", "pkg/report", "pkg/option", "pkg/output", "pkg/placement", "pkg/plain",
			"pkg/result", "pkg/stats", "pkg/units", "pkg/usage", "pkg/workload",
		},
	},
	{ // what the document is made of
		of: []string{"pkg/result", "pkg/option", "pkg/workload", "pkg/placement"},
		may: []string{
			"pkg/fill", "pkg/option", "pkg/output", "pkg/pattern", "pkg/placement", "pkg/plain", "pkg/stats",
			"pkg/units", "pkg/usage", "pkg/workload",
		},
	},
	{ // scripts are read without a file system, a clock or C
		of: []string{"pkg/script", "pkg/script/fromfile"},
		may: []string{
			"pkg/fill", "pkg/option", "pkg/pattern", "pkg/plain", "pkg/script", "pkg/units", "pkg/usage",
			"pkg/workload",
		},
	},
	{ // leaves
		of: []string{
			"pkg/fill", "pkg/launcher", "pkg/pattern", "pkg/plain", "pkg/process", "pkg/stats", "pkg/units",
			"pkg/usage",
		},
	},
}

// mayHoldC are the packages with code in C.
var mayHoldC = []string{
	"pkg/engine", "pkg/engine/", "pkg/h5", "pkg/mpi", "pkg/output", "pkg/process", "pkg/test/",
}

// bindings are the packages that only those which may hold C import.
var bindings = []string{"C", "github.com/sbromberger/gompi", "gonum.org/v1/hdf5"}

// source is what is known of a package from its files.
type source struct {
	doc     string   // first sentence of its comment; "" if it has only tests
	imports []string // with MPI and without it, sorted
}

// packages returns the packages of the module by their paths, such as pkg/bench.
func packages(t *testing.T) map[string]source {
	t.Helper()
	all := map[string]source{}
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
			imports := slices.Concat(all[name].imports, p.Imports)
			slices.Sort(imports)
			all[name] = source{doc: p.Doc, imports: slices.Compact(imports)}
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

// inside returns the imports from the module itself, by their paths.
func (s source) inside() (names []string) {
	for _, i := range s.imports {
		if name, ok := strings.CutPrefix(i, "h5perf/"); ok {
			names = append(names, name)
		}
	}
	return names
}

// isOf reports whether a package is in a list.
func isOf(name string, list []string) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		return name == l || strings.HasSuffix(l, "/") && strings.HasPrefix(name, l)
	})
}

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	all := packages(t)
	for _, l := range limits {
		found := false
		for name, s := range all {
			if !isOf(name, l.of) {
				continue
			}
			found = true
			for _, i := range s.inside() {
				if !isOf(i, l.may) {
					t.Errorf("%s imports %s: limits does not allow it", name, i)
				}
			}
		}
		if !found {
			t.Errorf("limits: there is no package %v", l.of)
		}
	}
}

func TestOnlyTestsImportPackagesForTests(t *testing.T) {
	for name, s := range packages(t) {
		for _, i := range s.inside() {
			if strings.HasPrefix(i, "pkg/test/") && !strings.HasPrefix(name, "pkg/test/") {
				t.Errorf("%s imports %s, which is for tests", name, i)
			}
		}
	}
}

func TestPackagesAreFew(t *testing.T) {
	var product []string
	for name := range packages(t) {
		if strings.HasPrefix(name, "pkg/") && !strings.HasPrefix(name, "pkg/test/") {
			product = append(product, name)
		}
	}
	if len(product) > mostPackages {
		t.Errorf("%d packages of the product, at most %d: %v", len(product), mostPackages, product)
	}
}

func TestOnlyEnginesAndBindingsHoldC(t *testing.T) {
	for name, s := range packages(t) {
		for _, i := range s.imports {
			if slices.Contains(bindings, i) && !isOf(name, mayHoldC) {
				t.Errorf("%s imports %s: mayHoldC does not name it", name, i)
			}
		}
	}
}
