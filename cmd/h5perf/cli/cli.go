// Package cli parses command lines and executes their commands. It holds the grammar, the table of commands, their help
// and the usage errors.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/launcher"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
	"h5perf/pkg/script"
	"h5perf/pkg/script/fromfile"
	"h5perf/pkg/usage"
)

// Tools holds the functions that execute commands. Each function returns the exit status.
type Tools struct {
	Parallel func(Measurement) int
	Serial   func(Measurement) int
	Doctor   func(Doctor) int
	Rerun    func(Rerun) int // repeats a run in a job of several processes; nil without MPI

	Library  func() option.HDF5Library                       // features of the linked HDF5 library; nil means unknown
	Describe func(path string) (fromfile.Description, error) // describes an HDF5 file

	Documents func() // prepares the process for a command on documents, which does not measure; may be nil

	Sleep func(time.Duration) // nil means time.Sleep
}

// hdf5Library returns the features of the HDF5 library in this program, or the zero value if they are unknown.
func (t Tools) hdf5Library() option.HDF5Library {
	if t.Library == nil {
		return option.HDF5Library{}
	}
	return t.Library()
}

// Run executes a command line, and returns the exit status. args begins with the name of the program. lookup returns
// environment variables, as os.LookupEnv does.
func Run(args []string, lookup func(string) (string, bool), stdout, stderr io.Writer, tools Tools) int {
	words := args[1:]
	if filepath.Base(args[0]) == serialProgram {
		words = append([]string{serialCommand}, words...)
	}
	c := commandCall{
		args: args, words: words, lookup: lookup, stdout: stdout, stderr: stderr, tools: tools,
	}
	c.rank = launcher.Rank(c.getenv)
	name := parallelCommand
	if len(words) > 0 {
		name = words[0]
	}
	return c.executeOnRanks(findCommand(name))
}

// absolutePath returns the absolute path. After an error, it returns path unchanged.
func absolutePath(path string) string {
	if a, err := filepath.Abs(path); err == nil {
		return a
	}
	return path
}

// PrintUsageError prints an error in the options of the request, and returns the exit status.
func (m Measurement) PrintUsageError(stderr io.Writer, err error) int {
	return printUsageError(stderr, err, m.Command, cmp.Or(m.CommandName, commandByKind[m.Options.Kind()]))
}

// printUsageError prints a usage error of a command, and returns the exit status. args is the whole command line.
func printUsageError(stderr io.Writer, err error, args []string, name string) int {
	_, _ = fmt.Fprintf(stderr, "%sSee '%s -h'.\n", errorText(err), commandLineStart(args, name))
	return result.ExitUsage
}

// errorText formats an error for people, with one line for each of several joined errors. After an error that names a
// line of a script, errorText adds an excerpt of the script.
func errorText(err error) string {
	if several, is := err.(interface{ Unwrap() []error }); is {
		if all := several.Unwrap(); errors.Join(all...).Error() == err.Error() {
			var b strings.Builder
			for _, one := range all {
				b.WriteString(errorText(one))
			}
			return b.String()
		}
	}
	text := "h5perf: " + plain.VisibleLine(err.Error()) + "\n"
	if at, is := errors.AsType[*script.PositionError](err); is && at.Excerpt != "" {
		text += strings.ReplaceAll("\n"+at.Excerpt, "\n", "\n  ")[1:] + "\n"
	}
	return text
}

// commandLineStart returns the beginning of a command line: the name by which this program was called, and the name of
// the command.
func commandLineStart(args []string, name string) string {
	program := plain.VisibleLine(filepath.Base(args[0]))
	if name == serialCommand && program == serialProgram {
		return program
	}
	return strings.TrimSpace(program + " " + name)
}

