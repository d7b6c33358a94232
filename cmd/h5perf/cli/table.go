package cli

import (
	"slices"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/cmd/h5perf/command"
)

// Names of commands that the program itself refers to.
const (
	parallelCommand = "" // the parallel tool, which has no command name
	serialCommand   = "serial"
	runCommand      = "run"
	varyCommand     = "vary"
	tuneCommand     = "tune"
	workloadCommand = "workload"
	abCommand       = "ab"
	rerunCommand    = "rerun"
	helpCommand     = "help"

	serialProgram = "h5perf_serial" // name of the program that runs only the serial tool
)

// Command describes a command of h5perf.
type Command struct {
	Name    string       // first word of its command line
	Summary string       // what it does, in one sentence
	About   string       // longer description, for help that is made from the grammar alone; "" means Summary
	Group   CommandGroup // its purpose
	Job     JobMode      // what the processes of a job do with it

	handler commandHandler
}

// JobMode says which processes of a job run a command: the first one, all together, or each one for itself.
type JobMode int

// Which processes of a job run a command.
const (
	FirstRankOnly    JobMode = iota // the first process runs the command; the others do nothing
	AllRanksTogether                // all processes run it together; the first one prints
	EachRankAlone                   // each process runs it for itself: its directory may be on a local disk of its node
)

// CommandGroup is the purpose of a command, such as measuring. The help lists commands by their groups.
type CommandGroup int

// Groups of commands. The help of a tool lists the commands of all groups except Measuring.
const (
	Measuring CommandGroup = iota // measure one configuration
	Runs                          // measure several configurations, or say what a run would do
	Results                       // show, compare and publish results
	Upkeep                        // remove old files and metrics
	Reading                       // explain h5perf
)

type commandHandler interface {
	helpPage(Command) (help.Page, error)

	// execute runs the command and returns the exit status. An error is a usage error, which was found before the
	// command did anything.
	execute(Command, commandCall) (int, error)
}

// Commands returns all commands in the order of the help. The first command is the parallel tool, whose name is empty.
func Commands() []Command {
	return []Command{
		{
			Name: parallelCommand, Group: Measuring, Job: AllRanksTogether, handler: toolHandler{parallelHelpPage},
			Summary: "Measure a file system the way HDF5 applications use it.",
		},
		{
			Name: serialCommand, Group: Measuring, Job: EachRankAlone, handler: toolHandler{serialHelpPage},
			Summary: "Measure a file system from one process, without MPI.",
		},
		{
			Name: runCommand, Group: Runs, Job: AllRanksTogether, handler: toolHandler{runHelpPage},
			Summary: "Measure a workload: what an application does.",
		},
		{
			Name: varyCommand, Group: Runs, Job: AllRanksTogether, handler: varyHandler{},
			Summary: "Find the settings and layouts that are faster here.",
		},
		{
			Name: tuneCommand, Group: Runs, Job: AllRanksTogether, handler: tuneHandler{},
			Summary: "Search the fastest settings, and prove the gain.",
		},
		{
			Name: workloadCommand, Group: Reading, Job: AllRanksTogether, handler: workloadHandler{},
			Summary: "List, show and check workloads.",
		},
		{
			Name: "doctor", Group: Runs, Job: AllRanksTogether, About: doctorAbout, handler: doctorHandler{},
			Summary: "Check whether a run would work here.",
		},
		{
			Name: "settings", Group: Reading, About: settingsAbout, handler: settingsHandler{},
			Summary: "List the settings of HDF5.",
		},
		{
			Name: "plan", Group: Runs, Job: AllRanksTogether, handler: planHandler{},
			Summary: "Show what a run would do, and estimate its time.",
		},
		{
			Name: "report", Group: Results, handler: documentsHandler{&command.Report{}},
			Summary: "Show results as a table, page or picture, or export them.",
		},
		{
			Name: "compare", Group: Results, handler: documentsHandler{&command.Compare{}},
			Summary: "Compare two sets of results.",
		},
		{
			Name: abCommand, Group: Runs, Job: AllRanksTogether, handler: abHandler{},
			Summary: "Measure two sets of options in turn, and compare them.",
		},
		{
			Name: "trend", Group: Results, handler: documentsHandler{&command.Trend{}},
			Summary: "Find when results became better or worse.",
			About: "Search the results of many runs for lasting changes and incidents. After a lasting change, " +
				"throughput stays higher or lower. An incident is a change that lasts for one to five runs. With the " +
				"sixth run it becomes a lasting change. Then tell of the newest run of each cluster, file system and " +
				"label where it lies within the 30 runs before it or, if a reference is set, within the runs of the " +
				"reference.",
		},
		{
			Name: "reference", Group: Results, handler: documentsHandler{&command.Reference{}},
			Summary: "Set the runs that later runs are compared with.",
			About: "Set runs as the reference. 'trend', 'compare --reference', metrics and dashboards compare other " +
				"runs with it. A file in the tree of results records who set it, when and why. A reference is valid " +
				"until it is set again or cleared.",
		},
		{
			Name: rerunCommand, Group: Runs, Job: AllRanksTogether, handler: rerunHandler{},
			Summary: "Repeat a run from its document.",
		},
		{
			Name: "push", Group: Results, handler: documentsHandler{&command.Push{}},
			Summary: "Push stored results to a Prometheus Pushgateway.",
		},
		{
			Name: "prune", Group: Upkeep, handler: documentsHandler{&command.Prune{}},
			Summary: "Remove old groups from a Prometheus Pushgateway.",
		},
		{
			Name: "clean", Group: Upkeep, Job: EachRankAlone, handler: documentsHandler{&command.Clean{}},
			Summary: "List and remove data files left behind by runs that ended.",
			About:   "List the data files in a directory that were left behind by runs that ended, or remove them.",
		},
		{
			Name: helpCommand, Group: Reading, Job: AllRanksTogether, handler: helpHandler{},
			Summary: "Show the help of a command.",
			About:   "Show the help of a command, as 'h5perf COMMAND -h' does.",
		},
	}
}

// findCommand returns the command with the given name, or the parallel tool if no command has this name.
func findCommand(name string) Command {
	all := Commands()
	return all[max(0, slices.IndexFunc(all, func(c Command) bool { return c.Name == name }))]
}

// Page returns the help of the command.
func (c Command) Page() (help.Page, error) { return c.handler.helpPage(c) }

// commandsSection returns a help section that lists all commands except the parallel tool and the serial tool.
func commandsSection() help.Section {
	s := help.Section{Title: "Commands", Brief: true}
	for _, c := range Commands() {
		if c.Group != Measuring {
			s.Arguments = append(s.Arguments, help.Argument{Shown: c.Name, Text: c.Summary})
		}
	}
	return s
}
