package script_test

import (
	"errors"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/usage"
)

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
		c, err := s.Choose(test.set, test.values, script.JobSize{Ranks: 1, Nodes: 1})
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
		{"", "n", "8K*2", "the size n=8K*2: only a script has expressions: give a number, such as 64K"},
		{"", "mode", "colective", `did you mean "collective"?`},
	} {
		_, err := s.Choose(test.set, map[string]string{test.name: test.value}, script.JobSize{Ranks: 1, Nodes: 1})
		if test.name == "" {
			_, err = s.Choose(test.set, nil, script.JobSize{Ranks: 1, Nodes: 1})
		}
		if _, is := errors.AsType[*usage.Error](err); !is || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// A script may fail because of the default that stands in for a wrong word or name: the user is told of that one.
func TestWrongNamesAndWordsAreToldBeforeFailuresOfTheScript(t *testing.T) {
	s := read(t, `
n = size(4, "n")
kind = choice("one", "many", about = "kind")
if kind == "one" and n != 4: fail("n does nothing with kind=one")
late = choice("no", "yes", about = "declared after fail")
def write(job): pass
`)
	for _, test := range []struct{ given, want string }{
		{"n=8", "w.star:4:34: n does nothing with kind=one"},
		{"n=8 kind=links", `the choice kind "links": must be one of one, many`},
		{"n=8 kid=many", `the size or choice "kid": must be one of n, kind, late; did you mean "kind"?`},
		{"n=8 late=yes", "w.star:4:34: n does nothing with kind=one"},
		{"n=8 kind=many late=never", `the choice late "never": must be one of no, yes`},
		{"n=8 kind=many late=yes", ""},
	} {
		given := map[string]string{}
		for word := range strings.FieldsSeq(test.given) {
			name, value, _ := strings.Cut(word, "=")
			given[name] = value
		}
		c, err := s.Choose("", given, script.JobSize{Ranks: 1, Nodes: 1})
		if test.want == "" && (err != nil || c == nil) || test.want != "" && (err == nil || err.Error() != test.want) {
			t.Errorf("%s: %v, want %q", test.given, err, test.want)
		}
	}
}
