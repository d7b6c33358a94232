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

// planOptions are the options of plan itself.
type planOptions struct {
	Assume string `type:"word" placeholder:"RATE|FILE" help:"Estimate the time from a rate (a SIZE per second), or from the median throughputs of an earlier run (its document). If the document has throughputs of the same API, operation, transfer size and number of processes, the plan uses them. Otherwise it uses all throughputs of the same API and operation."`
	Nodes  *int   `type:"count" help:"Number of nodes, each with the memory of this machine (default 1). --memory-factor and --preset need it."`
}

// planGrammar is the command line of plan: its own options, and those of the tools.
type planGrammar struct {
	planOptions
	grammar
}

// planRunGrammar is the command line of plan run. A run uses all processes of its job, so that it has no -P.
type planRunGrammar struct {
	planOptions
	MaxNumProcesses *int `short:"P" type:"count" help:"Number of processes, if the command does not run in a job (default 1)."`
	runGrammar
}

// planForm is the command line of plan.
type planForm struct{}

func (planForm) page(Command) (help.Page, error) { return planHelp() }

// run prints the plan of a command line.
func (planForm) run(_ Command, c call) (int, error) {
	asked, err := parsePlan(c)
	if asked == nil || err != nil {
		return 0, err
	}
	out, err := asked.plan(c.getenv, c.tools.library())
	if err != nil {
		return 0, err
	}
	if asked.common.JSON == "-" {
		return 0, plain.JSON(c.out(), out)
	}
	_, err = io.WriteString(c.out(), plain.Text(out.text()))
	return 0, err
}

// parsePlan reads the command line. If it asks for help or version, parsePlan prints that and returns nil.
func parsePlan(c call) (*asked, error) {
	words, h := c.words[1:], helper{planHelp, called(c.args, c.words[0]), c.out()}
	v := values{jsonAlone: true}
	if len(words) > 0 && words[0] == runCommand {
		var g planRunGrammar
		if asked, err := g.parse(words[1:], &g, &v, h); asked || err != nil {
			return nil, err
		}
		return g.asked(c)
	}
	var g planGrammar
	if tool, err := parse(words, &g, &g.grammar, &v, h); err != nil || tool == "" {
		return nil, err
	} else if tool == serialCommand {
		return g.serial(c)
	}
	return g.parallel(c)
}

// asked is what the command line asks to plan.
type asked struct {
	common           common
	options          plan.Options
	assume           string // a rate, the path of a document, or ""
	variable         string // the environment variable that places the data files
	processes, nodes int
	alone            bool // neither a job nor an option says how many processes there are
	deadline         time.Time
}

// serial returns what the command line asks to plan of the serial tool.
func (g planGrammar) serial(c call) (*asked, error) {
	return g.of(g.Serial.common, rundir.SerialPrefix, g.Serial.options(c.lookup))
}

// parallel does that for the parallel tool.
func (g planGrammar) parallel(c call) (*asked, error) {
	a, err := g.of(g.Parallel.common, rundir.ParallelPrefix, g.Parallel.options(c.lookup))
	return a.in(c, g.Parallel.MaxProcesses), err
}

// asked does that for a run of a workload.
func (g planRunGrammar) asked(c call) (*asked, error) {
	a, err := g.of(g.common, rundir.ParallelPrefix, g.options(c.lookup))
	return a.in(c, g.MaxNumProcesses), err
}

// of returns what these options ask for, with one process.
func (o planOptions) of(c common, variable string, options plan.Options) (*asked, error) {
	a := &asked{common: c, options: options, assume: o.Assume, variable: variable, processes: 1, nodes: 1}
	if o.Nodes != nil {
		a.nodes = *o.Nodes
	}
	if a.nodes < 1 {
		return nil, fmt.Errorf("--nodes %d: must be at least 1", a.nodes)
	}
	var err error
	a.deadline, err = c.Deadline.From(time.Now())
	return a, err
}

// in sets the processes to those of the job in which the command runs, or else to those of -P. A may be nil.
func (a *asked) in(c call, most *int) *asked {
	if a == nil {
		return nil
	}
	for _, size := range launcher.Sizes(c.getenv) {
		a.processes = max(a.processes, size.Processes)
	}
	if a.processes == 1 && most != nil {
		a.processes = *most
	} else {
		a.alone = a.processes == 1
	}
	return a
}

