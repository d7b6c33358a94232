package cli

import "h5perf/cmd/h5perf/cli/help"

func planHelp() (help.Page, error) {
	parser, err := newParser(&planGrammar{}, &values{})
	if err != nil {
		return help.Page{}, err
	}
	var own []help.Option
	for _, f := range parser.Model.Flags {
		own = append(own, help.FromFlag(f))
	}
	own = append(own, help.Option{Long: "json", Text: "Print JSON."}) // which needs no value here
	for _, f := range parser.Model.Children[0].Flags {
		if f.Name == "help" {
			own = append(own, help.FromFlag(f))
		}
	}
	return help.Page{
		Usage: []string{"h5perf plan [options of h5perf]", "h5perf plan serial [options of h5perf serial]"},
		About: `Tells what a run with these options would do, and does nothing: cases, bytes
written and read, data calls, files, room on the file system, memory and samples.
What the run would refuse is refused. There are as many processes as -P says, 1
without; how many there are makes no difference to how long the answer takes.
`,
		Sections: []help.Section{
			{
				Title:   "Options of its own",
				Options: [][]help.Option{own},
				Layout:  help.Layout{Gap: 2, Fixed: true},
				Text:    "The other options are explained by 'h5perf --help' and 'h5perf serial --help'.\n",
			},
			{Title: "Example", Text: "  h5perf plan -P 1024 --nodes 16 --profile strict --assume 20G\n"},
		},
	}, nil
}
