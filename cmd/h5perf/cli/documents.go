package cli

import (
	"cmp"
	"time"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/cmd/h5perf/command"
)

// documentsHandler executes a command that works on documents or on data files, and needs neither MPI nor HDF5.
type documentsHandler struct{ command.Handler }

func (d documentsHandler) helpPage(c Command) (help.Page, error) {
	return command.HelpPage(c.Name, longestText(c), d.Handler)
}

func (d documentsHandler) execute(what Command, c commandCall) (int, error) {
	if c.tools.Documents != nil {
		c.tools.Documents()
	}
	env := command.Env{Stdout: c.stdout, Stderr: c.stderr, Lookup: c.lookup, Now: time.Now}
	return command.Run(c.words, longestText(what), d.Handler, env)
}

// longestText returns the long description of a command, or the summary if there is no long description.
func longestText(c Command) string { return cmp.Or(c.About, c.Summary) }