// plan plans the run, with an HDF5 library.
func (a asked) plan(getenv launcher.Getenv, library option.HDF5Library) (planned, error) {
	here := run.Place(a.variable, getenv, a.processes, a.nodes)
	here.HDF5 = library
	anywhere := here
	anywhere.TargetType = ""
	p, err := plan.New(a.options, anywhere)
	if err != nil {
		if _, refused := plan.New(a.options, here); refused != nil {
			err = refused // the sizes that it names fit the free space, too
		}
		return planned{}, err
	}
	rate, other, err := assumed(a.assume, p)
	if err != nil {
		return planned{}, err
	}
	out := planned{Assumed: a.assume, Cautions: slices.Concat(p.Cautions, other), Notes: p.Notes, alone: a.alone}
	if getenv(a.variable) == "" {
		out.unset = a.variable
	}
	if out.Amount, err = p.Amount(rate); err != nil {
		return planned{}, err
	}
	if out.Sampled > 0 {
		out.Notes = append(slices.Clip(out.Notes), fmt.Sprintf("The steps of %d of %d processes stand for those "+
			"of all: sums over processes are in proportion, but for bytes where the script does not ask which process "+
			"it is.",
			out.Sampled, out.MaxProcesses))
	}
	out.Time = p.Time(out.Amount)
	if !a.deadline.IsZero() {
		out.Time = out.Time.By(time.Until(a.deadline))
		out.Notes = append(slices.Clip(out.Notes), run.DeadlineNote(a.deadline))
	}
	if here.TargetType != "" {
		out.Target = &target{here.Target, here.TargetType, here.FreeBytes, here.FreeInodes}
	}
	if _, err := plan.New(a.options, here); err != nil {
		out.Refused = err.Error()
	}
	return out, nil
}

// planned is a plan as JSON.
type planned struct {
	plan.Amount
	Assumed  string          `json:"assumed,omitempty"` // a rate or the path of a document
	Time     plan.Time       `json:"time"`              // with the deadline
	Target   *target         `json:"target,omitempty"`
	Cautions []plain.Caution `json:"cautions,omitempty"`
	Notes    []string        `json:"notes,omitempty"`
	Refused  string          `json:"refused_here,omitempty"` // why the run would be refused in this environment

	alone bool   // see asked
	unset string // the environment variable that places the data files, unless it is set
}

// target is the file system that the data files would be on.
type target struct {
	MountPoint string `json:"mount_point"`
	Type       string `json:"type"`
	FreeBytes  uint64 `json:"free_bytes"`
	FreeInodes uint64 `json:"free_inodes,omitempty"` // absent where it is not known
}

