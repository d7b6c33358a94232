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
	return help.PageOfGrammar(&helpHandler{}, commandOptions(c)...)
}

func (helpHandler) execute(what Command, c commandCall) (int, error) {
	var f helpHandler
	asked, err := help.Parse(c.words[1:], c.outputWriter(), &f, commandOptions(what)...)
	if asked || err != nil {
		return 0, err
	}
	about := findCommand(f.Command)
	if about.Name != f.Command {
		return 0, unknownCommandError(f.Command)
	}
	return 0, helpPrinter{about.Page, commandLineStart(c.args, f.Command), c.outputWriter()}.printHelp(nil)
}

// commandOptions returns the name and the description of a command for kong.
func commandOptions(c Command) []kong.Option {
	return []kong.Option{kong.Name("h5perf " + c.Name), kong.Description(c.About)}
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
