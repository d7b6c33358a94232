package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// toolHandler executes a tool that measures. In a job, each process runs the serial tool for itself.
type toolHandler struct{ page pageFunc }

func (h toolHandler) helpPage(Command) (help.Page, error) { return h.page() }

func (toolHandler) execute(_ Command, c commandCall) (int, error) {
	kind, words := splitTool(c.words)
	m, err := parseMeasurement(kind, c.args, words, c.lookup, c.outputWriter())
	if m == nil {
		return 0, err
	}
	m.RerunOf, m.Variables = c.rerunDocument, c.variables
	if w := m.Options.Workload; w != nil {
		w.Recorded = c.workload
	}
	if kind == result.KindSerial {
		return c.tools.Serial(*m), nil
	}
	return c.tools.Parallel(*m), nil
}

// splitTool returns the kind of run that a command line makes, and its arguments after the name of the tool.
func splitTool(words []string) (result.Kind, []string) {
	switch {
	case len(words) > 0 && words[0] == serialCommand:
		return result.KindSerial, words[1:]
	case len(words) > 0 && words[0] == runCommand:
		return result.KindWorkload, words[1:]
	}
	return result.KindParallel, words
}

// toolGrammar holds the options of a tool.
type toolGrammar interface {
	shared() sharedOptions
	toPlanOptions(lookup func(string) (string, bool)) (plan.Options, error)
}

// parseMeasurement parses the arguments of a tool, without its name. If they ask for help or for the version, it prints
// the help or the version and returns nil.
func parseMeasurement(kind result.Kind, args, words []string, lookup func(string) (string, bool), stdout io.Writer) (
	*Measurement, error,
) {
	var v optionValues
	name := commandByKind[kind]
	tool, err := parseTool(kind, words, nil, &v,
		helpPrinter{findCommand(name).Page, commandLineStart(args, name), stdout})
	if tool == nil {
		return nil, err
	}
	options, err := sweptOptions(kind, tool, words, lookup)
	if err != nil {
		return nil, err
	}
	return &Measurement{
		Request: tool.shared().baseRequest(args, v.given, lookup, variablesByKind[kind]...),
		Options: options,
	}, nil
}

// sweptOptions returns the options of a tool for a plan, with the values of --sweep.
func sweptOptions(kind result.Kind, tool toolGrammar, words []string, lookup func(string) (string, bool)) (
	options plan.Options, err error,
) {
	if options, err = tool.toPlanOptions(lookup); err == nil {
		options.Sweep, err = parseSweep(tool.shared().Sweep, kind, words, lookup)
	}
	return options, err
}

// parseTool parses the arguments of a tool, without its name. If planned is not nil, they may include options of plan,
// which it stores there. v records the options as the user wrote them. If the arguments ask for help or for the
// version, parseTool prints them with h and returns nil.
func parseTool(kind result.Kind, words []string, planned *plannedTool, v *optionValues, h helpPrinter) (
	toolGrammar, error,
) {
	var own plannedTool
	if planned == nil {
		planned = &own
	}
	if kind == result.KindWorkload {
		var g planRunGrammar
		var into any = &g
		if planned == &own {
			into = &g.runGrammar
		}
		if asked, err := g.parseIntoGrammar(words, into, v, h); asked || err != nil {
			return nil, err
		}
		*planned = plannedTool{g.planOptions, g.MaxNumProcesses}
		return g.runGrammar, nil
	}
	var g planGrammar
	var into any = &g
	if planned == &own {
		into = &g.grammar
	}
	if kind == result.KindSerial {
		words = slices.Concat([]string{serialCommand}, words)
	}
	if command, err := parseTools(words, into, &g.grammar, v, h); command == "" {
		return nil, err
	}
	if kind == result.KindSerial {
		*planned = plannedTool{planOptions: g.planOptions}
		return g.Serial, nil
	}
	*planned = plannedTool{g.planOptions, g.Parallel.MaxProcesses}
	return g.Parallel, nil
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
