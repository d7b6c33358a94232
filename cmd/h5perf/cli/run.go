package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/script"
)

type runGrammar struct {
	option.Application
	mpiOptions
	CaseOrder option.CaseOrder `name:"order" type:"word" group:"repeat" help:"Order of the APIs. given (default): all iterations of an API, then the next API. random: each iteration measures the APIs in another order, so that changes of the load affect all APIs alike."`
}

// parseIntoGrammar parses the arguments in words into the struct into, which contains g. asked reports whether the
// arguments ask for help or for the version. In this case parseIntoGrammar has printed the help or the version.
func (g *runGrammar) parseIntoGrammar(words []string, into any, v *optionValues, h helpPrinter) (asked bool,
	err error,
) {
	parser, err := newParser(into, v)
	if err != nil {
		return false, err
	}
	if _, err := parser.Parse(words); err != nil {
		return false, explainError(err, parser, runCommand)
	}
	switch {
	case g.Help:
		return true, h.printHelp(words)
	case g.Version:
		return true, printVersion(h.stdout)
	case g.Workload == "":
		return false, errors.New("run needs a workload: the name of a profile (h5perf workload list), or a workload " +
			"file")
	}
	return false, g.checkOutputs()
}

func (g runGrammar) toPlanOptions(lookup func(string) (string, bool)) (plan.Options, error) {
	o, err := g.planOptionsOf(g.CaseOrder, lookup)
	o.Workload = &plan.WorkloadOptions{Application: g.Application}
	return o, err
}

// parseSetting parses NAME=VALUE, which sets a size or a choice of a workload, such as cells=1M. Each name may be given
// only once.
func parseSetting(text string, field any) error {
	set := field.(*map[string]string)
	name, value, is := strings.Cut(text, "=")
	if !is || name == "" || value == "" {
		return fmt.Errorf("%q is not a name and a value, such as particles=1M", text)
	}
	if before, again := (*set)[name]; again {
		return fmt.Errorf("%s is given twice, as %s and as %s: give it once", name, before, value)
	}
	if *set == nil {
		*set = map[string]string{}
	}
	(*set)[name] = value
	return nil
}

func removeOptions(names []string, sections []help.Section) []help.Section {
	for i := range sections {
		for j := range sections[i].Options {
			block := &sections[i].Options[j]
			*block = slices.DeleteFunc(*block, func(o help.Option) bool { return slices.Contains(names, "--"+o.Long) })
		}
	}
	return sections
}

// runOptionGroups returns the groups into which the help of run sorts the options, with the groups in before at the
// beginning. apis is the title of the group of options about APIs.
func runOptionGroups(apis string, before ...kong.Group) kong.Option {
	return kong.ExplicitGroups(append(before, []kong.Group{
		{Key: "data", Title: "Workload"},
		{Key: "api", Title: apis},
		{Key: "driver", Title: "Settings of --driver subfiling"},
		{Key: "repeat", Title: "Iterations"},
		{Key: "trust", Title: "Conditions"},
		{Key: "output", Title: "Output"},
		{Key: "other", Title: "Other"},
	}...))
}

func runHelpPage() (help.Page, error) {
	parser, err := newParser(&runGrammar{}, &optionValues{}, runOptionGroups("APIs, MPI-IO and HDF5"))
	if err != nil {
		return help.Page{}, err
	}
	return help.Page{
		Words: [][]string{script.ProfileNames()},
		Usage: []string{"h5perf run WORKLOAD [options]", "mpiexec -n N h5perf run WORKLOAD [options]"},
		Short: `Measure a workload: what an application does with its files. WORKLOAD is the name of a profile
(see 'h5perf workload list') or a script, such as mine.star. 'h5perf workload about WORKLOAD' tells its
sizes and choices.`,
		About: `Measure a workload: what an application does with its files. WORKLOAD is the name of a profile (see
'h5perf workload list') or a script, such as mine.star. 'h5perf workload about WORKLOAD' tells its sizes
and choices. All processes of the job do its steps through HDF5. Through MPI-IO and POSIX they do the same
transfers in a plain file, without groups, datasets and attributes; with POSIX, the profile metadata and
scripts with object_files make a file for each object. So the report shows how much time HDF5 adds to the
transfers, and how much the groups, datasets and attributes take.

An iteration does the whole workload: it writes all dumps, and then reads. The rate that the application
sees (throughput) is the number of bytes divided by the time, without the time of computing.`,
		Sections: append(removeOptions(plan.UnsupportedOptions(), help.OptionSections(parser.Model.Node)),
			workloadPresetSection("-i 3."),
			help.Section{
				Title: "Examples", Brief: true,
				Text: `  mpiexec -n 4 h5perf run particles --size tiny
      particles of a simulation, in a size for a first try
  mpiexec -n 4 h5perf run particles --set particles=1M --preset standard
      another number of particles; conditions for results that are published
`,
			}),
	}, nil
}
