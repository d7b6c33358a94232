// Package command holds the commands that work on documents alone. They need neither MPI nor HDF5.
package command

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/help"
)

// Exit statuses.
const (
	ExitFailed = 1 // what was asked for could not be done, or --fail-on-worse found something
	ExitUsage  = 2 // wrong usage or bad input, with nothing done
)

// Env is what a command has of the world. Its errors go to Stderr through Run.
type Env struct {
	Stdout, Stderr io.Writer
	Lookup         func(string) (string, bool) // of the environment
	Now            func() time.Time
}

// Form is a command: a struct with its options and arguments for kong, in a file of its own.
type Form interface {
	Run(Env) error
}

// InputError is wrong usage or bad input, found before anything was done. Its text names the file and the place.
type InputError struct {
	Err error
}

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// StatusError ends a command that did its work with a status, and says why.
type StatusError struct {
	Status int
	Text   string
}

func (e *StatusError) Error() string { return e.Text }

// Page returns the help of the command of a name. about is what it does.
func Page(name, about string, f Form) (help.Page, error) {
	return help.OfGrammar(&struct{}{}, grammar(name, about, f)...)
}

// Run reads words, of which the first is the name of the command, into the command, runs it, and returns the exit
// status. about is what the command does.
func Run(words []string, about string, f Form, env Env) int {
	asked, err := help.Parse(words, env.Stdout, &struct{}{}, grammar(words[0], about, f)...)
	switch {
	case asked:
		return 0
	case err != nil:
		return told(env, &InputError{fmt.Errorf("%w\nTry 'h5perf %s --help'", err, words[0])})
	}
	return told(env, f.Run(env))
}

// grammar is a command line that has one command.
func grammar(name, about string, f Form) []kong.Option {
	return []kong.Option{kong.Name("h5perf"), kong.DynamicCommand(name, about, "", f)}
}

// told tells of an error and returns the exit status.
func told(env Env, err error) int {
	if err == nil {
		return 0
	}
	_, _ = fmt.Fprintf(env.Stderr, "h5perf: %v\n", err)
	if _, ok := errors.AsType[*InputError](err); ok {
		return ExitUsage
	}
	if status, ok := errors.AsType[*StatusError](err); ok {
		return status.Status
	}
	return ExitFailed
}
