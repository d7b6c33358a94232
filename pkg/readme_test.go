package pkg_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the list of packages in README.md anew")

// mostLines and mostWords keep README.md so short that it is read in ten minutes.
const (
	mostLines = 180
	mostWords = 2300
)

// The list of packages stands between these lines of README.md.
const (
	listBegin = "<!-- packages: go test ./pkg -update -->\n"
	listEnd   = "<!-- end of packages -->\n"
)

// readPage returns README.md.
func readPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// shortName is the path of a package as README.md has it: without pkg/.
func shortName(name string) string { return strings.TrimPrefix(name, "pkg/") }

// library holds the packages of pkg and cmd that are more than tests, by their paths.
type library map[string]source

// newLibrary returns the packages of the module that README.md lists.
func newLibrary(t *testing.T) library {
	all := library(packages(t))
	maps.DeleteFunc(all, func(name string, s source) bool {
		return !isOf(name, []string{"pkg/", "cmd/"}) || s.doc == ""
	})
	return all
}

// level returns how far a package stands above those that import nothing of the module, which have level 1.
func (l library) level(name string) int {
	highest := 0
	for _, i := range l[name].inside() {
		highest = max(highest, l.level(i))
	}
	return highest + 1
}

// needs reports whether a package imports another one, itself or through others.
func (l library) needs(name, other string) bool {
	return slices.ContainsFunc(l[name].inside(), func(i string) bool { return i == other || l.needs(i, other) })
}

// direct returns the imports of a package that none of its other imports needs.
func (l library) direct(name string) []string {
	all := l[name].inside()
	return slices.DeleteFunc(slices.Clone(all), func(i string) bool {
		return slices.ContainsFunc(all, func(other string) bool { return l.needs(other, i) })
	})
}

// levels returns the packages of the product by level, the highest first.
func (l library) levels() [][]string {
	var levels [][]string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if isOf(name, []string{"pkg/test/"}) {
			continue
		}
		for len(levels) < l.level(name) {
			levels = append(levels, nil)
		}
		levels[l.level(name)-1] = append(levels[l.level(name)-1], name)
	}
	slices.Reverse(levels)
	return levels
}

// described returns the item of a package: the first sentence of its comment.
func (l library) described(name string) (string, error) {
	word := path.Base(name)
	for _, kind := range []string{"Package ", "Command "} {
		if text, ok := strings.CutPrefix(l[name].doc, kind+word+" "); ok && strings.HasSuffix(text, ".") {
			return fmt.Sprintf("- `%s` %s", shortName(name), text), nil
		}
	}
	return "", fmt.Errorf("%s: its comment begins with %q: begin it with a whole sentence, \"Package %s ...\"", name,
		l[name].doc, word)
}

// uses returns the sentence that names the direct imports of a package, or "".
func (l library) uses(name string) string {
	var all []string
	for _, used := range l.direct(name) {
		all = append(all, "`"+shortName(used)+"`")
	}
	if all == nil {
		return ""
	}
	return " Uses " + strings.Join(all, ", ") + "."
}

// list returns the packages as README.md shows them: a picture of the levels, and an item for each package.
func (l library) list() (string, error) {
	var picture, product, support strings.Builder
	levels := l.levels()
	for i, names := range levels {
		var short []string
		for _, name := range names {
			item, err := l.described(name)
			if err != nil {
				return "", err
			}
			short = append(short, shortName(name))
			product.WriteString(item + l.uses(name) + "\n")
		}
		fmt.Fprintf(&picture, "%d  %s\n", len(levels)-i, strings.Join(short, "  "))
	}
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if !isOf(name, []string{"pkg/test/"}) {
			continue
		}
		item, err := l.described(name)
		if err != nil {
			return "", err
		}
		support.WriteString(item + "\n")
	}
	return fmt.Sprintf("```text\n%s```\n\n%s\nFor tests only:\n\n%s", &picture, &product, &support), nil
}

// The picture and the lines of the packages are made from imports and comments.
func TestThePageListsThePackages(t *testing.T) {
	page := readPage(t)
	before, rest, _ := strings.Cut(page, listBegin)
	have, after, found := strings.Cut(rest, listEnd)
	if !found {
		t.Fatalf("pkg/README.md lacks the lines %s and %s", listBegin, listEnd)
	}
	want, err := newLibrary(t).list()
	if err != nil {
		t.Fatal(err)
	}
	if have == want {
		return
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(before+listBegin+want+listEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the list of packages in pkg/README.md is old. Look at what changed: an import may have moved a package "+
		"to another level. Then write it anew: CGO_ENABLED=0 go test ./pkg -update\nold lines:\n%s\nnew lines:\n%s",
		missingLines(have, want), missingLines(want, have))
}

// missingLines returns the lines of a text that another one lacks.
func missingLines(text, other string) string {
	lines := strings.Split(other, "\n")
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return slices.Contains(lines, line)
	}), "\n")
}

