// Package command implements the commands that need neither MPI nor HDF5, such as report, compare and trend.
package command

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/history"
	"h5perf/pkg/output"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// Env holds what a command uses besides its arguments: output streams, environment variables and the clock. Run prints
// errors on Stderr.
type Env struct {
	Stdout, Stderr io.Writer
	Lookup         func(string) (string, bool) // returns environment variables
	Now            func() time.Time
}

func (e Env) printLine(format string, args ...any) error {
	_, err := io.WriteString(e.Stdout, plain.VisibleLine(fmt.Sprintf(format, args...))+"\n")
	return err
}

// printHighlighted writes text to Stdout. On a terminal, verdicts at the beginnings of lines are coloured.
func (e Env) printHighlighted(text string) error {
	_, err := io.WriteString(e.Stdout, output.LookOf(e.Stdout).StylePrefixes(text, verdictStyles...))
	return err
}

// verdictStyles holds the beginnings of lines that are coloured. Red is for errors only.
var verdictStyles = []output.StyledPrefix{
	{Text: string(history.Better), Style: output.Green},
	{Text: string(history.Worse), Style: output.Yellow},
	{Text: plain.CautionHead, Style: output.Yellow},
}

// printDiagnostic writes a line with the name of the program to Stderr. It does not break the line, so that a command
// in it can be copied.
func (e Env) printDiagnostic(text string) {
	_, _ = io.WriteString(e.Stderr, "h5perf: "+plain.VisibleLine(text)+"\n")
}

// printNote writes a note with the name of the program to Stderr.
func (e Env) printNote(format string, args ...any) {
	e.printDiagnostic(plain.NoteLine("", fmt.Sprintf(format, args...)))
}

// Handler is a command: a struct with options and arguments, which kong fills in, and a method that runs the command.
type Handler interface {
	Run(Env) error
}

// overwriteOptions holds the option --force, which lets a command replace existing files.
type overwriteOptions struct {
	Force bool `help:"Replace existing files. Without it, h5perf only replaces empty files and files that it wrote itself."`
}

// InputError is the error about wrong usage or bad input, which the command finds before it does anything. The exit
// status is result.ExitUsage. The message names the file, and the line or field with the error.
type InputError struct {
	Err error
}

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// ExitStatusError sets the exit status of a command that has done its work, for example when compare finds a slowdown.
// Text says why.
type ExitStatusError struct {
	Status int
	Text   string
}

func (e *ExitStatusError) Error() string { return e.Text }

// HelpPage returns the help of the command called name. about describes what the command does.
func HelpPage(name, about string, f Handler) (help.Page, error) {
	return help.PageOfGrammar(&struct{}{}, grammarOptions(name, about, f)...)
}

// Run parses arguments into f, runs f, and returns the exit status. The first of words is the name of the command.
// about describes what the command does. Run returns an error only if the arguments are wrong: then the command did
// nothing.
func Run(words []string, about string, f Handler, env Env) (int, error) {
	asked, err := help.Parse(words, env.Stdout, &struct{}{}, grammarOptions(words[0], about, f)...)
	switch {
	case asked:
		return 0, nil
	case err != nil:
		return 0, err
	}
	return ExitStatus(env, f.Run(env)), nil
}

func grammarOptions(name, about string, f Handler) []kong.Option {
	return []kong.Option{kong.Name("h5perf"), kong.DynamicCommand(name, about, "", f)}
}

// ExitStatus writes the error of a command to Stderr, and returns the exit status. If errors.Join made the error, each
// of the joined errors gets a line.
func ExitStatus(env Env, err error) int {
	if err == nil {
		return 0
	}
	if unwritten, ok := errors.AsType[*output.StreamError](err); ok {
		env.printDiagnostic(unwritten.Error())
		return result.ExitFailed
	}
	for _, one := range joinedErrors(err) {
		env.printDiagnostic(one.Error())
	}
	if _, ok := errors.AsType[*InputError](err); ok {
		return result.ExitUsage
	}
	if status, ok := errors.AsType[*ExitStatusError](err); ok {
		return status.Status
	}
	return result.ExitFailed
}

// joinedErrors returns the errors that errors.Join has joined in err, or else err alone.
func joinedErrors(err error) (all []error) {
	several, ok := err.(interface{ Unwrap() []error }) // an error that wraps several has its own text
	if !ok || err.Error() != errors.Join(several.Unwrap()...).Error() {
		return []error{err}
	}
	for _, one := range several.Unwrap() {
		all = append(all, joinedErrors(one)...)
	}
	return all
}
