package cli

import (
	"io"
	"time"

	"h5perf/pkg/launcher"
	"h5perf/pkg/result"
)

// call is a command line, and what a command needs to do what it asks.
type call struct {
	args           []string // as the program was called, for the document
	words          []string // for the command, whose name is the first unless it needs none
	lookup         func(string) (string, bool)
	stdout, stderr io.Writer
	rank           int // of the process in its job
	silent         bool
	tools          Tools

	old       *result.Document  // the run that this one repeats, or nil
	variables map[string]string // of the environment of the old run, which are not set now
}

// run runs a command and returns the exit status. A usage error of a command that a job runs together is printed by the
// first process; the others give it a head start.
func (c call) run(what Command) int {
	c.silent = what.Job && c.rank > 0
	status, err := what.form.run(what, c)
	switch {
	case err == nil:
		return status
	case c.silent:
		sleep := c.tools.Sleep
		if sleep == nil {
			sleep = time.Sleep
		}
		sleep(launcher.HeadStart)
		return ExitUsage
	}
	return refuse(c.stderr, err, what.Name)
}

// out returns the stream for what the command prints.
func (c call) out() io.Writer {
	if c.silent {
		return io.Discard
	}
	return c.stdout
}
