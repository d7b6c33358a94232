package command_test

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/plain"
)

func TestTextFitsATerminal(t *testing.T) {
	examples, err := filepath.Glob("../../../results/examples/*.json")
	if err != nil || len(examples) == 0 {
		t.Fatal(err, examples)
	}
	dir := swept(t)
	ranking, err := command.Ranking(layoutRuns(12, 1, 2, 0.5), nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"ranking": ranking}
	for _, words := range [][]string{
		append([]string{"report"}, examples...),
		append([]string{"report", "--summary"}, examples...),
		{"compare", examples[0], examples[1]},
		{"compare", examples[4], examples[4]},
		{"trend", dir},
		{"trend", "--nightly", dir},
		{"reference", "set", "--in", dir, "--note", "a", "--since", "2026-03-20"},
		{"reference", "show", "--in", dir},
		{"trend", dir + "/"},
		{"compare", "--reference", dir, dir},
	} {
		_, stdout, stderr := said(t, words...)
		if stdout == "" {
			t.Errorf("%v: no text: %s", words, stderr)
		}
		texts[strings.Join(words[:2], " ")] = stdout
	}
	for name, text := range texts {
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > plain.MaxLineWidth {
				t.Errorf("%s: a line of %d characters: %s", name, n, line)
			}
		}
	}
}
