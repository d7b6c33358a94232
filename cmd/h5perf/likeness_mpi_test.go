//go:build cgo && !nompi

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/pattern"
	"h5perf/pkg/result"
	"h5perf/pkg/script"
	"h5perf/pkg/script/fromfile"
	"h5perf/pkg/workload"
)

// For each common library, a workload is made from a file of that library. The file of the workload must have the same
// tree, types and attributes, except for those that are listed as left out. Its data must be read as they were written,
// through every API.
func TestTheLikeOfAFile(t *testing.T) {
	t.Parallel()
	n := 3
	if !isOpenMPI() { // its ranks poll: more ranks than processors take minutes
		n = 2
	}
	for script, least := range map[string]int{
		"odd": 350, "datatypes": 700, "netcdf": 14, "pytables": 8, "matlab": 13, "variable": 12,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			path := made(t, script, t.TempDir())
			checkLike(t, path, n)
			if n := len(structure(t, path)); n < least {
				t.Errorf("%d objects and attributes, want at least %d", n, least)
			}
		})
	}
}

// Small files that others made in unusual ways go the same way, with two ranks and with one.
func TestTheLikesOfACollectionOfFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := exec.Command("/usr/bin/python3", "testdata/files/collection.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("collection.py: %v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.h5"))
	if err != nil || len(files) != 43 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".h5"), func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{2, 1} {
				checkLike(t, path, n)
			}
		})
	}
}

// checkLike makes a workload from a file, checks it and runs it on n ranks. It compares the file of the workload with
// the original.
func checkLike(t *testing.T, path string, n int) {
	t.Helper()
	base := t.TempDir()
	text, told, status := tool(t, "workload", "from", path)
	if status != 0 {
		t.Fatalf("status %d: %s", status, told)
	}
	workloadFile := filepath.Join(base, "like.star")
	if err := os.WriteFile(workloadFile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, told, status := tool(t, "workload", "check", workloadFile); status != 0 {
		t.Fatalf("check: status %d: %s", status, told)
	}
	l := launch(t, n, base, nil, nil, "run", workloadFile, "-D", "v", "--keep")
	if status := l.wait(3 * startTime); status != 0 {
		t.Errorf("%d ranks: exit status %d", n, status)
	}
	doc := l.document()
	if len(doc.Cases) != 3 {
		t.Fatalf("%d cases", len(doc.Cases))
	}
	for _, c := range doc.Cases {
		if c.State != result.Complete || !c.Verified {
			t.Errorf("%s: %s, verified %v, %+v", c.API, c.State, c.Verified, c.Error)
		}
		for _, caution := range figures.CollectiveCautions(c) {
			t.Errorf("%s: collective mode is proposed where HDF5 has none: %s", c.API, caution.Text)
		}
	}
	likes, err := filepath.Glob(filepath.Join(base, "h5perf-"+doc.RunID, "data_*.h5"))
	if err != nil || len(likes) != 1 {
		t.Fatalf("files %v, %v", likes, err)
	}
	left := leftOut(t, text)
	for _, tree := range []func(*testing.T, string) map[string]string{listed, structure, described} {
		compareTrees(t, less(tree(t, path), left), tree(t, likes[0]))
	}
}

// compareTrees compares the objects and attributes of a like with those of its file.
func compareTrees(t *testing.T, want, got map[string]string) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if _, is := got[key]; is && want[key] == committed {
			continue
		}
		if got[key] != want[key] {
			t.Errorf("%s\n%s\nwant\n%s", key, got[key], want[key])
		}
	}
	for key := range got {
		if _, is := want[key]; !is {
			t.Errorf("%s is in the like only", key)
		}
	}
}

// meanLength is the mean length of values of variable length in the name of a type.
var meanLength = regexp.MustCompile(`of about \d+ bytes`)

// described returns how h5perf describes each object and attribute: what HDF5 keeps about it, its fill value, filters
// and extents. Attributes have the name of the one before, if their order is tracked.
func described(t *testing.T, path string) map[string]string {
	t.Helper()
	text, told, status := tool(t, describeArgument, path)
	var d fromfile.Description
	if err := json.Unmarshal([]byte(text), &d); err != nil || status != 0 {
		t.Fatalf("status %d, %v, %s", status, err, told)
	}
	all := map[string]string{}
	for _, o := range d.Objects {
		o.Parent, o.Stored, o.Fill.Allocate = 0, 0, "" // parallel HDF5 allocates early
		before := ""
		for _, a := range o.Attributes {
			text := fmt.Sprintf("%+v %s", a, before)
			if pattern.Product(a.Dims)%2 == 1 { // pairs of elements have the mean length
				text = meanLength.ReplaceAllString(text, "of some bytes")
			}
			all[fmt.Sprintf("attribute %s of %s", a.Name, o.Path)] = text
			if o.Tracking.Attributes != workload.NoOrder {
				before = a.Name
			}
		}
		o.Attributes = nil
		all[o.Path] = fmt.Sprintf("%+v", o)
	}
	return all
}

