package profiles_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/workload/notation"
	"h5perf/pkg/workload/portrait"
	"h5perf/pkg/workload/profiles"
)

var update = flag.Bool("update", false, "write the pages of the README")

func TestTheREADMEHasThePageOfEachProfile(t *testing.T) {
	const path = "README.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	about, _, _ := strings.Cut(string(text), "\n## ")
	want := strings.TrimRight(about, "\n") + "\n"
	for _, name := range profiles.Names() {
		w, err := profiles.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		page, err := portrait.Page(w, portrait.Options{Ranks: portrait.Ranks})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want += "\n## " + name + "\n\n```text\n" + page + "```\n"
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, string(text)); d != "" {
		t.Errorf("%s has other pages; write them with -update (-want +got)\n%s", path, d)
	}
}

func TestEachProfileHasItsSourcesAndSizes(t *testing.T) {
	for _, name := range profiles.Names() {
		w, err := profiles.Read(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if w.About == "" || len(w.TrueTo) == 0 || len(w.LeavesOut) == 0 {
			t.Errorf("%s does not tell what it is about, what it is true to, and what it leaves out", name)
		}
		for _, size := range []string{"", "tiny", "site"} {
			r, err := notation.Resolve(w, size, nil, notation.Job{Ranks: 4, Nodes: 2})
			if err != nil {
				t.Errorf("%s, %s: %v", name, size, err)
				continue
			}
			text, err := r.JSON()
			if err != nil {
				t.Fatal(err)
			}
			read, err := notation.Read(name+".json", text)
			if err != nil {
				t.Errorf("%s, %s: %v\n%s", name, size, err, text)
				continue
			}
			again, err := notation.Resolve(read, "", nil, notation.Job{})
			if err != nil {
				t.Errorf("%s, %s: %v", name, size, err)
				continue
			}
			second, _ := again.JSON()
			if d := cmp.Diff(string(text), string(second)); d != "" {
				t.Errorf("%s, %s: resolving again changes it\n%s", name, size, d)
			}
		}
	}
}

// All steps of a plan are counted, and a number of ranks does not cost any.
func TestProfilesHaveAmountsForManyRanks(t *testing.T) {
	for _, name := range profiles.Names() {
		w, err := profiles.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []string{"tiny", "site"} {
			r, err := notation.Resolve(w, size, nil, notation.Job{})
			if err != nil {
				t.Fatal(err)
			}
			if a, err := r.Amount(notation.Job{Ranks: 100_000, Nodes: 1000}); err != nil || a.Ops[0].Bytes == 0 {
				t.Errorf("%s, %s: %+v, %v", name, size, a, err)
			}
		}
	}
}

func TestAnUnknownProfileIsRefused(t *testing.T) {
	if _, err := profiles.Read("particle"); err == nil || !strings.Contains(err.Error(), `did you mean "particles"?`) {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"../profiles", "", "profiles.go"} {
		if _, err := profiles.Read(name); err == nil {
			t.Errorf("%q is a profile", name)
		}
	}
}
