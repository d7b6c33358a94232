package cli

import "h5perf/cmd/h5perf/cli/help"

func abHelpPage() (help.Page, error) {
	options, err := optionSection(&abGrammar{})
	return help.Page{
		Usage: []string{
			"h5perf ab [options] -- ARGS_A -- ARGS_B",
			"mpiexec -n N h5perf ab [options] -- ARGS_A -- ARGS_B",
			"h5perf ab --launch A=COMMAND --launch B=COMMAND [options] -- ARGS",
		},
		About: `Measure two configurations, A and B, in one job and compare them. The tool runs one iteration of
A, then one of B, and so on; the order of each pair is random. Changes of the load on the
machine then affect both in the same way. Use ab if other jobs use the machine at the same
time.

ARGS_A and ARGS_B are options of the parallel tool. If they begin with "serial", they are options of the
serial tool; if they begin with "run", a workload and options of run. Both must lead to the same number of
cases and iterations. Environment variables that are written before the options of A or B, such as
HDF5_PARAPREFIX=/scratch, apply only to that configuration. Use them to compare two file systems.

With --launch, A and B are two programs, such as two builds of h5perf, HDF5 or MPI. ab launches each as a
job of its own, in turns, in random order, with the same ARGS. It compares what each turn measured, and lists
what differs between the programs.

'h5perf compare' recognizes the documents of A and B as pairs. --report cannot be used:
ab always prints its comparison.`,
		Sections: []help.Section{
			options,
			{
				Title: "Examples", Brief: true, Text: `  mpiexec -n 4 h5perf ab -i 20 -- -A mpiio -- -A mpiio -C
      independent access (A) and collective access (B)
  mpiexec -n 4 h5perf ab -i 20 -- HDF5_PARAPREFIX=/nvme -p 4 \
      -- HDF5_PARAPREFIX=/lustre -p 4
      two file systems
  mpiexec -n 4 h5perf ab -i 20 -- run particles --set mode=independent \
      -- run particles --set mode=collective
      two choices of a workload
  h5perf ab --launch "A=mpiexec -n 4 /opt/a/bin/h5perf" \
      --launch "B=mpiexec -n 4 /opt/b/bin/h5perf" -- run particles --size tiny
      two builds: of h5perf, HDF5 or MPI
`,
			},
		},
	}, err
}