// leftOut returns the objects that a workload lists as left out.
func leftOut(t *testing.T, text string) (left []string) {
	t.Helper()
	s, err := script.Read("like.star", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range s.LeavesOut {
		if at := strings.LastIndex(line, ": "); at > 0 { // a reason has no colon except this one
			left = append(left, line[:at])
		}
	}
	return left
}

// less returns a tree without the objects that are left out, and without their contents.
func less(tree map[string]string, left []string) map[string]string {
	kept := maps.Clone(tree)
	for key := range tree {
		path := key
		if _, of, is := strings.Cut(key, " of /"); is && strings.HasPrefix(key, "attribute ") {
			path = "/" + of
		}
		for _, l := range left {
			if key == l || path == l || strings.HasPrefix(path, l+"/") {
				delete(kept, key)
			}
		}
	}
	return kept
}

// listed returns the objects that h5ls lists, by their paths.
func listed(t *testing.T, path string) map[string]string {
	t.Helper()
	out, err := exec.Command("h5ls", "-r", path).CombinedOutput()
	if err != nil {
		t.Fatalf("h5ls: %v\n%s", err, out)
	}
	all := map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(string(out), `\377`, `\xff`)) {
		name := regexp.MustCompile(`^(?:\\.|[^\\ ])*`).FindString(line)
		all[regexp.MustCompile(`\\([^0-9nx])`).ReplaceAllString(name, "$1")] = strings.TrimSpace(line[len(name):])
	}
	return all
}

// committed stands for a dataset or attribute of a committed type. The file of the workload has the type itself.
const committed = "of a committed type"

// structure returns the output of h5dump about each object and attribute, without values. The keys are "/path", or
// "attribute name of /path".
func structure(t *testing.T, path string) map[string]string {
	t.Helper()
	out, err := exec.Command("h5dump", "-A", path).CombinedOutput()
	if err != nil {
		t.Fatalf("h5dump: %v\n%s", err, out)
	}
	opens := regexp.MustCompile(
		`^ *(GROUP|DATASET|ATTRIBUTE|SOFTLINK|EXTERNAL_LINK|DATATYPE) "(.*)"(?: \{|.* \{|.*;)?$`)
	all := map[string]string{}
	type open struct {
		path   string
		indent int
	}
	stack := []open{}
	values := -1 // indentation of values, which are skipped

	// names in the file of odd.py, as h5perf prints them
	escaped := strings.NewReplacer("line\nbreak", `line\nbreak`, "not \xff", `not \xff`)
	for line := range strings.Lines(escaped.Replace(string(out))) {
		line = strings.TrimRight(line, "\n")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if strings.TrimSpace(line) == "};" { // the end of words or members of a type
			continue
		}
		switch text := strings.TrimSpace(line); {
		case values >= 0:
			if text == "}" && indent == values {
				values = -1
			}
			continue
		case text == "DATA {":
			values = indent
			continue
		}
		for len(stack) > 0 && stack[len(stack)-1].indent >= indent && strings.TrimSpace(line) != "}" {
			stack = stack[:len(stack)-1]
		}
		in := ""
		if len(stack) > 0 {
			in = stack[len(stack)-1].path
		}
		if m := opens.FindStringSubmatch(line); m != nil && !strings.Contains(line, `DATATYPE  "`) {
			name := strings.TrimSuffix(in, "/") + "/" + m[2]
			if m[2] == "/" {
				name = "/"
			}
			if m[1] == "ATTRIBUTE" {
				name = "attribute " + m[2] + " of " + in
			}
			stack = append(stack, open{name, indent})
			all[name] = m[1]
			continue
		}
		if text := strings.TrimSpace(line); text != "}" && in != "" {
			all[in] += "\n" + text
		}
	}
	for key, text := range all { // a committed type is replaced by the mark committed
		if strings.Contains(text, `DATATYPE  "/`) {
			all[key] = committed
		}
	}
	return all
}
