// Package command holds the commands that need neither MPI nor HDF5, such as report, compare and trend.
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

// Env is the environment of a command. Run writes its error to Stderr.
type Env struct {
	Stdout, Stderr io.Writer
	Lookup         func(string) (string, bool) // variables of the environment
	Now            func() time.Time
}

// printLine writes a line to Stdout.
func (e Env) printLine(format string, args ...any) error {
	_, err := io.WriteString(e.Stdout, plain.Line(fmt.Sprintf(format, args...))+"\n")
	return err
}

// printHighlighted writes a text to Stdout. Verdicts at the beginnings of its lines stand out on a terminal.
func (e Env) printHighlighted(text string) error {
	_, err := io.WriteString(e.Stdout, output.LookOf(e.Stdout).StyleBeginnings(text, verdicts...))
	return err
}

// verdicts are the beginnings of lines that stand out.
var verdicts = []output.Beginning{
	{Text: string(history.Better), Style: output.Green},
	{Text: string(history.Worse), Style: output.Red},
	{Text: plain.CautionHead, Style: output.Yellow},
}

// printDiagnostic writes a line with the name of the program to Stderr.
func (e Env) printDiagnostic(format string, args ...any) {
	_, _ = io.WriteString(e.Stderr, "h5perf: "+plain.Line(fmt.Sprintf(format, args...))+"\n")
}

// Form is a command: a struct of its options and arguments for kong.
type Form interface {
	Run(Env) error
}

// overwriteOptions is the option of commands that write files.
type overwriteOptions struct {
	Force bool `help:"Replace existing files. Without it, only empty files and files of h5perf are replaced."`
}

// InputError is the error of wrong usage or bad input that was found before anything was done. The exit status is
// result.ExitUsage. The text names the file and the place.
type InputError struct {
	Err error
}

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// StatusError ends a command that did its work with an exit status. The text says why.
type StatusError struct {
	Status int
	Text   string
}

func (e *StatusError) Error() string { return e.Text }

// HelpPage returns the help of the command called name. about describes what it does.
func HelpPage(name, about string, f Form) (help.Page, error) {
	return help.PageOfGrammar(&struct{}{}, grammarOptions(name, about, f)...)
}

// Run parses words, of which the first one is the name of the command, into f, runs f, and returns the exit status.
// about describes what the command does. An error is one of the words: nothing was done.
func Run(words []string, about string, f Form, env Env) (int, error) {
	asked, err := help.Parse(words, env.Stdout, &struct{}{}, grammarOptions(words[0], about, f)...)
	switch {
	case asked:
		return 0, nil
	case err != nil:
		return 0, err
	}
	return printErrors(env, f.Run(env)), nil
}

// grammarOptions returns options of kong for a command line with one command.
func grammarOptions(name, about string, f Form) []kong.Option {
	return []kong.Option{kong.Name("h5perf"), kong.DynamicCommand(name, about, "", f)}
}

// printErrors writes an error to Stderr, in a line for each of those that it joins, and returns the exit status.
func printErrors(env Env, err error) int {
	if err == nil {
		return 0
	}
	if unwritten, ok := errors.AsType[*output.StreamError](err); ok {
		env.printDiagnostic("%v", unwritten)
		return result.ExitFailed
	}
	for _, one := range joinedErrors(err) {
		env.printDiagnostic("%v", one)
	}
	if _, ok := errors.AsType[*InputError](err); ok {
		return result.ExitUsage
	}
	if status, ok := errors.AsType[*StatusError](err); ok {
		return status.Status
	}
	return result.ExitFailed
}

// joinedErrors returns the errors that errors.Join made an error of, or the error alone.
func joinedErrors(err error) (all []error) {
	several, ok := err.(interface{ Unwrap() []error }) // an error around several has its own text
	if !ok || err.Error() != errors.Join(several.Unwrap()...).Error() {
		return []error{err}
	}
	for _, one := range several.Unwrap() {
		all = append(all, joinedErrors(one)...)
	}
	return all
}
