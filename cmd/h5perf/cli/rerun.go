package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
)

// rerunForm is the command line of rerun.
type rerunForm struct{}

func (rerunForm) page(Command) (help.Page, error) {
	return help.Page{
		Usage: []string{"h5perf rerun FILE [-- options]", "mpiexec -n N h5perf rerun FILE [-- options]"},
		About: `Repeat the run of a document: the same tool with the same options. The notes of the new document
name the old run and show what is different now: machine, software, file system, job,
parameters.

Options that say where results go are not repeated. Options after -- are added; they take precedence over
those of the document. Variables of the environment have the values of the old run, unless they are set now.
All processes read FILE: it must be visible on all nodes.`,
		Sections: []help.Section{{
			Title: "Example",
			Text:  "  mpiexec -n 4 h5perf rerun results/mine.json -- --json results/again.json\n",
		}},
	}, nil
}

// run runs the tool of the old run again.
func (rerunForm) run(what Command, c call) (int, error) {
	words := c.words[1:]
	if len(words) > 0 && (words[0] == "-h" || words[0] == "--help") {
		return 0, helper{what.Page, called(c.args, what.Name), c.stdout}.show(words) // on every process
	}
	name, err := c.repeat(words)
	if err != nil {
		return 0, err
	}
	return c.run(find(name)), nil
}

// repeat changes the call to one that repeats an old run, and returns the command of its tool. words are those after
// the command rerun. A document is no command line: what it may name is exactly what the tool records in one.
func (c *call) repeat(words []string) (tool string, err error) {
	switch {
	case len(words) == 0:
		return "", errors.New("rerun needs the document of a run")
	case len(words) > 1 && words[1] != "--":
		return "", fmt.Errorf("%q: write the options of the new run after --", words[1])
	}
	old, err := result.Read(words[0])
	if err != nil {
		return "", err
	}
	if old.RunID != plain.Line(old.RunID) { // the notes of the new run name it
		return "", fmt.Errorf("document %s: run_id %q has characters that cannot be seen", words[0], old.RunID)
	}
	c.old, c.variables, c.words = &old, map[string]string{}, nil
	known := variablesOf[old.Kind]
	if old.Kind == result.KindSerial {
		tool = serialCommand
		c.words = []string{serialCommand}
	}
	options, err := optionsOf(old.Kind)
	if err != nil {
		return "", err
	}
	for _, g := range old.Given {
		option := options[g.Name]
		switch {
		case slices.Contains(known, g.Name):
			if _, set := c.lookup(g.Name); !set {
				c.variables[g.Name] = g.Value
			}
		case option == nil:
			return "", fmt.Errorf("document %s: this h5perf does not know the parameter %q, so the run is not started",
				words[0], g.Name)
		case option.Tag.Has("once"):
		case option.IsBool() && g.Value == "":
			c.words = append(c.words, "--"+g.Name)
		default:
			c.words = append(c.words, "--"+g.Name+"="+g.Value)
		}
	}
	c.words = append(c.words, words[min(2, len(words)):]...)
	c.lookup = run.Over(c.variables, c.lookup)
	return tool, nil
}

// optionsOf returns the options of a tool by their long names.
func optionsOf(kind result.Kind) (map[string]*kong.Flag, error) {
	parser, err := newParser(&grammar{}, &values{})
	if err != nil {
		return nil, err
	}
	options := map[string]*kong.Flag{}
	for _, tool := range parser.Model.Children {
		if tool.Name == string(kind) {
			for _, option := range tool.Flags {
				options[option.Name] = option
			}
		}
	}
	return options, nil
}
