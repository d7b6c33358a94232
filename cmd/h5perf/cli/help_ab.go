package cli

import "h5perf/cmd/h5perf/cli/help"

func abHelp() (help.Page, error) {
	parser, err := newParser(&abGrammar{}, &values{})
	if err != nil {
		return help.Page{}, err
	}
	options := help.Groups(parser.Model.Node)[0]
	options.Title = ""
	options.Layout = help.Layout{Equals: " ", Gap: 3, Fixed: true}
	options.Text = `The documents name one another; 'h5perf compare' knows them for pairs. ab
prints their comparison, and refuses --report.

  mpiexec -n 4 h5perf ab -i 20 -- -A mpiio -- -A mpiio -C
  mpiexec -n 4 h5perf ab -i 20 -- HDF5_PARAPREFIX=/nvme -p 4 -- HDF5_PARAPREFIX=/lustre -p 4
`
	return help.Page{
		Usage: []string{
			"h5perf ab [options] -- ARGS_A -- ARGS_B",
			"mpiexec -n N h5perf ab [options] -- ARGS_A -- ARGS_B",
		},
		About: `Measures two configurations in turns under one launch, each case of A beside its
case of B, one iteration at a time and in random order, and compares them: the
way to compare on a machine that does other things meanwhile. ARGS_A and ARGS_B
are options of the parallel tool, or both begin with "serial". Both must have as
many cases and iterations. Before the options there may be variables, such as
HDF5_PARAPREFIX=/scratch: they count for this configuration alone, so that two
file systems can be compared.
`,
		Sections: []help.Section{options},
	}, nil
}
