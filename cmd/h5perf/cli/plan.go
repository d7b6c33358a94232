package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/launcher"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
	"h5perf/pkg/rundir"
	"h5perf/pkg/units"
)

// planOptions holds the options of the command plan itself, not those of the planned tool.
type planOptions struct {
	Assume string `type:"word" placeholder:"RATE|FILE" help:"Estimate the time from a rate (a SIZE per second), or from the median throughputs of an earlier run (its document). If the document has throughputs of the same API, operation, transfer size and number of processes, the plan uses them. Otherwise it uses all throughputs of the same API and operation."`
	Nodes  *int   `type:"count" help:"Number of nodes, each with the memory of this machine (default 1). --memory-factor and --preset need it."`
}

// planGrammar describes the command line of plan for kong: the options of plan itself, and the options of the tools.
type planGrammar struct {
	planOptions
	grammar
}

// planRunGrammar describes the command line of 'plan run' for kong. Unlike run, 'plan run' has the option -P (number of
// processes), since it may be used outside of a job.
type planRunGrammar struct {
	planOptions
	MaxNumProcesses *int `short:"P" type:"count" help:"Number of processes, if the command does not run in a job (default 1)."`
	runGrammar
}

// plannedTool holds the options of plan, and the number of processes if it was given.
type plannedTool struct {
	planOptions
	maxProcesses *int
}

type planHandler struct{}

func (planHandler) helpPage(Command) (help.Page, error) { return planHelpPage() }

// execute prints the plan of a command line.
func (planHandler) execute(_ Command, c commandCall) (int, error) {
	asked, err := parsePlan(c)
	if asked == nil || err != nil {
		return 0, err
	}
	out, err := asked.buildPlan(c.getenv, c.tools.hdf5Library())
	if err != nil {
		return 0, err
	}
	if asked.common.JSON == "-" {
		return 0, plain.WriteJSON(c.outputWriter(), out)
	}
	_, err = io.WriteString(c.outputWriter(), plain.VisibleText(out.planText()))
	return 0, err
}

// parsePlan parses the command line of plan. If the command line asks for help or for the version, parsePlan prints the
// help or the version and returns nil.
func parsePlan(c commandCall) (*planRequest, error) {
	kind, words := splitTool(c.words[1:])
	v, planned := optionValues{jsonWithoutValue: true}, plannedTool{}
	tool, err := parseTool(kind, words, &planned, &v,
		helpPrinter{planHelpPage, commandLineStart(c.args, c.words[0]), c.outputWriter()})
	if tool == nil {
		return nil, err
	}
	options, err := sweptOptions(kind, tool, words, c.lookup)
	if err != nil {
		return nil, err
	}
	a := &planRequest{
		common: tool.shared(), options: options, assume: planned.Assume, variable: rundir.ParallelPrefix,
		processes: 1, nodes: 1,
	}
	if planned.Nodes != nil {
		a.nodes = *planned.Nodes
	}
	if a.nodes < 1 {
		return nil, fmt.Errorf("--nodes %d: must be at least 1", a.nodes)
	}
	if kind == result.KindSerial {
		a.variable = rundir.SerialPrefix
	} else {
		a.setProcesses(c, planned.maxProcesses)
	}
	a.deadline, err = a.common.Deadline.EndTime(time.Now())
	return a, err
}

// planRequest describes the run that the command line asks to plan.
type planRequest struct {
	common           sharedOptions
	options          plan.Options
	assume           string // a rate, the path of a document, or ""
	variable         string // environment variable with the directory for data files
	processes, nodes int
	processesUnknown bool // neither a job nor an option says how many processes there are
	deadline         time.Time
}

// setProcesses sets the number of processes of a to that of the job in which the command runs. Outside of a job, it
// uses maxProcesses, the value of -P, unless that is nil.
func (a *planRequest) setProcesses(c commandCall, maxProcesses *int) {
	for _, size := range launcher.LaunchSizes(c.getenv) {
		a.processes = max(a.processes, size.Processes)
	}
	if a.processes == 1 && maxProcesses != nil {
		a.processes = *maxProcesses
	} else {
		a.processesUnknown = a.processes == 1
	}
}

