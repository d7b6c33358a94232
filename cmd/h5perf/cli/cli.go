// Package cli is the command line of h5perf: grammar, help, usage errors.
package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
)

// ExitUsage is the exit status of a command line that asks for what cannot be done.
const ExitUsage = 2

// headStart is how much longer than the first process the others live after a usage error: Open MPI's launcher ends the job
// at the first exit status that is not 0, and the first process is to tell the error before that.
const headStart = 2 * time.Second

// Parallel is what a command line asks of the parallel tool.
type Parallel struct {
	Options plan.Options
	Report  report.Options
	Output  string // file for the report; "" is standard output
	JSON    string // file for the document; "-" is standard output, "" none
	Command []string
	Given   []result.Given
}

// variables are the environment variables that count as options.
var variables = []string{"HDF5_PARAPREFIX", "HDF5_NOCLEANUP", "HDF5_MPI_INFO", "USER", "LOGIN"}

// Run does what a command line asks, by calling parallel or by printing help or version, and returns the exit status.
// args begins with the name of the program; lookup is os.LookupEnv. All processes of a job run the same command line, so
// the first of them speaks for all.
func Run(args []string, lookup func(string) (string, bool), stdout, stderr io.Writer, parallel func(Parallel) int) int {
	first := mpi.LaunchRank(func(name string) string { value, _ := lookup(name); return value }) == 0
	if !first {
		stdout, stderr = io.Discard, io.Discard
	}
	p, err := parse(args, lookup, stdout)
	if err != nil {
		status := Refuse(stderr, err)
		if !first {
			time.Sleep(headStart)
		}
		return status
	}
	if p == nil {
		return 0
	}
	return parallel(*p)
}

// Refuse tells of a usage error and returns the exit status.
func Refuse(stderr io.Writer, err error) int {
	_, _ = fmt.Fprintf(stderr, "h5perf: %v\nTry 'h5perf --help'.\n", err)
	return ExitUsage
}

// isSerial tells whether the serial tool is called, by its name or by its command.
func isSerial(args []string) bool {
	return filepath.Base(args[0]) == "h5perf_serial" || len(args) > 1 && args[1] == "serial"
}

// parse reads a command line. It returns nil when the command line asks for help or version, which are printed.
func parse(args []string, lookup func(string) (string, bool), stdout io.Writer) (*Parallel, error) {
	if isSerial(args) {
		return nil, errors.New("this build has no serial tool yet")
	}
	var g grammar
	var v values
	parser, err := kong.New(&g, append(v.kong(), kong.Name("h5perf"), kong.NoDefaultHelp(), kong.ExplicitGroups(groups), kong.Writers(stdout, io.Discard),
		kong.ConfigureHelp(kong.HelpOptions{NoAppSummary: true}))...)
	if err != nil {
		return nil, err
	}
	ctx, err := parser.Parse(args[1:])
	if err != nil {
		return nil, explain(err)
	}
	switch {
	case g.Parallel.Help:
		return nil, printHelp(ctx, stdout)
	case g.Parallel.Version:
		return nil, printVersion(stdout)
	}
	if g.Parallel.Output != "" && g.Parallel.Output == g.Parallel.JSON {
		return nil, fmt.Errorf("-o %s --json %s: report and document cannot go to the same file", g.Parallel.Output, g.Parallel.JSON)
	}
	p := &Parallel{
		Options: g.Parallel.options(), Report: g.Parallel.Debug.report, Output: g.Parallel.Output, JSON: g.Parallel.JSON,
		Command: args, Given: v.given,
	}
	for _, name := range variables {
		value, set := lookup(name)
		if !set {
			continue
		}
		p.Given = append(p.Given, result.Given{Name: name, Value: value})
		switch name {
		case "HDF5_NOCLEANUP":
			p.Options.KeepFiles = true
		case "HDF5_MPI_INFO":
			p.Options.MPIInfo = &value
		}
	}
	return p, nil
}

// explain puts kong's errors in this program's words.
func explain(err error) error {
	if value, ok := errors.AsType[*valueError](err); ok {
		return value
	}
	text := err.Error()
	if word, ok := strings.CutPrefix(text, "unexpected argument "); ok {
		return fmt.Errorf("%q is neither an option nor the value of one", word)
	}
	if option, ok := strings.CutPrefix(text, "unknown flag "); ok {
		option, similar, found := strings.Cut(option, ", did you mean ")
		if found && strings.HasPrefix(option, "--") { // all letters are similar
			return fmt.Errorf("unknown option %q; did you mean %s", option, similar)
		}
		return fmt.Errorf("unknown option %q", option)
	}
	return err
}

func (p parallel) options() plan.Options {
	return plan.Options{
		APIs:            p.API,
		BytesPerProcess: p.NumBytes,
		Block:           p.BlockSize,
		MinTransfer:     p.MinXferSize,
		MaxTransfer:     p.MaxXferSize,
		MinProcesses:    p.MinNumProcesses,
		MaxProcesses:    p.MaxNumProcesses,
		Iterations:      p.NumIterations,
		Files:           p.NumFiles,
		Datasets:        p.NumDsets,
		TwoD:            p.Geometry,
		Interleaved:     p.Interleaved,
		Collective:      p.Collective,
		Chunked:         p.Chunk,
		ChunkSize:       p.ChunkSize,
		WriteOnly:       p.WriteOnly,
		Align:           p.Align,
		Threshold:       p.Threshold,
		MPIPosix:        p.MPIPosix,
		View:            p.View,
		Verify:          p.Debug.verify,
		Hints:           p.Hint,
		IOComponent:     p.IOComponent,
	}
}
