package script_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/pattern"
	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// profile returns a profile with a set of sizes and words for choices.
func profile(t *testing.T, name, set string, words map[string]string) *script.Script {
	t.Helper()
	s, err := script.ReadProfile(name)
	if err == nil {
		s, err = s.Choose(set, words, script.JobSize{Ranks: 1, Nodes: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEachProfileHasItsSourcesAndSizes(t *testing.T) {
	for _, name := range script.ProfileNames() {
		for _, set := range []string{"", "tiny", "site"} {
			s := profile(t, name, set, nil)
			if s.Title == "" || len(s.TrueTo) == 0 || len(s.LeavesOut) == 0 {
				t.Errorf("%s does not tell what it is, what it is true to, and what it leaves out", name)
			}
			for _, x := range s.Sizes {
				if x.About == "" {
					t.Errorf("%s: the size %s has no meaning", name, x.Name)
				}
			}
			for _, x := range s.Choices {
				if x.About == "" {
					t.Errorf("%s: the choice %s has no meaning", name, x.Name)
				}
			}
		}
	}
}

func TestAnUnknownProfileIsRefused(t *testing.T) {
	for name, want := range map[string]string{
		"particle": `did you mean "particles"?`, "../star": "must be one of", "": "must be one of",
		"profiles.go": "must be one of",
	} {
		if _, err := script.ReadProfile(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}

// All profiles pass their checks with each word of their choices and up to 7 ranks.
func TestProgramsOfProfilesPassTheirChecks(t *testing.T) {
	for _, name := range script.ProfileNames() {
		words := []map[string]string{nil}
		for _, x := range profile(t, name, "tiny", nil).Choices {
			for _, word := range x.Words[1:] {
				words = append(words, map[string]string{x.Name: word})
			}
		}
		for _, chosen := range words {
			s := profile(t, name, "tiny", chosen)
			for ranks := range int64(7) {
				job := script.JobSize{Ranks: ranks + 1, Nodes: (ranks + 4) / 4}
				if err := checked(s, job, true); err != nil {
					t.Errorf("%s, %v, %+v: %v", name, chosen, job, err)
					continue
				}
				var first []uint64
				for rank, p := range programs(t, s, job) {
					var steps []uint64
					for c := range p.CollectiveOperations() {
						steps = append(steps, c.Hash)
					}
					if rank == 0 {
						first = steps
					} else if !slices.Equal(first, steps) {
						t.Errorf("%s, %v, %+v: the collective steps of rank %d are not those of rank 0", name, chosen,
							job, rank)
					}
				}
			}
		}
	}
}

// The limits of object headers are told before a run, with the number of bytes.
func TestMetadataNamesTheLimitsOfHeaders(t *testing.T) {
	for _, c := range []struct{ kind, elements, want string }{
		{"compact", "8190", ""},
		{"compact", "8191", "more than 65524 bytes, the limit of HDF5 for data in an object header"},
		{"attribute", "8182", ""},
		{"attribute", "8183", "an attribute of 65464 bytes: the limit of HDF5 is 65456"},
		{"contiguous", "8192", ""},
	} {
		s := profile(t, "metadata", "tiny", map[string]string{"kind": c.kind, "elements": c.elements})
		_, err := s.Program(0, script.JobSize{Ranks: 1, Nodes: 1})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s of %s elements: %v, want %q", c.kind, c.elements, err, c.want)
		}
	}
}

// Each group of metadata has the same number of objects, at least one.
func TestMetadataRefusesFewerObjectsThanGroups(t *testing.T) {
	s, err := script.Open("metadata")
	if err != nil {
		t.Fatal(err)
	}
	for objects, want := range map[string]string{
		"3": "objects=3: there are 4 groups: give at least as many objects, or fewer groups", "4": "", "7": "",
	} {
		given := map[string]string{"shape": "tree", "objects": objects}
		_, err := s.Choose("tiny", given, script.JobSize{Ranks: 1, Nodes: 1})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s objects: %v, want %q", objects, err, want)
		}
	}
}

// A size or a choice that does nothing with other choices is refused by its name. The values of sets are not, since
// users choose them all at once.
func TestSizesAndChoicesThatDoNothingAreRefused(t *testing.T) {
	const data, opened = "kind=compact, contiguous, chunked or attribute", "kind=group or a kind of dataset"
	for _, c := range []struct{ workload, given, want string }{
		{"metadata", "branches=3", "branches=3 does nothing with shape=flat: leave it out, or give shape=tree"},
		{"metadata", "branches=3 shape=ranks", "branches=3 does nothing with shape=ranks: leave it out, or give "},
		{"metadata", "branches=3 shape=tree", ""},
		{"metadata", "depth=1", "depth=1 does nothing with shape=flat: leave it out, or give shape=tree"},
		{"metadata", "depth=1 shape=tree", ""},
		{"metadata", "elements=8", "elements=8 does nothing with kind=scalar: leave it out, or give " + data},
		{"metadata", "elements=8 kind=group", "elements=8 does nothing with kind=group: leave it out, or give "},
		{"metadata", "elements=8 kind=soft_link", "elements=8 does nothing with kind=soft_link: leave it out"},
		{"metadata", "elements=8 kind=attribute", ""},
		{"metadata", "elements=8 kind=compact", ""},
		{"metadata", "portion=7 kind=attribute", "portion=7 does nothing with kind=attribute: leave it out, or " +
			"give " + opened},
		{"metadata", "portion=7 kind=hard_link", "portion=7 does nothing with kind=hard_link: leave it out"},
		{"metadata", "portion=7 kind=group", ""},
		{"metadata", "fields=all kind=attribute", "fields=all does nothing with kind=attribute: leave it out"},
		{"metadata", "fields=time kind=external_link", "fields=time does nothing with kind=external_link: leave it "},
		{"metadata", "fields=all kind=chunked", ""},
		{"selections", "columns=128 storage=compact", "columns=128 does nothing with storage=compact, which has 8"},
		{"selections", "columns=128 storage=filtered", ""},
		{"selections", "rows=1024 storage=compact", "rows=1024: with storage=compact, a rank of this job has at " +
			"most 1023: give so many, or another storage"},
		{"selections", "rows=1023 storage=compact", ""},
		{"selections", "rows=1024 storage=external", ""},
	} {
		s, err := script.ReadProfile(c.workload)
		if err != nil {
			t.Fatal(err)
		}
		given := map[string]string{}
		for word := range strings.FieldsSeq(c.given) {
			name, value, _ := strings.Cut(word, "=")
			given[name] = value
		}
		_, err = s.Choose("", given, script.JobSize{Ranks: 1, Nodes: 1})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %s: %v, want %q", c.workload, c.given, err, c.want)
		}
	}
	for _, name := range []string{"metadata", "selections"} {
		for _, x := range profile(t, name, "", nil).Choices {
			for _, word := range x.Words {
				for _, set := range profile(t, name, "", nil).Sets {
					profile(t, name, set.Name, map[string]string{x.Name: word})
				}
			}
		}
	}
}

// The line of a profile says nothing to a user who chose a wrong value. That of a script of one's own does.
func TestRefusalsOfProfilesAreTheirTextAlone(t *testing.T) {
	s := profile(t, "metadata", "", nil)
	const text = "elements=8 does nothing with kind=scalar: leave it out, or give kind=compact, contiguous, chunked " +
		"or attribute"
	for _, c := range []struct{ file, text, want, excerpt string }{
		{"metadata.star", s.Text(), text, ""},
		{"./metadata.star", s.Text(), "./metadata.star:50:13: " + text, "        fail("},
		{"metadata.star", s.Text() + "\n", "metadata.star:50:13: " + text, "        fail("},
	} {
		own, err := script.Read(c.file, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		_, err = own.Choose("tiny", map[string]string{"elements": "8"}, script.JobSize{Ranks: 1, Nodes: 1})
		e, is := errors.AsType[*script.PositionError](err)
		if !is || e.Error() != c.want || !strings.HasPrefix(e.Excerpt, c.excerpt) ||
			c.excerpt == "" && e.Excerpt != "" || !strings.HasSuffix(e.Position, "metadata.star:50:13") {
			t.Errorf("%s: %#v, want %q", c.file, err, c.want)
		}
	}
}

// Cases are what the statements about them say, with any number of ranks: where selections are not regular, one is not,
// and a rank is empty in one_empty.
func TestStatementsOfSelectionsAreAboutWhatRanksSelect(t *testing.T) {
	for ranks := range int64(6) {
		job := script.JobSize{Ranks: ranks + 1, Nodes: 1}
		for _, word := range []string{"kinds", "one_empty", "or", "strided"} {
			given := map[string]string{"selection": word, "storage": "contiguous"}
			s, err := profile(t, "selections", "tiny", nil).Choose("tiny", given, job)
			if err != nil {
				t.Fatal(err)
			}
			irregular, empty := false, false
			for _, p := range programs(t, s, job) {
				for _, m := range movesOf(&p, workload.Write, "/cells") {
					kind := m.Selection.Kind()
					irregular = irregular || kind == pattern.Irregular
					empty = empty || kind == pattern.None
				}
			}
			for _, st := range s.Statements {
				has := slices.ContainsFunc(st.Where, func(where script.ChosenWords) bool {
					return where.Choice == "selection" && slices.Contains(where.Words, word)
				})
				if has && strings.HasSuffix(st.Text, "if selections are not regular hyperslabs") && !irregular ||
					has && strings.HasSuffix(st.Text, "if selections are regular hyperslabs") && irregular ||
					has && strings.HasSuffix(st.Text, "in all other cases") && word == "one_empty" && !empty {
					t.Errorf("%d ranks, %s (irregular %v, empty %v): %s", job.Ranks, word, irregular, empty, st.Text)
				}
			}
		}
	}
}

// In the set tiny, an epoch of training has 4 batches with 3 samples for each rank. Each of 6 files has 2 samples.
func TestTrainingReadsEachSampleOnceInAnEpoch(t *testing.T) {
	s := profile(t, "training", "tiny", nil)
	for _, ranks := range []int64{1, 3, 4} {
		var order [2][]string
		for _, p := range programs(t, s, script.JobSize{Ranks: ranks, Nodes: 1}) {
			handles := []workload.Quantity{{Name: "samples", Number: 3 * uint64(ranks)}}
			if got := p.Parts[workload.Read].Quantities; !slices.Equal(got, handles) {
				t.Errorf("%d ranks: a dump handles %+v, want %+v", ranks, got, handles)
			}
			for dump, d := range p.Parts[workload.Read].Dumps {
				for _, step := range d.Epochs[0].Steps {
					if step.Class != workload.Transfer {
						continue
					}
					m := p.Moves[step.Move]
					if m.Selection.Kind() != pattern.Irregular && m.Selection.Bytes() != 128*128 {
						t.Fatalf("%d bytes of a sample", m.Selection.Bytes())
					}
					for at := range m.PlainSelection.Runs() {
						order[dump/4] = append(order[dump/4], fmt.Sprint(p.Files[step.File].Name, " ", at))
					}
				}
			}
		}
		for epoch, samples := range order {
			once := slices.Compact(slices.Sorted(slices.Values(samples)))
			if len(samples) != int(12*ranks) || len(once) != len(samples) {
				t.Errorf("%d ranks, epoch %d: %d samples, %d of them different, want %d", ranks, epoch, len(samples),
					len(once), 12*ranks)
			}
		}
		if slices.Equal(order[0], order[1]) {
			t.Errorf("%d ranks: both epochs have the same order", ranks)
		}
	}
}
