package cli

import (
	"slices"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/cmd/h5perf/command"
)

// Names of commands that the program itself refers to.
const (
	parallelCommand = "" // the parallel tool, which needs no word
	serialCommand   = "serial"
	runCommand      = "run"
	layoutsCommand  = "layouts"
	workloadCommand = "workload"
	abCommand       = "ab"
	rerunCommand    = "rerun"
	helpCommand     = "help"

	serialProgram = "h5perf_serial" // the serial tool under its own name
)

// Command describes a command of h5perf.
type Command struct {
	Name    string       // its first word
	Summary string       // what it does, in one sentence
	About   string       // a longer description, for help that is made from the grammar alone; "" means Summary
	Group   CommandGroup // what it is for
	Job     JobMode      // what the processes of a job do

	form form
}

// JobMode is what the processes of a job do with a command.
type JobMode int

// What the processes of a job do.
const (
	First    JobMode = iota // the first process runs the command, the others do nothing
	Together                // all run it together, and the first one prints
	Each                    // each runs it for itself: its place may be on a disk of its node
)

// CommandGroup is what a command is for.
type CommandGroup int

// The groups of commands. The help of a tool lists the commands of all other groups.
const (
	Measuring CommandGroup = iota // measure one configuration
	Runs                          // measure several, or say what a run would do
	Results                       // show, compare and publish documents
	Upkeep                        // remove what is old
	Reading                       // explain h5perf
)

// form is the command line of a command.
type form interface {
	helpPage(Command) (help.Page, error)

	// execute runs the command and returns the exit status. An error is a usage error, found before anything was done.
	execute(Command, call) (int, error)
}

// Commands returns all commands, in the order in which they are listed. The first is the parallel tool, which needs
// no word.
func Commands() []Command {
	return []Command{
		{
			Name: parallelCommand, Group: Measuring, Job: Together, form: parallelForm{},
			Summary: "Measure a file system the way HDF5 applications use it.",
		},
		{
			Name: serialCommand, Group: Measuring, Job: Each, form: serialForm{},
			Summary: "Measure a file system from one process, without MPI.",
		},
		{
			Name: runCommand, Group: Runs, Job: Together, form: runForm{},
			Summary: "Measure a workload: what an application does.",
		},
		{
			Name: layoutsCommand, Group: Runs, Job: Together, form: layoutsForm{},
			Summary: "Find how the data of a workload are stored to be fastest.",
		},
		{
			Name: workloadCommand, Group: Reading, Job: Together, form: workloadForm{},
			Summary: "List, show and check workloads.",
		},
		{
			Name: "doctor", Group: Runs, Job: Together, About: doctorAbout, form: doctorForm{},
			Summary: "Check whether a run would work here.",
		},
		{
			Name: "plan", Group: Runs, Job: Together, form: planForm{},
			Summary: "Show what a run would do, and estimate its time.",
		},
		{
			Name: "report", Group: Results, form: documentsForm{&command.Report{}},
			Summary: "Show results as a table, page or picture, or export them.",
		},
		{
			Name: "compare", Group: Results, form: documentsForm{&command.Compare{}},
			Summary: "Compare two sets of results.",
		},
		{
			Name: abCommand, Group: Runs, Job: Together, form: abForm{},
			Summary: "Measure two sets of options in turn, and compare them.",
		},
		{
			Name: "trend", Group: Results, form: documentsForm{&command.Trend{}},
			Summary: "Find when results became better or worse.",
		},
		{
			Name: "reference", Group: Results, form: documentsForm{&command.Reference{}},
			Summary: "Set the runs that later runs are compared with.",
			About: "Set runs as the reference. 'trend', 'compare --reference', metrics and dashboards compare other " +
				"runs with it. A file in the tree of results records who set it, when and why. A reference is valid " +
				"until it is set again or cleared.",
		},
		{
			Name: rerunCommand, Group: Runs, Job: Together, form: rerunForm{},
			Summary: "Repeat a run from its document.",
		},
		{
			Name: "push", Group: Results, form: documentsForm{&command.Push{}},
			Summary: "Push stored results to a Prometheus Pushgateway.",
		},
		{
			Name: "prune", Group: Upkeep, form: documentsForm{&command.Prune{}},
			Summary: "Remove old groups from a Prometheus Pushgateway.",
		},
		{
			Name: "clean", Group: Upkeep, Job: Each, form: documentsForm{&command.Clean{}},
			Summary: "List and remove data files that ended runs have left.",
			About:   "List the data files that ended runs have left in a directory, and remove them with --remove.",
		},
		{
			Name: helpCommand, Group: Reading, Job: Together, form: helpForm{},
			Summary: "Show the help of a command.",
		},
	}
}

// findCommand returns the command with a name. If there is none, it returns the parallel tool.
func findCommand(name string) Command {
	all := Commands()
	return all[max(0, slices.IndexFunc(all, func(c Command) bool { return c.Name == name }))]
}

// Page returns the help of the command.
func (c Command) Page() (help.Page, error) { return c.form.helpPage(c) }

// commandsSection returns a section of the help of the tools with the other commands.
func commandsSection() help.Section {
	s := help.Section{Title: "Commands", Brief: true}
	for _, c := range Commands() {
		if c.Group != Measuring {
			s.Arguments = append(s.Arguments, help.Argument{Shown: c.Name, Text: c.Summary})
		}
	}
	return s
}