func TestThePageIsShort(t *testing.T) {
	page := readPage(t)
	if n := strings.Count(page, "\n"); n > mostLines {
		t.Errorf("pkg/README.md has %d lines, at most %d", n, mostLines)
	}
	if n := len(strings.Fields(page)); n > mostWords {
		t.Errorf("pkg/README.md has %d words, at most %d", n, mostWords)
	}
}

var (
	quoted        = regexp.MustCompile("`([^`\n]+)`")
	fileName      = regexp.MustCompile(`^[\w./-]+\.(go|c|h|md|star|proves)$|^\.ci/\w+$`)
	qualifiedName = regexp.MustCompile(`^([a-z][a-z0-9]*)\.([A-Z]\w*)(\.\w+)?$`)
	cFunction     = regexp.MustCompile(`(?m)^\w[\w *]*?\b(\w+)\(`)
)

// walkTitle is the title of the section of README.md in which each name stands after the file that declares it.
const walkTitle = "## One run"

// Files and names that README.md quotes exist: a file by its path from pkg or from the repository, package.Name in that
// package, and in the section of walkTitle a name alone in the file that is quoted before it.
func TestWhatThePageNamesExists(t *testing.T) {
	page := readPage(t)
	_, after, found := strings.Cut(page, "\n"+walkTitle)
	if !found {
		t.Fatalf("pkg/README.md has no section %q", walkTitle)
	}
	walk, _, _ := strings.Cut(after, "\n## ")
	for _, m := range quoted.FindAllStringSubmatch(strings.Replace(page, walk, "", 1), -1) {
		if q := qualifiedName.FindStringSubmatch(m[1]); q != nil {
			checkQualified(t, m[1], q)
		} else if fileName.MatchString(m[1]) && findFile(m[1]) == "" {
			t.Errorf("pkg/README.md names the file %s, which does not exist", m[1])
		}
	}
	file, count := "", 0
	for _, m := range quoted.FindAllStringSubmatch(walk, -1) {
		switch {
		case !fileName.MatchString(m[1]):
			count++
			if file != "" && !slices.Contains(declaredIn(t, file), m[1]) {
				t.Errorf("pkg/README.md, %q: %s does not declare %s", walkTitle, file, m[1])
			}
		default:
			if file = findFile(m[1]); file == "" {
				t.Errorf("pkg/README.md, %q: there is no file %s", walkTitle, m[1])
			}
		}
	}
	if count == 0 {
		t.Errorf("pkg/README.md, %q names no function", walkTitle)
	}
}

// findFile returns the path of a file that README.md names, or "" if it does not exist.
func findFile(name string) string {
	for _, dir := range []string{".", ".."} {
		if file := filepath.Join(dir, name); fileExists(file) {
			return file
		}
	}
	return ""
}

func fileExists(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// checkQualified checks a name with its package, in parts as of qualifiedName.
func checkQualified(t *testing.T, name string, parts []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(parts[1], "*.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("pkg/README.md names %s, but there is no package %s", name, parts[1])
		return
	}
	for _, file := range files {
		if slices.Contains(declaredIn(t, file), parts[2]+parts[3]) {
			return
		}
	}
	t.Errorf("pkg/README.md names %s, which is not declared", name)
}

// declaredIn returns the names that a file declares at its top: functions, types, constants, variables, and methods and
// fields after the name of their type. Of a file in C, it returns the functions.
func declaredIn(t *testing.T, file string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if path.Ext(file) != ".go" {
		for _, m := range cFunction.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
		return names
	}
	tree, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, receiver(d)+d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				names = append(names, specified(s)...)
			}
		}
	}
	return names
}

// receiver returns the type of the receiver of a method and a dot, or "".
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, is := of.(*ast.StarExpr); is {
		of = star.X
	}
	if name, is := of.(*ast.Ident); is {
		return name.Name + "."
	}
	return ""
}

// specified returns the names that a part of a declaration declares.
func specified(s ast.Spec) (names []string) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names = append(names, n.Name)
		}
	case *ast.TypeSpec:
		names = append(names, s.Name.Name)
		var fields *ast.FieldList
		switch of := s.Type.(type) {
		case *ast.StructType:
			fields = of.Fields
		case *ast.InterfaceType:
			fields = of.Methods
		}
		if fields == nil {
			return names
		}
		for _, f := range fields.List {
			for _, n := range f.Names {
				names = append(names, s.Name.Name+"."+n.Name)
			}
		}
	}
	return names
}
