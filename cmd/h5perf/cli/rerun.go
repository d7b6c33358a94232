package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
)

// rerunForm is the command line of rerun.
type rerunForm struct{}

func (rerunForm) page(Command) (help.Page, error) {
	return help.Page{
		Usage: []string{"h5perf rerun FILE [-- options]", "mpiexec -n N h5perf rerun FILE [-- options]"},
		About: `Repeats the run of a document, by the same tool and with the same options, and
tells what is not as it was: machine, software, file system, job, parameters.
The new document has this in its notes, and names the old one.

Where the old run put its report, document and metrics is not repeated. Options
behind -- are added, and win over those of the document. The variables of the
tools count as they were, unless they are set now. All processes read FILE: it
must be where all nodes see it.

  mpiexec -n 4 h5perf rerun results/mine.json -- --json results/again.json
`,
	}, nil
}

// run runs the tool of the old run again.
func (rerunForm) run(what Command, c call) (int, error) {
	words := c.words[1:]
	if len(words) > 0 && (words[0] == "-h" || words[0] == "--help") {
		return 0, write(what.Page, c.stdout) // on every process
	}
	name, err := c.repeat(words)
	if err != nil {
		return 0, err
	}
	return c.run(find(name)), nil
}

// outputs holds the options that name where results go.
var outputs = []string{"output", "json", "results", "pushgateway", "textfile", "force"}

// repeat changes the call to one that repeats an old run, and returns the command of its tool. words are those after
// the command rerun.
func (c *call) repeat(words []string) (tool string, err error) {
	switch {
	case len(words) == 0:
		return "", errors.New("rerun needs the document of a run")
	case len(words) > 1 && words[1] != "--":
		return "", fmt.Errorf("%q: the options of the new run come behind --", words[1])
	}
	old, err := result.Read(words[0])
	if err != nil {
		return "", err
	}
	c.old, c.variables, c.words = &old, map[string]string{}, nil
	if old.Kind == result.KindSerial {
		tool = serialCommand
		c.words = []string{serialCommand}
	}
	for _, g := range old.Given {
		switch {
		case g.Name == strings.ToUpper(g.Name): // a variable of the environment: options have lower-case letters
			if _, set := c.lookup(g.Name); !set {
				c.variables[g.Name] = g.Value
			}
		case slices.Contains(outputs, g.Name):
		case g.Value == "":
			c.words = append(c.words, "--"+g.Name)
		default:
			c.words = append(c.words, "--"+g.Name+"="+g.Value)
		}
	}
	c.words = append(c.words, words[min(2, len(words)):]...)
	c.lookup = run.Over(c.variables, c.lookup)
	return tool, nil
}
