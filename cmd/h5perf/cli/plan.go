package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/run"
	"h5perf/pkg/rundir"
	"h5perf/pkg/units"
)

// planGrammar is the command line of plan: its own options, and those of the tools.
type planGrammar struct {
	Assume string `type:"word" placeholder:"RATE|FILE" help:"Estimate the time: with this rate, a SIZE per second, or with the median throughputs in the document of a run. From a document, throughputs of the same API, operation, transfer size and number of processes are used, if it has them."`
	Nodes  *int   `type:"count" help:"Number of nodes, each with the memory of this machine (default 1). --memory-factor and --profile need it."`
	grammar
}

// planForm is the command line of plan.
type planForm struct{}

func (planForm) page(Command) (help.Page, error) { return planHelp() }

// run prints the plan of a command line.
func (planForm) run(_ Command, c call) (int, error) {
	var g planGrammar
	v := values{jsonAlone: true}
	tool, err := parse(c.words[1:], &g, &g.grammar, &v, helper{planHelp, called(c.args, c.words[0]), c.out()})
	if err != nil || tool == "" {
		return 0, err
	}
	return 0, g.tell(tool, c.lookup, c.out())
}

// tell writes the plan of a command line.
func (g planGrammar) tell(command string, lookup func(string) (string, bool), stdout io.Writer) error {
	nodes := 1
	if g.Nodes != nil {
		nodes = *g.Nodes
	}
	if nodes < 1 {
		return fmt.Errorf("--nodes %d: must be at least 1", nodes)
	}
	processes, variable, asJSON := 1, rundir.ParallelPrefix, g.Parallel.JSON == "-"
	newPlan := func(job plan.Job) (plan.Plan, error) { return plan.New(g.Parallel.options(lookup), job) }
	if p := g.Parallel.MaxNumProcesses; p != nil {
		processes = *p
	}
	if command == serialCommand {
		variable, asJSON = rundir.SerialPrefix, g.Serial.JSON == "-"
		newPlan = func(job plan.Job) (plan.Plan, error) { return plan.NewSerial(g.Serial.options(lookup), job) }
	}
	here := run.Place(variable, func(name string) string { value, _ := lookup(name); return value }, processes, nodes)
	anywhere := here
	anywhere.TargetType = ""
	p, err := newPlan(anywhere)
	if err != nil {
		return err
	}
	rate, err := assumed(g.Assume, p)
	if err != nil {
		return err
	}
	amount, err := p.Amount(rate)
	if err != nil {
		return err
	}
	out := planned{Amount: amount, Assumed: g.Assume, Notes: p.Notes}
	if _, err := newPlan(here); err != nil {
		out.Refused = err.Error()
	}
	if asJSON {
		return plain.JSON(stdout, out)
	}
	_, err = io.WriteString(stdout, plain.Text(out.text()))
	return err
}

// planned is a plan as JSON.
type planned struct {
	plan.Amount
	Assumed string   `json:"assumed,omitempty"` // a rate or the path of a document
	Notes   []string `json:"notes,omitempty"`
	Refused string   `json:"refused_here,omitempty"` // why the run would be refused in this environment
}

// text returns the plan as text.
func (p planned) text() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-17s %s\n", name+":", fmt.Sprintf(format, args...))
	}
	line("Cases", "%d, of at most %s", p.Cases, units.Count(p.MaxProcesses, "process", "processes"))
	line("Iterations", "%s of all cases together, warming up included",
		span(p, func(t plan.Total) string { return fmt.Sprint(t.Iterations) }))
	line("Written", "%s", span(p, func(t plan.Total) string { return amountOf(t.Written) }))
	line("Read", "%s", span(p, func(t plan.Total) string { return amountOf(t.Read) }))
	line("Data calls", "%s", span(p, func(t plan.Total) string { return fmt.Sprint(t.Calls) }))
	line("Files", "%s made, the largest of %s",
		span(p, func(t plan.Total) string { return fmt.Sprint(t.Files) }), amountOf(p.MaxFileBytes))
	line("Disk at once", "%s, %d inode(s)", amountOf(p.Disk.Bytes), p.Disk.Inodes)
	line("Memory", "%s of buffers per process", amountOf(p.BytesPerProcess))
	line("Samples", "%s, of at most %d",
		span(p, func(t plan.Total) string { return fmt.Sprint(t.Samples) }), plan.MaxSamples)
	if p.Assumed != "" {
		line("Time", "%s of accessing data, assuming %s",
			span(p, func(t plan.Total) string { return seconds(t.Seconds) }), p.Assumed)
	}
	b.WriteString("\nOne iteration of all cases:\n")
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprint(table, "  API\toperation\tbytes\tdata calls")
	if p.Assumed != "" {
		_, _ = fmt.Fprint(table, "\ttime")
	}
	for _, w := range p.Iteration {
		_, _ = fmt.Fprintf(table, "\n  %s\t%s\t%s\t%d", w.API, w.Operation, amountOf(w.Bytes), w.Calls)
		if p.Assumed != "" {
			_, _ = fmt.Fprintf(table, "\t%s", seconds(w.Seconds))
		}
	}
	_ = table.Flush() // writing to memory cannot fail
	b.WriteString("\n")
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "\nNote: %s\n", note)
	}
	if p.Refused != "" {
		fmt.Fprintf(&b, "\nStarted from here it would be refused: %s\n", p.Refused)
	}
	return b.String()
}

// span returns a number of a run whose number of iterations is not fixed: from the smallest to the largest.
func span(p planned, of func(plan.Total) string) string {
	if least, most := of(p.Least), of(p.Most); least != most {
		return least + " to " + most
	}
	return of(p.Least)
}

// amountOf returns a number of bytes as an integer, and, if it is large, also in IEC units.
func amountOf(n uint64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%d B (%s)", n, units.FormatBytes(float64(n)))
}

// seconds returns a time in seconds and, if it is long, also in larger units.
func seconds(s float64) string {
	const hour = 3600
	if s < hour {
		return units.FormatSeconds(s)
	}
	return fmt.Sprintf("%s (%.1f h)", units.FormatSeconds(s), s/hour)
}
