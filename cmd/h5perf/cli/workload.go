package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/script"
	"h5perf/pkg/script/about"
	"h5perf/pkg/workload"
)

type workloadGrammar struct {
	Word     string            `arg:"" optional:"" type:"word"`
	Workload string            `arg:"" optional:"" type:"word"`
	Ranks    *int              `type:"count" group:"about" placeholder:"N" help:"Number of ranks. about: the job that the page describes, with two ranks per node (default 4). check: the job to check (default: 1 and 4)."`
	Size     string            `type:"word" group:"about" placeholder:"NAME" help:"Set of sizes of the workload, such as tiny (default: the sizes of the file)."`
	Set      map[string]string `type:"setting" group:"about" placeholder:"NAME=VALUE" help:"Set the size or the choice NAME to VALUE, such as particles=1M or mode=collective. Give the option once for each name."`
	Help     bool              `short:"h" type:"flag" group:"about" help:"Show this text."`
}

// workloadHandler executes the command workload, which lists, shows and checks workloads.
type workloadHandler struct{}

func (workloadHandler) helpPage(Command) (help.Page, error) {
	parser, err := newParser(&workloadGrammar{}, &optionValues{},
		kong.ExplicitGroups([]kong.Group{{
			Key: "about", Title: "Options of 'workload about'; 'workload check' has only --ranks",
		}}))
	if err != nil {
		return help.Page{}, err
	}
	return help.Page{
		Words: [][]string{{"list", "show", "about", "check", "from"}, script.ProfileNames()},
		Usage: []string{
			"h5perf workload list", "h5perf workload show NAME|FILE", "h5perf workload about NAME|FILE [options]",
			"h5perf workload check NAME|FILE [--ranks N]",
			"h5perf workload from HDF5-FILE [--decompose [PATH=]RULE]... [-o FILE]",
		},
		About: `List, show and check workloads. A workload describes the I/O of an application: its files, the objects
in them, and its steps. 'h5perf run' measures it. h5perf has profiles, which imitate known applications.
Other workloads are scripts in Starlark, which read like Python with h5py.`,
		Sections: append([]help.Section{{
			Title: "Commands", Brief: true, Arguments: []help.Argument{
				{Shown: "list", Text: "Print the profiles and the applications that they imitate."},
				{Shown: "show", Text: "Print a workload file."},
				{
					Shown: "about", Text: "Print a page about a workload: which application it imitates, which " +
						"files and objects it uses, and a picture that shows which rank writes which data in a " +
						"small job.",
				},
				{
					Shown: "check", Text: "Check a workload file, with all sets of sizes and all values of its " +
						"choices, and print what it does with 1 and with 4 ranks. Notes list steps that need another " +
						"number of ranks or another version of HDF5.",
				},
				{
					Shown: "from", Text: "Print a workload that writes a file with the same structure as an HDF5 " +
						"file: its groups, datasets and attributes, with types, extents, chunks and filters. The " +
						"data values are generated. Features of the file that workloads do not support are listed " +
						"on standard error.",
				},
			},
		}, {
			Title: "Options of 'workload from'", Brief: true, Arguments: []help.Argument{
				{
					Shown: "--decompose", Text: "How ranks divide all datasets, or those at or below a path: slab, " +
						"block, root, all or none. If several rules match a dataset, the last one applies. Without a " +
						"rule, h5perf chooses one and writes it into the workload.",
				},
				{Shown: "-o", Text: "Write to this new file. --force replaces an existing file."},
			},
		}}, append(help.OptionSections(parser.Model.Node), help.Section{
			Title: "Examples",
			Text: `  h5perf workload show particles >mine.star
      write your own workload, beginning with a copy of a profile
  h5perf workload about mine.star --ranks 8
      see what it does in a job of 8 ranks
  h5perf workload from app.h5 --decompose /fields=block -o app.star
      then measure such a file: mpiexec -n 4 h5perf run app.star
`,
		})...),
	}, nil
}

