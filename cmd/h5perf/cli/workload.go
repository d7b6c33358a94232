package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/plain"
	"h5perf/pkg/units"
	"h5perf/pkg/workload/notation"
	"h5perf/pkg/workload/profiles"
)

// workloadForm is the command line of the command about workloads.
type workloadForm struct{}

func (workloadForm) page(Command) (help.Page, error) {
	return help.Page{
		Words: [][]string{{"list", "show", "check"}, profiles.Names()},
		Usage: []string{
			"h5perf workload list", "h5perf workload show NAME|FILE", "h5perf workload check NAME|FILE",
		},
		About: `Workloads are what 'h5perf run' measures: files, objects in them, and steps. h5perf has some as
profiles of known applications; others are files in YAML.

list    Print the names of the profiles, each with what it stands for.
show    Print a workload file.
check   Check a workload file, with each of its sets of sizes, and print what it does with 1 and with 4 ranks.`,
		Sections: []help.Section{{
			Title: "Example",
			Text: `  h5perf workload show particles >mine.yaml
      begin a workload of your own
`,
		}},
	}, nil
}

func (f workloadForm) run(what Command, c call) (int, error) {
	words := c.words[1:]
	if slices.Contains(words, "-h") || slices.Contains(words, "--help") {
		return 0, helper{what.Page, called(c.args, what.Name), c.out()}.show(words)
	}
	if len(words) == 0 {
		return 0, errors.New("workload needs a word: list, show or check")
	}
	want := map[string]int{"list": 0, "show": 1, "check": 1}
	n, known := want[words[0]]
	switch {
	case !known:
		return 0, fmt.Errorf("workload %s: the words are list, show and check", words[0])
	case len(words)-1 != n && n == 0:
		return 0, fmt.Errorf("workload %s: %q is a word too many", words[0], words[1])
	case len(words)-1 != n:
		return 0, fmt.Errorf("workload %s needs one workload: the name of a profile, or a file", words[0])
	}
	text, err := f.text(words)
	if err != nil {
		return 0, err
	}
	_, err = io.WriteString(c.out(), plain.Text(text))
	return 0, err
}

// text returns what a command prints.
func (workloadForm) text(words []string) (string, error) {
	if words[0] == "list" {
		return listed()
	}
	w, err := profiles.Open(words[1])
	if err != nil {
		return "", err
	}
	if words[0] == "check" {
		return checked(w)
	}
	if text, err := profiles.Text(words[1]); err == nil {
		return string(text), nil
	}
	text, err := w.JSON()
	return string(text) + "\n", err
}

// listed returns the profiles, each with the first sentence of what it stands for.
func listed() (string, error) {
	var b strings.Builder
	for _, name := range profiles.Names() {
		w, err := profiles.Read(name)
		if err != nil {
			return "", err
		}
		about, _, _ := strings.Cut(strings.Join(strings.Fields(w.About), " "), ". ")
		fmt.Fprintf(&b, "%-12s %s (sizes: %s)\n", name, strings.TrimSuffix(about, "."),
			strings.Join(slices.Sorted(maps.Keys(w.Sets)), ", "))
	}
	return b.String(), nil
}

// checked returns what a workload does with each of its sets of sizes, or what is wrong with it.
func checked(w notation.Workload) (string, error) {
	var b strings.Builder
	for _, size := range append([]string{""}, slices.Sorted(maps.Keys(w.Sets))...) {
		r, err := notation.Resolve(w, size, nil, notation.Job{})
		if err != nil {
			return "", err
		}
		for _, ranks := range []int64{1, 4} {
			job := notation.Job{Ranks: ranks, Nodes: 1}
			if _, err := r.Compile(ranks-1, job); err != nil {
				return "", err
			}
			all, err := r.Amount(job)
			if err != nil {
				return "", err
			}
			name := "sizes of the file"
			if size != "" {
				name = "--size " + size
			}
			fmt.Fprintf(&b, "%s, %s: %s written in %d dumps, %s read, %d datasets, %s on disk\n", name,
				units.Count(int(ranks), "rank", "ranks"), amountOf(all.Ops[0].Bytes), all.Ops[0].Dumps,
				amountOf(all.Ops[1].Bytes), all.Ops[0].Datasets, amountOf(all.DiskBytes))
		}
	}
	return b.String(), nil
}