// parseTools parses the arguments in words into the struct into, and returns the command. g is the grammar of the
// tools, which into contains. v records the options as the user wrote them. If the arguments ask for help or for the
// version, parseTools prints them with h and returns "".
func parseTools(words []string, into any, g *grammar, v *optionValues, h helpPrinter) (string, error) {
	tool, alone := parallelCommand, into == any(g)
	if len(words) > 0 && words[0] == serialCommand {
		tool = serialCommand
	}
	if alone {
		if into = &g.parallelGrammar; tool == serialCommand {
			into = &g.serialGrammar
		}
	}
	parser, err := newParser(into, v)
	if err != nil {
		return "", err
	}
	ctx, err := parser.Parse(words)
	if err != nil {
		if alone { // the message also names options of the other tool
			if parser, err = newParser(g, v); err != nil {
				return "", err
			}
			_, err = parser.Parse(words)
		}
		err = explainError(err, parser, tool)
		e, unexpected := errors.AsType[*help.UnexpectedError](err)
		if unexpected && alone && e.Word == words[0] && e.Word != tool && strings.Trim(e.Word, "-") != "" {
			return "", unknownCommandError(e.Word)
		}
		return "", err
	}
	c := g.Parallel.sharedOptions
	if ctx.Command() == serialCommand {
		c = g.Serial.sharedOptions
	}
	switch {
	case c.Help:
		return "", h.printHelp(words)
	case c.Version:
		return "", printVersion(h.stdout)
	}
	if err := c.checkOutputs(); err != nil {
		return "", err
	}
	return ctx.Command(), nil
}

// checkOutputs returns an error if output options exclude each other.
func (c sharedOptions) checkOutputs() error {
	return errors.Join(c.checkDistinctOutputs(), c.checkReportForm())
}

// checkDistinctOutputs returns an error if two options, such as --json and --output, name the same file.
func (c sharedOptions) checkDistinctOutputs() error {
	type output struct{ option, path string }
	var all []output
	for _, o := range []output{
		{"-o", c.Output}, {"--json", c.JSON}, {"--textfile", c.Textfile}, {"--results", c.Results},
	} {
		for _, other := range all {
			if o.path != "" && absolutePath(o.path) == absolutePath(other.path) {
				return fmt.Errorf("%s %s %s %s: both would write to the same path", other.option, other.path, o.option,
					o.path)
			}
		}
		if o.path != "" {
			all = append(all, o)
		}
	}
	return nil
}

// checkReportForm returns an error if --report has an unknown value, or conflicts with other options.
func (c sharedOptions) checkReportForm() error {
	form, err := usage.ValidOrDefault("--report", c.Report, result.ValuesOf[report.Form]()...)
	switch {
	case err != nil:
		return err
	case form == report.FormNone && c.Output != "":
		return fmt.Errorf("--report none -o %s: none means no report; leave one of them out", c.Output)
	case form == report.FormSummary && c.JSON == "-":
		return errors.New("--report summary --json -: both would go to standard output; without --report the summary " +
			"goes to standard error")
	}
	return nil
}

// addSettings returns s with the settings of --with.
func (c sharedOptions) addSettings(s option.HDF5) (option.HDF5, error) {
	for _, text := range c.With {
		var err error
		if s, err = s.AddSetting(text); err != nil {
			return s, fmt.Errorf("--with %s: %w", text, err)
		}
	}
	return s, nil
}

// commandByKind holds the command for each kind of measurement.
var commandByKind = map[result.Kind]string{
	result.KindParallel: parallelCommand, result.KindSerial: serialCommand, result.KindWorkload: runCommand,
}

// variablesByKind holds the environment variables that a tool records in the document, beside its options.
var variablesByKind = map[result.Kind][]string{
	result.KindParallel: {"HDF5_PARAPREFIX", noCleanupVariable, option.InfoVariable, "USER", "LOGIN"},
	result.KindSerial:   {"HDF5_PREFIX", noCleanupVariable, "USER", "LOGIN"},
	result.KindWorkload: {"HDF5_PARAPREFIX", noCleanupVariable, option.InfoVariable, "USER", "LOGIN"},
}

// baseRequest returns the fields of a request that all tools share. It adds environment variables, if they are set, to
// the recorded options.
func (c sharedOptions) baseRequest(args []string, given []result.GivenParameter, lookup func(string) (string, bool),
	variables ...string,
) run.Request {
	for _, name := range variables {
		if value, set := lookup(name); set {
			given = append(given, result.GivenParameter{Name: name, Value: value})
		}
	}
	return run.Request{
		Report: c.Debug.report, Form: c.Report, Output: c.Output, JSON: c.JSON, Force: c.Force, Command: args,
		Given: given, Results: c.Results,
		Identity:    result.Identity{Cluster: c.Cluster, Filesystem: c.Filesystem, Label: c.Label},
		Pushgateway: c.Pushgateway, Textfile: c.Textfile, Partial: c.Partial, Stripe: c.Stripe,
		Deadline: c.Deadline, Progress: c.Progress, Quiet: c.Quiet,
	}
}
