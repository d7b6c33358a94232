package portrait_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/usage"
	"h5perf/pkg/workload/notation"
	"h5perf/pkg/workload/portrait"
	"h5perf/pkg/workload/profiles"
)

var update = flag.Bool("update", false, "write the golden files")

func TestPages(t *testing.T) {
	const files = "../../../cmd/h5perf/testdata/workloads/"
	for _, p := range []struct {
		name, workload string
		options        portrait.Options
	}{
		{"particles", "particles", portrait.Options{Size: "tiny", Ranks: 3}},
		{"structures", "particles", portrait.Options{Set: map[string]string{"file": "structures"}, Ranks: 1}},
		{"amr", files + "amr.yaml", portrait.Options{Ranks: 4}},
		{"climate", files + "climate.yaml", portrait.Options{Ranks: 4}},
		{"own", files + "own.yaml", portrait.Options{Ranks: 4}},
		{"divisions", "testdata/divisions.yaml", portrait.Options{Ranks: 8}},
		{"figures", "testdata/figures.yaml", portrait.Options{Ranks: 6}},
	} {
		w, err := profiles.Open(p.workload)
		if err != nil {
			t.Fatal(err)
		}
		text, err := portrait.Page(w, p.options)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		for line := range strings.Lines(text) {
			if len(line) > 121 {
				t.Errorf("%s: a line is longer than 120 characters: %s", p.name, line)
			}
		}
		path := filepath.Join("testdata", p.name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), text); d != "" {
			t.Errorf("%s (-want +got)\n%s", path, d)
		}
	}
}

func TestThereIsNoPageForJobsThatCannotBeDrawn(t *testing.T) {
	w, err := profiles.Read("particles")
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]portrait.Options{
		"--ranks 37: a picture has from 1 to 36 ranks; 'h5perf plan run' tells of more": {Ranks: 37},
		"--ranks 0: a picture has from 1 to 36 ranks":                                   {},
		"no set of sizes": {Ranks: 4, Size: "huge"},
	} {
		_, err := portrait.Page(w, o)
		if _, is := errors.AsType[*usage.Error](err); !is || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %s", o, err, want)
		}
	}
	if w, err = profiles.Open("testdata/figures.yaml"); err != nil {
		t.Fatal(err)
	}
	r, err := notation.Resolve(w, "", nil, notation.Job{Ranks: 3, Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := portrait.Page(r.Workload, portrait.Options{Ranks: 4}); err == nil {
		t.Error("a page of another job than the workload was resolved for")
	}
}

// What a workload does stands before the picture, and is short enough to be read.
func TestPagesOfProfilesAreShort(t *testing.T) {
	for _, name := range profiles.Names() {
		w, err := profiles.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := portrait.Page(w, portrait.Options{Size: "tiny", Ranks: portrait.Ranks})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		page, _, pictured := strings.Cut(text, "\n\nWho writes what")
		if lines := strings.Count(page, "\n") + 1; lines > 12 || !pictured {
			t.Errorf("%s: %d lines before the picture, want at most 12 and a picture:\n%s", name, lines, page)
		}
	}
}
