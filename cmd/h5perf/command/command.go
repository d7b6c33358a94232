// Package command holds the commands that work on documents alone. They need neither MPI nor HDF5.
package command

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"
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

// Each command is a struct with its options and arguments, in a file of its own, and a method Run(Env) error.
type grammar struct {
	Report  Report  `cmd:"" help:"Show results: as a table, CSV, a page or a picture."`
	Compare Compare `cmd:"" help:"Compare two sets of results."`
	Trend   Trend   `cmd:"" help:"Find since when results are better or worse."`
	Push    Push    `cmd:"" help:"Push stored results to a Prometheus Pushgateway."`
	Prune   Prune   `cmd:"" help:"Remove old groups from a Prometheus Pushgateway."`
	Clean   Clean   `cmd:"" help:"List and remove what ended runs have left in a directory of data files."`
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

// Known tells whether a word is one of the commands.
func Known(word string) bool {
	for field := range reflect.TypeFor[grammar]().Fields() {
		if strings.ToLower(field.Name) == word { // as kong names commands
			return true
		}
	}
	return false
}

// Run runs the command that words begin with and returns the exit status.
func Run(words []string, env Env) int {
	over := -1 // help was printed, and kong wants to exit with this
	parser, err := kong.New(&grammar{}, kong.Name("h5perf"), kong.Writers(env.Stdout, env.Stderr), kong.Exit(func(code int) { over = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		return told(env, err)
	}
	ctx, err := parser.Parse(words)
	if over >= 0 {
		return over
	}
	if err != nil {
		return told(env, &InputError{fmt.Errorf("%w\nTry 'h5perf %s --help'", err, words[0])})
	}
	return told(env, ctx.Run(env))
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