// buildPlan plans the run. library describes the HDF5 library.
func (a planRequest) buildPlan(getenv launcher.Getenv, library option.HDF5Library) (planResult, error) {
	here := run.DetectJob(a.variable, getenv, a.processes, a.nodes)
	here.HDF5 = library
	anywhere := here
	anywhere.TargetType = ""
	p, err := plan.New(a.options, anywhere)
	if err != nil {
		if _, refused := plan.New(a.options, here); refused != nil {
			err = refused // the sizes that it suggests also fit the free space
		}
		return planResult{}, err
	}
	if err := run.CheckPlan(p, a.processes); err != nil {
		return planResult{}, err
	}
	rate, other, err := assumedRate(a.assume, p)
	if err != nil {
		return planResult{}, err
	}
	out := planResult{
		Assumed: a.assume, Cautions: slices.Concat(p.Cautions, other), Notes: p.Notes,
		processesUnknown: a.processesUnknown,
	}
	if getenv(a.variable) == "" {
		out.unsetVariable = a.variable
	}
	if out.WorkEstimate, err = p.EstimateWork(rate); err != nil {
		return planResult{}, err
	}
	if out.Sampled > 0 {
		out.Notes = append(slices.Clip(out.Notes), fmt.Sprintf("The plan examines %d of %d processes. Sums "+
			"over all processes are estimated from these. Numbers of bytes without \"about\" follow from the rules "+
			"that divide datasets, or from examined processes that all move the same number, except process 0.",
			out.Sampled, out.MaxProcesses))
	}
	out.Time = p.TimeRange(out.WorkEstimate)
	if !a.deadline.IsZero() {
		out.Time = out.Time.WithDeadline(time.Until(a.deadline))
		out.Notes = append(slices.Clip(out.Notes), run.DeadlineNote(a.deadline))
	}
	if here.TargetType != "" {
		out.Target = &targetFilesystem{here.Target, here.TargetType, here.FreeBytes, here.FreeInodes}
	}
	if _, err := plan.New(a.options, here); err != nil {
		out.Refused = err.Error()
	}
	return out, nil
}

// planResult is a plan as plan --json prints it.
type planResult struct {
	plan.WorkEstimate
	Assumed  string            `json:"assumed,omitempty"` // a rate or the path of a document
	Time     plan.TimeRange    `json:"time"`              // limited by the deadline
	Target   *targetFilesystem `json:"target,omitempty"`
	Cautions []plain.Caution   `json:"cautions,omitempty"`
	Notes    []string          `json:"notes,omitempty"`
	Refused  string            `json:"refused_here,omitempty"` // why the run would be refused in this environment

	processesUnknown bool   // see planRequest
	unsetVariable    string // the environment variable with the directory for data files, if it is not set
}

// targetFilesystem describes the file system to which the planned run would write its data files.
type targetFilesystem struct {
	MountPoint string `json:"mount_point"`
	Type       string `json:"type"`
	FreeBytes  uint64 `json:"free_bytes"`
	FreeInodes uint64 `json:"free_inodes,omitempty"` // absent if unknown
}

func (p planResult) planText() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		b.WriteString(plain.TableRow([]string{name + ":", fmt.Sprintf(format, args...)}, []int{16}))
	}
	hint := ""
	if p.processesUnknown {
		hint = " (use -P N for a job of N processes)"
	}
	line("Cases", "%d, with up to %s%s", p.Cases, units.Count(p.MaxProcesses, "process", "processes"), hint)
	line("Iterations", "%s in total, including warm-up",
		minMaxText(p, func(t plan.TotalWork) string { return fmt.Sprint(t.Iterations) }))
	line("Written", "%s",
		minMaxText(p, func(t plan.TotalWork) string { return p.bytesText(t.Written, result.OperationWrite) }))
	line("Read", "%s",
		minMaxText(p, func(t plan.TotalWork) string { return p.bytesText(t.Read, result.OperationRead) }))
	if p.Max.ReadBack > 0 {
		line("Read back", "%s, in writes",
			minMaxText(p, func(t plan.TotalWork) string { return p.readBackText(t.ReadBack) }))
	}
	calls, largest, about, most := "data calls", "the largest has", "", ""
	if p.Structure != nil {
		calls, largest, about, most = "data calls at most", "on average with", "about ", "at most "
	}
	line("Data calls", "%s%s", most, minMaxText(p, func(t plan.TotalWork) string { return fmt.Sprint(t.Calls) }))
	line("Files", "%s; %s %s", minMaxText(p, func(t plan.TotalWork) string { return fmt.Sprint(t.Files) }), largest,
		units.FormatExactBytes(p.MaxFileBytes))
	line("Disk space", "%s, %s", units.FormatExactBytes(p.Disk.Bytes), inodesText(p.Disk.Inodes))
	if p.Target != nil {
		line("Free", "%s", p.freeSpaceText())
	}
	line("Memory", "%s%s of buffers per process", about, units.FormatExactBytes(p.BytesPerProcess))
	line("Samples", "%s (limit %d)",
		minMaxText(p, func(t plan.TotalWork) string { return fmt.Sprint(t.Samples) }), plan.MaxSamples)
	line("Time", "%s", p.timeText())
	b.WriteString("\nOne iteration of all cases:\n")
	rows := [][]string{{"  API", "operation", "bytes", calls}}
	for _, w := range p.IterationWork {
		rows = append(rows, []string{
			"  " + result.APIOf(w.API).Label, string(w.Operation), p.bytesText(w.Bytes, w.Operation),
			fmt.Sprint(w.Calls),
		})
	}
	if p.Assumed != "" {
		rows[0] = append(rows[0], "time")
		for i, w := range p.IterationWork {
			rows[i+1] = append(rows[i+1], durationText(w.Seconds))
		}
	}
	b.WriteString(plain.Table(rows, 2))
	b.WriteString("\n" + p.structureTable())
	for _, c := range p.Cautions {
		b.WriteString("\n" + plain.Wrap(c.Line("")) + "\n")
	}
	for _, note := range p.Notes {
		b.WriteString("\n" + plain.Wrap(plain.NoteLine("", note)) + "\n")
	}
	if p.Refused != "" {
		b.WriteString("\n" + plain.Wrap("On this file system the run would be refused: "+p.Refused) + "\n")
	}
	return b.String()
}

