package cli

import (
	"fmt"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
)

// parallelTool is the command line of the parallel tool.
type parallelTool struct{}

func (parallelTool) page(Command) (help.Page, error) { return parallelHelp() }

func (parallelTool) run(_ Command, c call) (int, error) {
	p, err := parseParallel(c.args, c.words, c.lookup, c.out())
	if p == nil {
		return 0, err
	}
	p.RerunOf, p.Variables = c.old, c.variables
	return c.tools.Parallel(*p), nil
}

// serialTool is the command line of the serial tool. In a job, each process runs it for itself.
type serialTool struct{}

func (serialTool) page(Command) (help.Page, error) { return serialHelp() }

func (serialTool) run(_ Command, c call) (int, error) {
	s, err := parseSerial(c.args, c.words, c.lookup, c.out())
	if s == nil {
		return 0, err
	}
	s.RerunOf, s.Variables = c.old, c.variables
	return c.tools.Serial(*s), nil
}

// newParser returns a parser of a grammar. v gets the options as they were written.
func newParser(grammar any, v *values, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(grammar, append(v.kong(), append(options, kong.Name("h5perf"), kong.NoDefaultHelp())...)...)
}

// toolPage returns the page of a tool with the options of the tool, which is a command of the grammar, and the list of
// commands. They come before the sections that p has.
func toolPage(name string, groups []kong.Group, p help.Page) (help.Page, error) {
	parser, err := newParser(&grammar{}, &values{}, kong.ExplicitGroups(groups))
	if err != nil {
		return p, err
	}
	for _, node := range parser.Model.Children {
		if node.Name == name {
			p.Sections = append(append(help.Groups(node), list()), p.Sections...)
			return p, nil
		}
	}
	return p, fmt.Errorf("%s is no command of the grammar", name)
}
