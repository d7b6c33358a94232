package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"h5perf/pkg/exit"
	"h5perf/pkg/launcher"
	"h5perf/pkg/result"
	"h5perf/pkg/stream"
)

// call holds a command line and what a command needs to execute it.
type call struct {
	args           []string // as the program was called
	words          []string // from the command on; the command that needs no word has only options
	lookup         func(string) (string, bool)
	stdout, stderr io.Writer
	rank           int // of the process in its job
	silent         bool
	tools          Tools

	old       *result.Document  // the run that this one repeats, or nil
	variables map[string]string // variables of the old run that are not set now
}

// run runs a command and returns the exit status, in a job as the command does that. A usage error of a command that
// a job runs together is printed by the first process. The others wait a little, so that its message comes before the
// launcher ends the job.
func (c call) run(what Command) int {
	if what.Job == First && c.rank > 0 {
		return exit.OK
	}
	c.silent = what.Job == Together && c.rank > 0
	status, err := what.form.run(what, c)
	unwritten, lost := errors.AsType[*stream.Error](err)
	switch {
	case err == nil:
		return status
	case lost:
		_, _ = fmt.Fprintf(c.stderr, "h5perf: %v\n", unwritten)
		return exit.Failed
	case c.silent:
		sleep := c.tools.Sleep
		if sleep == nil {
			sleep = time.Sleep
		}
		sleep(launcher.HeadStart)
		return exit.Usage
	}
	return refuse(c.stderr, err, c.args, what.Name)
}

// out returns the stream to which the command prints.
func (c call) out() io.Writer {
	if c.silent {
		return io.Discard
	}
	return c.stdout
}
