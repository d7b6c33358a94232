package cli

import "h5perf/cmd/h5perf/cli/help"

func planHelpPage() (help.Page, error) {
	parser, err := newParser(&planGrammar{}, &optionValues{})
	if err != nil {
		return help.Page{}, err
	}
	var own []help.Option
	for _, f := range parser.Model.Flags {
		own = append(own, help.NewOption(f))
	}
	own = append(own, help.Option{Long: "json", Text: "Print the plan as JSON."}) // here it needs no value
	for _, f := range parser.Model.Children[0].Flags {
		if f.Name == "help" {
			own = append(own, help.Option{Short: string(f.Short), Long: f.Name, Text: "Print this help."})
		}
	}
	return help.Page{
		Usage: []string{
			"h5perf plan [options of h5perf]", "h5perf plan serial [options of h5perf serial]",
			"h5perf plan run WORKLOAD [options of h5perf run]",
		},
		About: `Show what a run with these options would do, without running it: cases, bytes written and read,
data calls, files, space on the file system, memory, samples and time. The plan of a workload also shows
its dumps, groups, datasets and attributes. The plan is refused if the run would be refused.

Under mpiexec or srun, the plan is for the processes of the job. Otherwise -P gives the number of
processes (default 1). Nothing is measured, so a plan takes at most a few seconds.`,
		Sections: []help.Section{
			{Title: "Options", Options: [][]help.Option{own}},
			{Text: "For the other options, see 'h5perf --help', 'h5perf serial --help' and\n'h5perf run --help'.\n"},
			{Title: "Examples", Text: `  h5perf plan -P 1024 --nodes 16 --preset strict --assume 20G
  h5perf plan run particles --size site -P 1024 --nodes 16 --assume 20G
`},
		},
	}, nil
}
