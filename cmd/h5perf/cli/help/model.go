package help

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// PageOfNode returns the help page of a command, or of a whole application. It takes the texts from kong's model of the
// grammar.
func PageOfNode(app *kong.Application, node *kong.Node) Page {
	summary := strings.Replace(strings.TrimSpace(node.Summary()), "[flags]", "[options]", 1)
	for _, v := range node.Positional {
		summary = strings.Replace(summary, v.Summary(), argumentText(v), 1)
	}
	p := Page{Usage: []string{app.Name + " " + summary}, About: node.Help}
	if len(node.Positional) > 0 {
		arguments := Section{Title: "Arguments", Brief: true}
		for _, v := range node.Positional {
			arguments.Arguments = append(arguments.Arguments,
				Argument{argumentText(v), kong.DefaultHelpValueFormatter(v)})
		}
		p.Sections = append(p.Sections, arguments)
	}
	p.Sections = append(p.Sections, OptionSections(node)...)
	return p
}

// argumentText returns an argument as the help shows it: the placeholder of the argument, or kong's summary of it if
// there is no placeholder.
func argumentText(v *kong.Positional) string {
	switch text := v.Tag.PlaceHolder; {
	case text == "":
		return v.Summary()
	case v.Required:
		return text
	default:
		return "[" + text + "]"
	}
}

// OptionSections returns a help section for each group of options of a command. The order of the sections is the order
// of the first options of the groups. Options without a group are in a section with the title Options. In each section,
// the options of the whole application come before the options of the command, as a separate block.
func OptionSections(node *kong.Node) (sections []Section) {
	places := map[string]int{} // index of each group in sections
	for _, level := range node.AllFlags(true) {
		blocks := map[string]int{} // index of each group's block in its section
		for _, f := range level {
			key, title := "", "Options"
			if f.Group != nil {
				key, title = f.Group.Key, f.Group.Title
			}
			if _, ok := places[key]; !ok {
				places[key] = len(sections)
				sections = append(sections, Section{Title: title})
			}
			s := &sections[places[key]]
			if _, ok := blocks[key]; !ok {
				blocks[key] = len(s.Options)
				s.Options = append(s.Options, nil)
			}
			s.Options[blocks[key]] = append(s.Options[blocks[key]], NewOption(f))
		}
	}
	return sections
}

// NewOption returns the description of an option for the help, from kong's flag of the option.
func NewOption(f *kong.Flag) Option {
	o := Option{Long: f.Name, Text: kong.DefaultHelpValueFormatter(f.Value)}
	if f.Tag.Has("brief") {
		o.Brief = cmp.Or(f.Tag.Get("brief"), f.Help)
	}
	if f.Short != 0 {
		o.Short = string(f.Short)
	}
	if !f.IsBool() {
		o.Value = f.FormatPlaceHolder()
	}
	return o
}

// PageOfGrammar returns the help page of the command that a grammar for Parse describes.
func PageOfGrammar(grammar any, options ...kong.Option) (Page, error) {
	parser, err := newParser(grammar, options...)
	if err != nil {
		return Page{}, err
	}
	return PageOfNode(parser.Model, commandNode(parser)), nil
}

// commandNode returns the first command of a grammar, or the whole application if it has no commands.
func commandNode(parser *kong.Kong) *kong.Node {
	if node := parser.Model.Node; len(node.Children) > 0 {
		return node.Children[0]
	}
	return parser.Model.Node
}

func newParser(grammar any, options ...kong.Option) (*kong.Kong, error) {
	parser, err := kong.New(grammar, options...)
	if err == nil {
		parser.Model.HelpFlag.Help = "Print this help."
	}
	return parser, err
}

// Parse parses arguments into a grammar, to which kong adds the options -h and --help. asked reports whether the
// arguments ask for help. In this case Parse has printed the help.
func Parse(words []string, stdout io.Writer, grammar any, options ...kong.Option) (asked bool, err error) {
	page := func(_ kong.HelpOptions, ctx *kong.Context) error {
		node := ctx.Selected()
		if node == nil {
			node = ctx.Model.Node
		}
		wholeCommand := strings.TrimSpace(strings.TrimSuffix(node.FullPath(), " []")) + " --help"
		return PageOfNode(ctx.Model, node).Show(stdout, words, wholeCommand)
	}
	options = append(options, kong.Help(page), kong.Exit(func(int) { asked = true })) // kong exits after its help
	parser, err := newParser(grammar, options...)
	if err != nil {
		return false, err
	}
	parsed, err := parser.Parse(words)
	switch {
	case asked:
		return true, nil
	case err != nil:
		return false, ExplainError(err, commandNode(parser), nil)
	}
	return false, checkNoEmptyOptions(parsed)
}

// checkNoEmptyOptions returns an error if an option has an empty value, since commands cannot tell an empty value from
// an option that is not given.
func checkNoEmptyOptions(parsed *kong.Context) error {
	for _, p := range parsed.Path {
		if p.Flag != nil && p.Flag.Target.Kind() == reflect.String && p.Flag.Target.String() == "" {
			return fmt.Errorf("--%s: its value is empty; give a value, or leave the option out", p.Flag.Name)
		}
	}
	return nil
}

// Show writes the page that the arguments ask for: the whole page if the arguments have --help, else the brief page.
// wholeCommand is the command line that shows the whole page.
func (p Page) Show(w io.Writer, words []string, wholeCommand string) error {
	if !slices.Contains(words, "--help") {
		p = p.Brief(wholeCommand)
	}
	return p.Write(w)
}
