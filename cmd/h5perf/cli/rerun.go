package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/launcher"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
)

type rerunHandler struct{}

func (rerunHandler) helpPage(Command) (help.Page, error) {
	return help.Page{
		Usage: []string{"h5perf rerun FILE [-- options]", "mpiexec -n N h5perf rerun FILE [-- options]"},
		About: `Repeat the run of a document: the same tool with the same options. The notes of the new document
name the old run and show what is different now: machine, software, file system, job,
parameters.

The workload of 'h5perf run' is taken from the document, with its sizes and choices. So the run can be
repeated even if the script was changed or removed. --size and --set after -- take precedence.

Options that say where results go are not repeated. Options after -- are added; they take precedence over
those of the document. Environment variables have the values of the old run, unless they are set now.

In a job, only rank 0 reads FILE, after MPI has started. MPI must know two options before it starts. So if the
old run had --io-component or --driver subfiling, give them again after --. If one is missing, an error says
so.`,
		Sections: []help.Section{{
			Title: "Example",
			Text:  "  mpiexec -n 4 h5perf rerun results/mine.json -- --json results/again.json\n",
		}},
	}, nil
}

// execute repeats the old run with the tool that measured it.
func (rerunHandler) execute(what Command, c commandCall) (int, error) {
	words := c.words[1:]
	if len(words) > 0 && (words[0] == "-h" || words[0] == "--help") {
		// every process prints the help
		return 0, helpPrinter{what.Page, commandLineStart(c.args, what.Name), c.stdout}.printHelp(words)
	}
	switch {
	case len(words) == 0:
		return 0, errors.New("rerun needs the document of a run")
	case len(words) > 1 && words[1] != "--":
		return 0, fmt.Errorf("%q: write the options of the new run after --", words[1])
	}
	r := Rerun{call: c, path: words[0], newOptions: words[min(2, len(words)):]}
	if c.tools.Rerun != nil && launcher.MayHaveSiblings(c.getenv) {
		return c.tools.Rerun(r), nil
	}
	old, err := r.readDocument()
	if err != nil {
		return 0, err
	}
	return r.repeatRun(recordedRun{old.Kind, old.GivenParameters, old.Parameters.Workload, &old}), nil
}

// Rerun is a request to repeat a run in a job of several processes.
type Rerun struct {
	call       commandCall
	path       string   // of the document
	newOptions []string // options of the new run
}

// recordedRun holds what the document of a run records about the command line of that run.
type recordedRun struct {
	Kind     result.Kind
	Given    []result.GivenParameter
	Workload *result.Workload // the workload that was measured, or nil
	Document *result.Document // nil on processes that write no document
}

// OwnMeasurement parses only the new options on the command line of rerun, as options of the parallel tool: before MPI
// starts, the options of the old run are not known. If the new options are wrong, or belong to the serial tool, it
// returns the zero value, and Run reports the error.
func (r Rerun) OwnMeasurement() Measurement {
	own, err := parseMeasurement(result.KindParallel, r.call.args, r.newOptions, r.call.lookup, io.Discard)
	if err != nil || own == nil {
		return Measurement{}
	}
	return *own
}

// Run passes the request of the old run to the function parallel or serial, whichever measures it, on all processes of
// world, and returns the exit status. Only rank 0 reads the document. On the other ranks, the field RerunOf of a
// parallel request is nil. Collective.
func (r Rerun) Run(world mpi.Comm, parallel, serial func(Measurement) int) int {
	// The other ranks need not wait before they end: MPI_Finalize returns after rank 0 has printed its error.
	r.call.tools.Sleep = func(time.Duration) {}
	r.call.tools.Parallel, r.call.tools.Serial = parallel, serial
	var old result.Document
	err := mpi.CheckOnRoot(world, func() (err error) {
		old, err = r.readDocument()
		return err
	})
	if err != nil {
		return r.call.exitWithError(err, rerunCommand)
	}
	recorded := recordedRun{Kind: old.Kind, Given: old.GivenParameters, Workload: old.Parameters.Workload}
	if old.Kind == result.KindSerial { // each process does its own run
		recorded.Document = &old
	}
	if recorded = mpi.Broadcast(world, recorded, 0); world.Rank() == 0 {
		recorded.Document = &old
	}
	return r.repeatRun(recorded)
}

// StartupOptionsError returns the error which says that the user must repeat some options of the old run on the command
// line, because MPI must know them before it starts.
func (r Rerun) StartupOptionsError(options []string) error {
	words := append([]string{r.path, "--"}, append(options, r.newOptions...)...)
	for i := range words {
		words[i] = plain.ShellWord(words[i])
	}
	return fmt.Errorf("the run of %s used %s. MPI needs this before h5perf reads the document, so repeat it on the "+
		"command line: %s %s", r.path, strings.Join(options, " "),
		commandLineStart(r.call.args, rerunCommand), strings.Join(words, " "))
}

