package script_test

import (
	"errors"
	"strings"
	"testing"

	"h5perf/pkg/script"
)

// read reads a workload whose steps write one of three datasets.
func read(t *testing.T, plain, chunked, gzip string) script.Workload {
	t.Helper()
	w, err := script.Read("own.yaml", []byte(`workload: own
sizes: {n: 40}
sets: {small: {n: 8}}
choices:
  storage: [plain, chunked, gzip]
  mode: [collective, independent]
files:
  f: {name: f, per: run}
objects:
  a: {dataset: a, in: f, type: i32, extent: [n, 20]}
  b: {dataset: b, in: f, type: i32, extent: [n, 20], `+chunked+`}
  c: {dataset: c, in: f, type: i32, extent: [n, 20], chunk: [4, 10], filters: [{deflate: 1}]}
write:
  dumps: 1
  dump:
    - create: f
    - when: {storage: plain}
      do: [{create: a}, {write: a, `+plain+`, mode: {choice: mode}}, {close: a}]
    - when: {storage: chunked}
      do: [{create: b}, {write: b, select: {rule: slab}, mode: {choice: mode}}, {close: b}]
    - when: {storage: gzip}
      do: [{create: c}, {write: c, select: {rule: slab}, `+gzip+`}, {close: c}]
    - close: f
`))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

const (
	slab       = "select: {rule: slab}"
	fits       = "chunk: [4, 10]"
	collective = "mode: collective"
)

func TestEachWordOfEachChoiceIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		plain, chunked, gzip string
		ranks                int64
		errors, notes        []string
	}{
		"all is well": {slab, fits, collective, 0, nil, nil},
		"a chunk larger than the dataset": {
			slab, "chunk: [60, 10]", collective, 0,
			[]string{"with storage=chunked: own.yaml:11:62: the extent of a chunk is 60"},
			nil,
		},
		"a chunk larger than the dataset of a set of sizes": {
			slab, "chunk: [20, 10]", collective, 0,
			[]string{"with storage=chunked, --size small: own.yaml:11:62: the extent of a chunk is 20"},
			nil,
		},
		"an independent write with a filter": {
			slab, fits, "mode: {choice: mode}", 0,
			[]string{"with mode=independent, storage=gzip, --size small, 4 ranks: own.yaml:22:65: \"c\" has filters"},
			nil,
		},
		"the same with one rank": {slab, fits, "mode: {choice: mode}", 1, nil, nil},
		"a grid for 6 ranks": {
			"select: {rule: block, grid: [2, 3]}", fits, collective, 0, nil,
			[]string{
				"with 1 rank: own.yaml:18:45: a, [40 20]: rule block: grid [2 3]", "with 4 ranks:",
				"6 ranks can run it",
			},
		},
		"a grid for 6 ranks, with 6": {"select: {rule: block, grid: [2, 3]}", fits, collective, 6, nil, nil},
		"a grid for 6 ranks, with 5": {
			"select: {rule: block, grid: [2, 3]}", fits, collective, 5, []string{"with 5 ranks: own"}, nil,
		},
		"a grid of too many dimensions": {
			"select: {rule: block, grid: [2, 3, 4]}", fits, collective, 0, []string{"own.yaml:18"}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := script.CheckChoices(read(t, c.plain, c.chunked, c.gzip), script.CheckOptions{Ranks: c.ranks})
			if (err != nil) != (c.errors != nil) || (len(c.notes) > 0) != strings.Contains(text, "Note: ") {
				t.Errorf("error %v, want %q; text %s", err, c.errors, text)
			}
			for _, want := range c.errors {
				if err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
			for _, want := range c.notes {
				if !strings.Contains(text, want) {
					t.Errorf("text %s, want %q", text, want)
				}
			}
			if err == nil && !strings.Contains(text, "3 other words of choices checked, and 2 combinations of words") {
				t.Errorf("text %s, want all words and combinations", text)
			}
		})
	}
}

func TestWhatTheLibraryLacksIsANote(t *testing.T) {
	text, err := script.CheckChoices(
		read(t, slab, fits, collective),
		script.CheckOptions{Lacks: func(r script.Resolved) error {
			if r.Objects["c"].Filters != nil {
				return errors.New("there is no deflate")
			}
			return nil
		}},
	)
	if err != nil || strings.Count(text, "Note: with storage=gzip: there is no deflate.\n") != 1 {
		t.Errorf("error %v, text %s", err, text)
	}
}

func TestProfilesCanBeRunWithAllWords(t *testing.T) {
	for _, name := range script.ProfileNames() {
		w, err := script.ReadProfile(name)
		if err == nil {
			_, err = script.CheckChoices(w, script.CheckOptions{})
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
