package cli

var planHelp = help{
	head: `Usage: h5perf plan [options of h5perf]
       h5perf plan serial [options of h5perf serial]

Tells what a run with these options would do, and does nothing: cases, bytes
written and read, data calls, files, room on the file system, memory and samples.
What the run would refuse is refused. There are as many processes as -P says, 1
without; how many there are makes no difference to how long the answer takes.

Options of its own:
      --assume=RATE|FILE  Tell the time of accessing data at this rate, a SIZE per
                          second, or at the median throughputs in the document of a
                          run: for each API and operation those of the same
                          transfer size and number of processes, where it has them.
      --nodes=N           Nodes (default 1), each with the memory of this machine,
                          for --memory-factor and --profile.
      --json              Print JSON.
  -h, --help              Print this text.

The other options are explained by 'h5perf --help' and 'h5perf serial --help'.

Example:
  h5perf plan -P 1024 --nodes 16 --profile strict --assume 20G
`,
}
