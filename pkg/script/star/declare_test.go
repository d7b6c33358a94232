package star_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/script"
	"h5perf/pkg/script/star"
	"h5perf/pkg/usage"
)

// computed are sizes of YAML files that scripts compute by themselves, as only they use them.
var computed = []string{
	"nx", "ny", "nz", "all_files", "cell", "fours", "grids_0", "grids_1", "grids_2", "all_blocks", "most",
}

func line(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestScriptsDeclareWhatTheYAMLDoes(t *testing.T) {
	for _, name := range star.ProfileNames() {
		w, err := script.ReadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := star.ReadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, want, got any) {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s (- YAML, + script):\n%s", name, what, diff)
			}
		}
		lines := func(texts []string) (all []string) {
			for _, text := range texts {
				all = append(all, line(text))
			}
			return all
		}
		check("name", w.Name.String(), s.Name)
		check("about", line(w.About), s.About)
		check("true to", lines(w.TrueTo), s.TrueTo)
		check("leaves out", lines(w.LeavesOut), s.LeavesOut)
		settings := map[string]string{}
		resolved, err := script.Resolve(w, "", nil, script.Job{Ranks: 1, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		for setting := range w.Settings {
			settings[setting], _ = resolved.Setting(setting)
		}
		declared := map[string]string{}
		for _, x := range s.Settings {
			declared[x.Name] = x.Value
		}
		check("settings", settings, declared)
		sizes := maps.Clone(resolved.Sizes)
		maps.DeleteFunc(sizes, func(name string, _ int64) bool { return slices.Contains(computed, name) })
		got := map[string]int64{}
		for _, x := range s.Sizes {
			got[x.Name] = x.Value
			if x.About == "" {
				t.Errorf("%s: the size %s has no meaning", name, x.Name)
			}
		}
		maps.DeleteFunc(got, func(name string, _ int64) bool { return slices.Contains(computed, name) })
		check("sizes", sizes, got)
		words := map[string][]string{}
		for choice, all := range w.Choices {
			for _, word := range all {
				words[choice] = append(words[choice], word.String())
			}
		}
		chosen := map[string][]string{}
		for _, x := range s.Choices {
			chosen[x.Name] = x.Words
			if x.About == "" {
				t.Errorf("%s: the choice %s has no meaning", name, x.Name)
			}
		}
		check("choices", words, chosen)
		var sets []string
		for _, x := range s.Sets {
			sets = append(sets, x.Name)
		}
		check("sets", slices.Sorted(maps.Keys(w.Sets)), slices.Sorted(slices.Values(sets)))
	}
}

func TestSizesAndChoicesAreChosen(t *testing.T) {
	s := read(t, `
n = size("4K", "elements", max = 1 << 20)
twice = size(2 * n, "twice as many")
mode = choice("collective", "independent", about = "how")
tiny = size_set(n = "1K", mode = "independent")
def write(job):
    pass
`)
	for _, test := range []struct {
		set    string
		values map[string]string
		want   []int64
		word   string
	}{
		{"", nil, []int64{4096, 8192}, "collective"},
		{"tiny", nil, []int64{1024, 2048}, "independent"},
		{"tiny", map[string]string{"n": "2K"}, []int64{2048, 4096}, "independent"},
		{"", map[string]string{"twice": "7", "mode": "independent"}, []int64{4096, 7}, "independent"},
	} {
		c, err := s.Choose(test.set, test.values, star.Job{Ranks: 1, Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		if c.Sizes[0].Value != test.want[0] || c.Sizes[1].Value != test.want[1] || c.Choices[0].Word != test.word {
			t.Errorf("%+v: %+v, %+v", test, c.Sizes, c.Choices)
		}
		if c.Title != s.Title || c.Name != "w" {
			t.Errorf("%q, %q", c.Title, c.Name)
		}
	}
	for _, test := range []struct {
		set, name, value, want string
	}{
		{"tony", "", "", `did you mean "tiny"?`},
		{"", "x", "1", "must be one of n, twice, mode"},
		{"", "twise", "1", `did you mean "twice"?`},
		{"", "n", "2M", "give a number from 0 to 1048576"},
		{"", "n", "many", "many"},
		{"", "mode", "colective", `did you mean "collective"?`},
	} {
		_, err := s.Choose(test.set, map[string]string{test.name: test.value}, star.Job{Ranks: 1, Nodes: 1})
		if test.name == "" {
			_, err = s.Choose(test.set, nil, star.Job{Ranks: 1, Nodes: 1})
		}
		if _, is := errors.AsType[*usage.Error](err); !is || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}
