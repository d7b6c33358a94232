package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/plain"
	"h5perf/pkg/usage"
)

// helpHandler executes the command help, which prints the help of a command.
type helpHandler struct {
	Command string `arg:"" optional:"" help:"The command (default: the parallel tool, which needs no command)."`
}

func (helpHandler) helpPage(c Command) (help.Page, error) {
	return help.PageOfGrammar(&helpHandler{}, helpOptions(c)...)
}

func (helpHandler) execute(what Command, c commandCall) (int, error) {
	var f helpHandler
	asked, err := help.Parse(c.words[1:], c.outputWriter(), &f, helpOptions(what)...)
	if asked || err != nil {
		return 0, err
	}
	about := findCommand(f.Command)
	if about.Name != f.Command {
		return 0, unknownCommandError(f.Command)
	}
	return 0, helpPrinter{about.Page, commandLineStart(c.args, f.Command), c.outputWriter()}.printHelp(nil)
}

func helpOptions(c Command) []kong.Option {
	about := "Show the help of a command, as 'h5perf COMMAND -h' does."
	return []kong.Option{kong.Name("h5perf " + c.Name), kong.Description(about)}
}

func unknownCommandError(word string) error {
	var names []string
	for _, c := range Commands() {
		names = append(names, c.Name)
	}
	if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() && strings.HasSuffix(word, ".json") {
		return fmt.Errorf("unknown command %q; to show it: h5perf report %s", word, plain.ShellWord(word))
	}
	return fmt.Errorf("unknown command %q%s", word, usage.DidYouMean(word, append(names, "--version")))
}
