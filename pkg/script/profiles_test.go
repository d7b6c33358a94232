package script_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/pattern"
	"h5perf/pkg/script"
	"h5perf/pkg/test/resulttest"
	"h5perf/pkg/workload"
)

func TestTheREADMEHasThePageOfEachProfile(t *testing.T) {
	const path = "profiles/README.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	about, _, _ := strings.Cut(string(text), "\n## ")
	want := strings.TrimRight(about, "\n") + "\n"
	for _, name := range script.ProfileNames() {
		w, err := script.ReadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		page, err := script.About(w, script.AboutOptions{Ranks: script.Ranks})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want += "\n## " + name + "\n\n```text\n" + page + "```\n"
	}
	resulttest.Golden(t, path, want)
}

func TestEachProfileHasItsSourcesAndSizes(t *testing.T) {
	for _, name := range script.ProfileNames() {
		w, err := script.ReadProfile(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if w.About == "" || len(w.TrueTo) == 0 || len(w.LeavesOut) == 0 {
			t.Errorf("%s does not tell what it is about, what it is true to, and what it leaves out", name)
		}
		for _, size := range []string{"", "tiny", "site"} {
			r, err := script.Resolve(w, size, nil, script.Job{Ranks: 4, Nodes: 2})
			if err != nil {
				t.Errorf("%s, %s: %v", name, size, err)
				continue
			}
			text, err := r.JSON()
			if err != nil {
				t.Fatal(err)
			}
			read, err := script.Read(name+".json", text)
			if err != nil {
				t.Errorf("%s, %s: %v\n%s", name, size, err, text)
				continue
			}
			again, err := script.Resolve(read, "", nil, script.Job{})
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
	for _, name := range script.ProfileNames() {
		w, err := script.ReadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []string{"tiny", "site"} {
			r, err := script.Resolve(w, size, nil, script.Job{})
			if err != nil {
				t.Fatal(err)
			}
			if a, err := r.Amount(script.Job{Ranks: 100_000, Nodes: 1000}); err != nil || a.Ops[0].Bytes == 0 {
				t.Errorf("%s, %s: %+v, %v", name, size, a, err)
			}
		}
	}
}

func TestAnUnknownProfileIsRefused(t *testing.T) {
	if _, err := script.ReadProfile("particle"); err == nil ||
		!strings.Contains(err.Error(), `did you mean "particles"?`) {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"../script", "", "profiles.go"} {
		if _, err := script.ReadProfile(name); err == nil {
			t.Errorf("%q is a profile", name)
		}
	}
}

// In size tiny, an epoch has 4 batches of 3 samples of each rank: 2 samples of each of 6 files.
func TestTrainingReadsEachSampleOnceInAnEpoch(t *testing.T) {
	w, err := script.ReadProfile("training")
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int64{1, 3, 4} {
		r, err := script.Resolve(w, "tiny", nil, script.Job{})
		if err != nil {
			t.Fatal(err)
		}
		var read [2]map[string]int
		var order [2][]string
		for rank := range ranks {
			p, err := r.Compile(rank, script.Job{Ranks: ranks, Nodes: 1})
			if err != nil {
				t.Fatal(err)
			}
			handles := []workload.Units{{Name: "samples", Number: 3 * uint64(ranks)}}
			if got := p.Parts[workload.Read].Handles; !slices.Equal(got, handles) {
				t.Errorf("%d ranks: a dump handles %+v, want %+v", ranks, got, handles)
			}
			for dump, d := range p.Parts[workload.Read].Dumps {
				epoch := dump / 4
				if read[epoch] == nil {
					read[epoch] = map[string]int{}
				}
				for _, s := range d.Epochs[0].Steps {
					if s.Class != workload.Transfer {
						continue
					}
					m := p.Moves[s.Move]
					if m.Selection.Kind() != pattern.Irregular && m.Selection.Bytes() != 128*128 {
						t.Fatalf("%d bytes of a sample", m.Selection.Bytes())
					}
					for at := range m.Plain.Runs() {
						sample := p.Files[s.File].Name + " " + strconv.FormatUint(at, 10)
						read[epoch][sample]++
						order[epoch] = append(order[epoch], sample)
					}
				}
			}
		}
		for epoch, samples := range read {
			if len(samples) != int(12*ranks) {
				t.Errorf("%d ranks, epoch %d: %d samples, want %d", ranks, epoch, len(samples), 12*ranks)
			}
			for sample, n := range samples {
				if n != 1 {
					t.Errorf("%d ranks, epoch %d: sample %s is read %d times", ranks, epoch, sample, n)
				}
			}
		}
		if slices.Equal(order[0], order[1]) {
			t.Errorf("%d ranks: both epochs have the same order", ranks)
		}
	}
}
