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

// Env is the environment of a command. Run prints errors on Stderr.
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

// verdictStyles holds the beginnings of lines that are coloured.
var verdictStyles = []output.StyledPrefix{
	{Text: string(history.Better), Style: output.Green},
	{Text: string(history.Worse), Style: output.Red},
	{Text: plain.CautionHead, Style: output.Yellow},
}

// printDiagnostic writes a line with the name of the program to Stderr.
func (e Env) printDiagnostic(format string, args ...any) {
	_, _ = io.WriteString(e.Stderr, "h5perf: "+plain.VisibleLine(fmt.Sprintf(format, args...))+"\n")
}

// Form is a command. It is a struct with options and arguments, which kong fills in.
type Form interface {
	Run(Env) error
}

// overwriteOptions holds the option of commands that write files.
type overwriteOptions struct {
	Force bool `help:"Replace existing files. Without it, h5perf only replaces empty files and files that it wrote itself."`
}

// InputError is the error about wrong usage or bad input. The command has done nothing yet. The exit status is
// result.ExitUsage. The message names the file, and the place in it.
type InputError struct {
	Err error
}

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// ExitStatusError ends a command with an exit status after it has done its work. Text says why.
type ExitStatusError struct {
	Status int
	Text   string
}

func (e *ExitStatusError) Error() string { return e.Text }

// HelpPage returns the help of the command called name. about describes what it does.
func HelpPage(name, about string, f Form) (help.Page, error) {
	return help.PageOfGrammar(&struct{}{}, grammarOptions(name, about, f)...)
}

// Run parses arguments into f, runs f, and returns the exit status. words begins with the name of the command. about
// describes what the command does. Run returns an error only if the arguments are wrong: then the command did nothing.
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

func grammarOptions(name, about string, f Form) []kong.Option {
	return []kong.Option{kong.Name("h5perf"), kong.DynamicCommand(name, about, "", f)}
}

// printErrors writes an error to Stderr, with a line for each joined error, and returns the exit status.
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
