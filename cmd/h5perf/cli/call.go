package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"h5perf/pkg/launcher"
	"h5perf/pkg/output"
	"h5perf/pkg/result"
)

// commandCall holds a command line, and everything that the command needs to be executed.
type commandCall struct {
	args           []string // including the name of the program
	words          []string // the command and its arguments; only options for the parallel tool, which has no name
	lookup         func(string) (string, bool)
	stdout, stderr io.Writer
	rank           int // of this process in its job
	silent         bool
	tools          Tools

	rerunDocument *result.Document  // the run to repeat, or nil
	variables     map[string]string // variables of the old run that are not set now
	workload      *result.Workload  // the workload that the old run measured, or nil
}

// executeOnRanks runs a command and returns the exit status. In a job of several processes, the field Job of the
// command says which processes run it.
func (c commandCall) executeOnRanks(what Command) int {
	if what.Job == FirstRankOnly && c.rank > 0 {
		return result.ExitOK
	}
	c.silent = what.Job == AllRanksTogether && c.rank > 0
	status, err := what.handler.execute(what, c)
	if err != nil {
		return c.exitWithError(err, what.Name)
	}
	return status
}

// exitWithError reports the error of a command, and returns the exit status. If all processes of a job run the command
// together, only the first process prints a usage error. The other processes wait a little, so that the message comes
// before the launcher ends the job.
func (c commandCall) exitWithError(err error, name string) int {
	unwritten, lost := errors.AsType[*output.StreamError](err)
	switch {
	case lost:
		_, _ = fmt.Fprintf(c.stderr, "h5perf: %v\n", unwritten)
		return result.ExitFailed
	case c.silent:
		sleep := c.tools.Sleep
		if sleep == nil {
			sleep = time.Sleep
		}
		sleep(launcher.FirstRankHeadStart)
		return result.ExitUsage
	}
	return printUsageError(c.stderr, err, c.args, name)
}

// outputWriter returns the stream to which the command prints.
func (c commandCall) outputWriter() io.Writer {
	if c.silent {
		return io.Discard
	}
	return c.stdout
}

// getenv returns the value of an environment variable, or "" if it is not set.
func (c commandCall) getenv(name string) string {
	value, _ := c.lookup(name)
	return value
}