// PrintUsageError prints why the run is not repeated, and returns the exit status.
func (r Rerun) PrintUsageError(stderr io.Writer, err error) int {
	return printUsageError(stderr, err, r.call.args, rerunCommand)
}

func (r Rerun) readDocument() (result.Document, error) {
	old, err := result.Read(r.path)
	if err == nil && old.RunID != plain.VisibleLine(old.RunID) { // the notes of the new run name it
		err = fmt.Errorf("document %s: run_id %q has characters that cannot be seen", r.path, old.RunID)
	}
	return old, err
}

// repeatRun repeats the old run with its tool and its options, and returns the exit status.
func (r Rerun) repeatRun(recorded recordedRun) int {
	c := r.call
	tool, err := c.prepareRepeat(recorded, r)
	if err != nil {
		return c.exitWithError(err, rerunCommand)
	}
	return c.executeOnRanks(findCommand(tool))
}

// prepareRepeat changes the command line in c so that it repeats the old run, and returns the command that measures. It
// accepts only options and variables that this command itself records in documents, since a document may come from
// anybody.
func (c *commandCall) prepareRepeat(recorded recordedRun, r Rerun) (tool string, err error) {
	c.rerunDocument, c.variables, c.words, c.workload = recorded.Document, map[string]string{}, nil, recorded.Workload
	known := variablesByKind[recorded.Kind]
	tool = commandByKind[recorded.Kind]
	if tool != parallelCommand {
		c.words = []string{tool}
	}
	options, again, err := toolOptions(recorded.Kind, r.newOptions)
	if err != nil {
		return "", err
	}
	for _, g := range recorded.Given {
		option := options[g.Name]
		switch {
		case again[settingName(g)]: // it would be given twice
		case tool == runCommand && g.Name == "workload" && !strings.HasPrefix(g.Value, "-"):
			c.words = append(c.words, g.Value)
		case tool == runCommand && slices.Contains([]string{"size", "set"}, g.Name):
			// The recorded workload already has these sizes and choices.
		case slices.Contains(known, g.Name):
			if _, set := c.lookup(g.Name); !set {
				c.variables[g.Name] = g.Value
			}
		case option == nil:
			return "", fmt.Errorf("document %s: this h5perf does not know the parameter %q, so the run is not started",
				r.path, g.Name)
		case option.Tag.Has("once"), again[g.Name] && option.Tag.Type == "list": // lists would be joined
		case option.IsBool() && g.Value == "":
			c.words = append(c.words, "--"+g.Name)
		default:
			c.words = append(c.words, "--"+g.Name+"="+g.Value)
		}
	}
	if (tool == runCommand) != (recorded.Workload != nil) { // the document was changed by hand
		return "", fmt.Errorf("document %s: only documents of kind %s contain a workload; this document does not "+
			"fit, so the run is not started", r.path, result.KindWorkload)
	}
	c.words = append(c.words, r.newOptions...)
	c.lookup = run.LookupWithOverrides(c.variables, c.lookup)
	return tool, nil
}

// toolOptions returns all options of a tool by their long names, and reports which of these options, and of the HDF5
// settings, occur in words. It ignores errors in words, since they are reported later.
func toolOptions(kind result.Kind, words []string) (options map[string]*kong.Flag, given map[string]bool, err error) {
	v, tool := optionValues{}, string(kind)
	var into any = &grammar{}
	switch kind {
	case result.KindWorkload:
		into, tool = &runGrammar{}, ""
	case result.KindSerial:
		words = slices.Concat([]string{serialCommand}, words)
	}
	parser, err := newParser(into, &v)
	if err != nil {
		return nil, nil, err
	}
	_, _ = parser.Parse(words)
	node := parser.Model.Node
	for _, child := range node.Children {
		if child.Name == tool {
			node = child
		}
	}
	options, given = map[string]*kong.Flag{}, map[string]bool{}
	for _, option := range node.Flags {
		options[option.Name] = option
	}
	for _, g := range v.given {
		given[g.Name] = true
		if name := settingName(g); name != "" {
			given[name] = true
		}
	}
	return options, given, nil
}

// settingName returns the name of the HDF5 setting that a parameter sets, by its own option or by --with, or "".
func settingName(g result.GivenParameter) string {
	name, _, _ := strings.Cut(g.Value, "=")
	if g.Name != "with" {
		name = g.Name
	}
	if row, err := option.FindHDF5Setting("", name); err == nil {
		return row.Name
	}
	return ""
}