// text returns the plan as text.
func (p planned) text() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		b.WriteString(plain.Row([]string{name + ":", fmt.Sprintf(format, args...)}, []int{16}))
	}
	hint := ""
	if p.alone {
		hint = " (use -P N for a job of N processes)"
	}
	line("Cases", "%d, with up to %s%s", p.Cases, units.Count(p.MaxProcesses, "process", "processes"), hint)
	line("Iterations", "%s in total, including warm-up",
		span(p, func(t plan.Total) string { return fmt.Sprint(t.Iterations) }))
	line("Written", "%s", span(p, func(t plan.Total) string { return units.FormatExact(t.Written) }))
	line("Read", "%s", span(p, func(t plan.Total) string { return units.FormatExact(t.Read) }))
	calls, largest, about, most := "data calls", "the largest has", "", ""
	if p.Structure != nil {
		calls, largest, about, most = "data calls at most", "on average with", "about ", "at most "
	}
	line("Data calls", "%s%s", most, span(p, func(t plan.Total) string { return fmt.Sprint(t.Calls) }))
	line("Files", "%s; %s %s", span(p, func(t plan.Total) string { return fmt.Sprint(t.Files) }), largest,
		units.FormatExact(p.MaxFileBytes))
	line("Disk space", "%s, %s", units.FormatExact(p.Disk.Bytes), inodes(p.Disk.Inodes))
	if p.Target != nil {
		line("Free", "%s", p.free())
	}
	line("Memory", "%s%s of buffers per process", about, units.FormatExact(p.BytesPerProcess))
	line("Samples", "%s (limit %d)",
		span(p, func(t plan.Total) string { return fmt.Sprint(t.Samples) }), plan.MaxSamples)
	line("Time", "%s", p.time())
	b.WriteString("\nOne iteration of all cases:\n")
	rows := [][]string{{"  API", "operation", "bytes", calls}}
	for _, w := range p.Iteration {
		rows = append(rows, []string{
			"  " + result.APIOf(w.API).Label, string(w.Operation), units.FormatExact(w.Bytes), fmt.Sprint(w.Calls),
		})
	}
	if p.Assumed != "" {
		rows[0] = append(rows[0], "time")
		for i, w := range p.Iteration {
			rows[i+1] = append(rows[i+1], seconds(w.Seconds))
		}
	}
	b.WriteString(plain.Table(rows, 2))
	b.WriteString("\n" + p.structure())
	for _, c := range p.Cautions {
		b.WriteString("\n" + plain.Wrap(c.Line("")) + "\n")
	}
	for _, note := range p.Notes {
		b.WriteString("\n" + plain.Wrap(plain.Note("", note)) + "\n")
	}
	if p.Refused != "" {
		b.WriteString("\n" + plain.Wrap("On this file system the run would be refused: "+p.Refused) + "\n")
	}
	return b.String()
}

// structure returns what a workload does besides transfers, as a table; "" for a sweep.
func (p planned) structure() string {
	if p.Structure == nil {
		return ""
	}
	rows := [][]string{{"  operation", "dumps", "files", "groups", "datasets", "attributes", "computing"}}
	for _, s := range p.Structure {
		rows = append(rows, []string{
			"  " + string(s.Operation), fmt.Sprint(s.Dumps), fmt.Sprint(s.Files), fmt.Sprint(s.Groups),
			fmt.Sprint(s.Datasets), fmt.Sprint(s.Attributes), seconds(s.Compute),
		})
	}
	return "\nBesides data, through HDF5 (POSIX and MPI-IO have the files alone):\n" + plain.Table(rows, 1)
}

// span returns a number of a run whose number of iterations is not fixed: from the smallest to the largest.
func span(p planned, of func(plan.Total) string) string {
	if least, most := of(p.Least), of(p.Most); least != most {
		return least + " to " + most
	}
	return of(p.Least)
}

// inodes returns a number of inodes.
func inodes(n uint64) string { return units.Count(int(min(n, math.MaxInt64)), "inode", "inodes") }

// free returns what is free on the file system that the data files would be on.
func (p planned) free() string {
	text := units.FormatExact(p.Target.FreeBytes)
	if p.Target.FreeInodes > 0 {
		text += ", " + inodes(p.Target.FreeInodes)
	}
	text += fmt.Sprintf(" on %s (%s)", p.Target.MountPoint, p.Target.Type)
	if p.unset != "" {
		text += "; set " + p.unset + " to plan for another file system"
	}
	return text
}

// time returns how long the run takes, and from what that is known, or how it could be known.
func (p planned) time() string {
	text := p.Time.String()
	switch {
	case p.Assumed != "":
		what := "for data access"
		if p.Structure != nil {
			what += " and computing"
		}
		return text + " " + what + ", at " + rateOrFile(p.Assumed)
	case text == "":
		return "not known; give --assume RATE, or --assume FILE with the document of an earlier run"
	}
	return text + ", from the options alone; --assume RATE or --assume FILE makes it more exact"
}

// rateOrFile returns in words what a plan assumes.
func rateOrFile(assumed string) string {
	if rate, err := units.ParseSize(assumed); err == nil {
		return units.FormatRate(float64(rate))
	}
	return "the throughputs in " + assumed
}

// seconds returns a time in seconds and, if it is long, also in larger units.
func seconds(s float64) string {
	if s < 60 {
		return units.FormatSeconds(s)
	}
	return units.FormatDuration(time.Duration(min(s*float64(time.Second), math.MaxInt64/2)))
}
