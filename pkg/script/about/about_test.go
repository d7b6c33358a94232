package about_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/script/about"
	"h5perf/pkg/test/resulttest"
	"h5perf/pkg/usage"
)

// profile returns a profile.
func profile(t *testing.T, name string) *script.Script {
	t.Helper()
	s, err := script.ReadProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPages(t *testing.T) {
	file := func(name string) *script.Script {
		path := filepath.Join("testdata", name+".star")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := script.Read(path, text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for name, p := range map[string]struct {
		script *script.Script
		set    string
		ranks  int
	}{
		"particles": {profile(t, "particles"), "tiny", 3},
		"climate":   {profile(t, "climate"), "tiny", 4},
		"amr":       {profile(t, "amr"), "tiny", 1},
		"divisions": {file("divisions"), "", 8},
		"figures":   {file("figures"), "", 6},
	} {
		text, err := about.Page(p.script, p.set, nil, p.ranks)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for line := range strings.Lines(text) {
			if len(line) > 121 {
				t.Errorf("%s: a line is longer than 120 characters: %s", name, line)
			}
		}
		resulttest.Golden(t, filepath.Join("testdata", name+".txt"), text)
	}
}

func TestBytesOutsideOfDumpsAreTold(t *testing.T) {
	s, err := script.Read("own.star", []byte(`"""A test."""
def write(job):
    f = job.create("f")
    d = f.create_dataset("d", "i4", 100)
    job.dump()
    d.write(everything(ranks = 1))
    f.close()
def read(job):
    f = job.open("f")
    f["d"].read(everything())
    f.close()
`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := about.Page(s, "", nil, 2)
	for _, want := range []string{
		"\nWrites:      1 dump; 0 B to 400 B of each rank and dump, independent; ",
		"\nReads:       0 dumps; 400 B of each rank outside of dumps, independent; ",
	} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("error %v, want %q in\n%s", err, want, text)
		}
	}
}

func TestThereIsNoPageForJobsThatCannotBeDrawn(t *testing.T) {
	for ranks, want := range map[int]string{
		37: "--ranks 37: a picture has from 1 to 36 ranks; 'h5perf plan run' tells of more",
		0:  "--ranks 0: a picture has from 1 to 36 ranks",
	} {
		_, err := about.Page(profile(t, "particles"), "", nil, ranks)
		if _, is := errors.AsType[*usage.Error](err); !is || !strings.Contains(err.Error(), want) {
			t.Errorf("%d ranks: error %v, want %s", ranks, err, want)
		}
	}
}

// The description comes before the picture and is short.
func TestPagesOfProfilesAreShort(t *testing.T) {
	for _, name := range script.ProfileNames() {
		text, err := about.Page(profile(t, name), "tiny", nil, about.Ranks)
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
