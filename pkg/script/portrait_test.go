package script_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/test/resulttest"
	"h5perf/pkg/usage"
)

func TestPages(t *testing.T) {
	const files = "../../cmd/h5perf/testdata/workloads/"
	for _, p := range []struct {
		name, workload string
		options        script.AboutOptions
	}{
		{"particles", "particles", script.AboutOptions{Size: "tiny", Ranks: 3}},
		{"structures", "particles", script.AboutOptions{Set: map[string]string{"file": "structures"}, Ranks: 1}},
		{"amr", files + "amr.yaml", script.AboutOptions{Ranks: 4}},
		{"climate", files + "climate.yaml", script.AboutOptions{Ranks: 4}},
		{"own", files + "own.yaml", script.AboutOptions{Ranks: 4}},
		{"divisions", "testdata/about/divisions.yaml", script.AboutOptions{Ranks: 8}},
		{"figures", "testdata/about/figures.yaml", script.AboutOptions{Ranks: 6}},
	} {
		w, err := script.OpenWorkload(p.workload)
		if err != nil {
			t.Fatal(err)
		}
		text, err := script.About(w, p.options)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		for line := range strings.Lines(text) {
			if len(line) > 121 {
				t.Errorf("%s: a line is longer than 120 characters: %s", p.name, line)
			}
		}
		resulttest.Golden(t, filepath.Join("testdata", "about", p.name+".txt"), text)
	}
}

func TestThereIsNoPageForJobsThatCannotBeDrawn(t *testing.T) {
	w, err := script.ReadProfile("particles")
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]script.AboutOptions{
		"--ranks 37: a picture has from 1 to 36 ranks; 'h5perf plan run' tells of more": {Ranks: 37},
		"--ranks 0: a picture has from 1 to 36 ranks":                                   {},
		"no set of sizes": {Ranks: 4, Size: "huge"},
	} {
		_, err := script.About(w, o)
		if _, is := errors.AsType[*usage.Error](err); !is || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %s", o, err, want)
		}
	}
	if w, err = script.OpenWorkload("testdata/about/figures.yaml"); err != nil {
		t.Fatal(err)
	}
	r, err := script.Resolve(w, "", nil, script.Job{Ranks: 3, Nodes: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := script.About(r.Workload, script.AboutOptions{Ranks: 4}); err == nil {
		t.Error("a page of another job than the workload was resolved for")
	}
}

// What a workload does stands before the picture, and is short enough to be read.
func TestPagesOfProfilesAreShort(t *testing.T) {
	for _, name := range script.ProfileNames() {
		w, err := script.ReadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := script.About(w, script.AboutOptions{Size: "tiny", Ranks: script.Ranks})
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
