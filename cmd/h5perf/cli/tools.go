package cli

import (
	"fmt"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
)

type parallelHandler struct{}

func (parallelHandler) helpPage(Command) (help.Page, error) { return parallelHelpPage() }

func (parallelHandler) execute(_ Command, c commandCall) (int, error) {
	p, err := parseParallel(c.args, c.words, c.lookup, c.outputWriter())
	if p == nil {
		return 0, err
	}
	p.RerunOf, p.Variables = c.rerunDocument, c.variables
	return c.tools.Parallel(*p), nil
}

// serialHandler executes the serial tool. In a job, each process runs the serial tool for itself.
type serialHandler struct{}

func (serialHandler) helpPage(Command) (help.Page, error) { return serialHelpPage() }

func (serialHandler) execute(_ Command, c commandCall) (int, error) {
	s, err := parseSerial(c.args, c.words, c.lookup, c.outputWriter())
	if s == nil {
		return 0, err
	}
	s.RerunOf, s.Variables = c.rerunDocument, c.variables
	return c.tools.Serial(*s), nil
}

// newParser returns a parser for a grammar. v parses the values of options, and records the options as the user wrote
// them.
func newParser(grammar any, v *optionValues, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(grammar, append(v.kongOptions(), append(options, kong.Name("h5perf"), kong.NoDefaultHelp())...)...)
}

// toolHelpPage returns the help page of a tool. name is the name of the tool in the grammar. The options of the tool
// and the list of commands come before the sections of p.
func toolHelpPage(name string, groups []kong.Group, p help.Page) (help.Page, error) {
	parser, err := newParser(&grammar{}, &optionValues{}, kong.ExplicitGroups(groups))
	if err != nil {
		return p, err
	}
	for _, node := range parser.Model.Children {
		if node.Name == name {
			p.Sections = append(append(help.OptionSections(node), commandsSection()), p.Sections...)
			return p, nil
		}
	}
	return p, fmt.Errorf("%s is no command of the grammar", name)
}