// bytesText formats the number n of bytes that an operation, write or read, moves. If the plan only estimates this
// number, bytesText rounds n.
func (p planResult) bytesText(n uint64, op result.Operation) string {
	if slices.ContainsFunc(p.IterationWork, func(w plan.Work) bool { return w.Operation == op && w.Estimated }) {
		return "about " + units.FormatBytes(float64(n))
	}
	return units.FormatExactBytes(n)
}

// readBackText formats the number of bytes that are read back in part write of a workload.
func (p planResult) readBackText(n uint64) string {
	if p.Sampled > 0 {
		return "about " + units.FormatBytes(float64(n))
	}
	return units.FormatExactBytes(n)
}

// structureTable returns a table of the work of a workload besides transfers, such as creating files and groups. For a
// sweep, it returns "".
func (p planResult) structureTable() string {
	if p.Structure == nil {
		return ""
	}
	rows := [][]string{{"  operation", "dumps", "files", "groups", "datasets", "attributes", "computing"}}
	for _, s := range p.Structure {
		rows = append(rows, []string{
			"  " + string(s.Operation), fmt.Sprint(s.Dumps), fmt.Sprint(s.Files), fmt.Sprint(s.Groups),
			fmt.Sprint(s.Datasets), fmt.Sprint(s.Attributes), durationText(s.Compute),
		})
	}
	return "\nSteps other than transfers, with HDF5 (POSIX and MPI-IO have only the files):\n" + plain.Table(rows, 1)
}

// minMaxText returns a property of the plan, which the function of formats, as text. If the property depends on the
// number of iterations, minMaxText returns its minimum and its maximum.
func minMaxText(p planResult, of func(plan.TotalWork) string) string {
	if least, most := of(p.Min), of(p.Max); least != most {
		return least + " to " + most
	}
	return of(p.Min)
}

func inodesText(n uint64) string { return units.Count(int(min(n, math.MaxInt64)), "inode", "inodes") }

// freeSpaceText says how much space is free on the file system to which the planned run would write its data files.
func (p planResult) freeSpaceText() string {
	text := units.FormatExactBytes(p.Target.FreeBytes)
	if p.Target.FreeInodes > 0 {
		text += ", " + inodesText(p.Target.FreeInodes)
	}
	text += fmt.Sprintf(" on %s (%s)", p.Target.MountPoint, p.Target.Type)
	if p.unsetVariable != "" {
		text += "; set " + p.unsetVariable + " to plan for another file system"
	}
	return text
}

// timeText says how long the run takes and how this time was estimated. If the time is not known, timeText says which
// option estimates it.
func (p planResult) timeText() string {
	text := p.Time.String()
	switch {
	case p.Assumed != "":
		what := "for data access"
		if p.Structure != nil {
			what += " and computing"
		}
		return text + " " + what + ", at " + assumedText(p.Assumed)
	case text == "":
		return "not known; give --assume RATE, or --assume FILE with the document of an earlier run"
	}
	return text + ", from the options alone; --assume RATE or --assume FILE makes it more exact"
}

// assumedText describes for people the throughput with which a plan estimates the time.
func assumedText(assumed string) string {
	if rate, err := units.ParseSize(assumed); err == nil {
		return units.FormatRate(float64(rate))
	}
	return "the throughputs in " + assumed
}

// durationText formats a time in seconds. A time of a minute or more is shown in larger units.
func durationText(s float64) string {
	if s < 60 {
		return units.FormatSeconds(s)
	}
	return units.FormatDuration(time.Duration(min(s*float64(time.Second), math.MaxInt64/2)))
}
