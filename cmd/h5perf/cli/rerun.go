package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"h5perf/pkg/result"
)

// rerunCommand is the command that repeats a run.
const rerunCommand = "rerun"

const rerunHelp = `Usage: h5perf rerun FILE [-- options]
       mpiexec -n N h5perf rerun FILE [-- options]

Repeats the run of a document, by the same tool and with the same options, and
tells what is not as it was: machine, software, file system, job, parameters.
The new document has this in its notes, and names the old one.

Where the old run put its report, document and metrics is not repeated. Options
behind -- are added, and win over those of the document. The variables of the
tools count as they were, unless they are set now. All processes read FILE: it
must be where all nodes see it.

  mpiexec -n 4 h5perf rerun results/mine.json -- --json results/again.json
`

// outputs are the options that tell where results go.
var outputs = []string{"output", "json", "results", "pushgateway", "textfile"}

// again is a run that repeats another.
type again struct {
	words     []string          // of the tool
	variables map[string]string // of the environment then, which are not set now
	old       *result.Document
}

// parseRerun reads the words behind the command. There is no old run when they ask for help, which is printed.
func parseRerun(words []string, lookup func(string) (string, bool), stdout io.Writer) (again, error) {
	if len(words) == 0 {
		return again{}, errors.New("rerun needs the document of a run")
	}
	if words[0] == "-h" || words[0] == "--help" {
		_, err := io.WriteString(stdout, rerunHelp)
		return again{}, err
	}
	if len(words) > 1 && words[1] != "--" {
		return again{}, fmt.Errorf("%q: the options of the new run come behind --", words[1])
	}
	old, err := result.Read(words[0])
	if err != nil {
		return again{}, err
	}
	a := again{variables: map[string]string{}, old: &old}
	if old.Kind == result.KindSerial {
		a.words = []string{serialCommand}
	}
	for _, g := range old.Given {
		switch {
		case g.Name == strings.ToUpper(g.Name): // options have small letters
			if _, set := lookup(g.Name); !set {
				a.variables[g.Name] = g.Value
			}
		case slices.Contains(outputs, g.Name):
		case g.Value == "":
			a.words = append(a.words, "--"+g.Name)
		default:
			a.words = append(a.words, "--"+g.Name+"="+g.Value)
		}
	}
	a.words = append(a.words, words[min(2, len(words)):]...)
	return a, nil
}