func (f workloadHandler) execute(what Command, c commandCall) (int, error) {
	var g workloadGrammar
	words := c.words[1:]
	if len(words) > 0 && words[0] == "from" && !slices.Contains(words, "-h") && !slices.Contains(words, "--help") {
		return f.printFromFile(words[1:], c)
	}
	parser, err := newParser(&g, &optionValues{})
	if err != nil {
		return 0, err
	}
	if _, err := parser.Parse(words); err != nil {
		return 0, explainError(err, parser, workloadCommand)
	}
	if g.Help {
		return 0, helpPrinter{what.Page, commandLineStart(c.args, what.Name), c.outputWriter()}.printHelp(words)
	}
	if err := g.checkSubcommand(); err != nil {
		return 0, err
	}
	text, err := g.subcommandOutput(c.tools.hdf5Library())
	if err != nil {
		return 0, err
	}
	_, err = io.WriteString(c.outputWriter(), plain.VisibleText(text))
	return 0, err
}

// checkSubcommand returns an error if the subcommand is unknown, or if arguments or options do not belong to it.
func (g workloadGrammar) checkSubcommand() error {
	const words = "list, show, about, check or from"
	needs, known := map[string]bool{"list": false, "show": true, "about": true, "check": true}[g.Word]
	switch {
	case g.Word == "":
		return errors.New("workload needs a subcommand: " + words)
	case !known:
		return fmt.Errorf("workload: unknown subcommand %q; the subcommands are %s", g.Word,
			strings.Replace(words, " or ", " and ", 1))
	case !needs && g.Workload != "":
		return fmt.Errorf("workload %s: unexpected argument %q", g.Word, g.Workload)
	case needs && g.Workload == "":
		return fmt.Errorf("workload %s needs one workload: the name of a profile, or a file", g.Word)
	case g.Word != "about" && g.Word != "check" && g.Ranks != nil:
		return fmt.Errorf("workload %s: --ranks is an option of about and check", g.Word)
	case g.Word == "check" && g.Ranks != nil && *g.Ranks < 1:
		return fmt.Errorf("--ranks %d: must be at least 1", *g.Ranks)
	case g.Word != "about" && (g.Size != "" || g.Set != nil):
		return fmt.Errorf("workload %s: --size and --set are options of about", g.Word)
	}
	return nil
}

// subcommandOutput returns what a subcommand, such as list or about, prints.
func (g workloadGrammar) subcommandOutput(library option.HDF5Library) (string, error) {
	if g.Word == "list" {
		return profileList()
	}
	s, err := script.Open(g.Workload)
	if err != nil {
		return "", err
	}
	switch g.Word {
	case "check":
		o := about.CheckOptions{CheckFeatures: func(s *script.Script, p workload.Program) error {
			return plan.CheckLibrary(s, p, library)
		}}
		if g.Ranks != nil {
			o.Ranks = *g.Ranks
		}
		return about.Check(s, o)
	case "about":
		ranks := about.Ranks
		if g.Ranks != nil {
			ranks = *g.Ranks
		}
		return about.Page(s, g.Size, g.Set, ranks)
	}
	return s.Text(), nil
}

// profileList lists the workloads that come with h5perf, each with its title and its sets of sizes, such as tiny and
// site.
func profileList() (string, error) {
	names, width := script.ProfileNames(), 0
	for _, name := range names {
		width = max(width, len(name))
	}
	var b strings.Builder
	for _, name := range names {
		s, err := script.ReadProfile(name)
		if err != nil {
			return "", err
		}
		var sets []string
		for _, set := range s.Sets {
			sets = append(sets, set.Name)
		}
		what := fmt.Sprintf("%s (sizes: %s)", strings.TrimSuffix(s.Title, "."), strings.Join(sets, ", "))
		b.WriteString(plain.TableRow([]string{name, what}, []int{width, 0}))
	}
	return b.String(), nil
}
