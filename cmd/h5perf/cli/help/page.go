// Package help represents the help of a command as data. It is the source of the text on a terminal, of manual pages
// and of shell completions.
package help

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Page is the help of a command.
type Page struct {
	Usage    []string // ways to call the command, one line each
	About    string   // what the command does, in paragraphs
	Short    string   // About in the brief help; "" means About
	Sections []Section
	Words    [][]string // for completion: the allowed values of the first arguments, in order, besides files
}

// Section is a section of a help page, with a title and texts, options or arguments.
type Section struct {
	Title     string // without a colon; "" continues the previous section
	Brief     bool   // the brief help has the section
	Arguments []Argument
	Options   [][]Option // blocks, with an empty line between them
	Text      string     // text after the options, whose line breaks are kept
}

// Argument is an argument that is not an option, or another name that the help explains, such as an environment
// variable.
type Argument struct {
	Shown string // such as <file> ...
	Text  string
}

// Option describes an option of a command for the help.
type Option struct {
	Short string // without a hyphen; "" if there is none
	Long  string // without hyphens
	Value string // placeholder of its value; "" for a flag
	Text  string
	Brief string // its text in the brief help; "" leaves it out there
}

// Brief returns a page with only the most used options, which fits on a screen. If no option has the tag brief, Brief
// returns p itself. wholeCommand is the command line that shows the whole page.
func (p Page) Brief(wholeCommand string) Page {
	if !p.hasBriefHelp() {
		return p
	}
	options := Section{Title: "Options", Options: make([][]Option, 1)}
	for _, o := range p.Options() {
		if o.Brief != "" || o.Long == helpOption {
			o.Text = cmp.Or(o.Brief, o.Text)
			options.Options[0] = append(options.Options[0], o)
		}
	}
	brief, first := Page{Usage: p.Usage, About: cmp.Or(p.Short, p.About)}, true
	for _, s := range p.Sections {
		if first && len(s.Options) > 0 {
			brief.Sections, first = append(brief.Sections, options), false
		}
		if s.Brief {
			brief.Sections = append(brief.Sections, s)
		}
	}
	all := Section{Text: fmt.Sprintf("'%s' shows all options and explains them.\n", wholeCommand)}
	brief.Sections = append(brief.Sections, all)
	return brief
}

// helpOption is the option that is both in the brief and in the whole help.
const helpOption = "help"

// hasBriefHelp reports whether the page has a brief help: at least one option has the tag brief.
func (p Page) hasBriefHelp() bool {
	return slices.ContainsFunc(p.Options(), func(o Option) bool { return o.Brief != "" })
}

// Options returns all options of the page in their order.
func (p Page) Options() (all []Option) {
	for _, s := range p.Sections {
		for _, block := range s.Options {
			all = append(all, block...)
		}
	}
	return all
}

// Shown returns an option as the help shows it, such as -i, --num-iterations=N.
func (o Option) Shown() string {
	text := "--" + o.Long
	if o.Short != "" {
		text = "-" + o.Short + ", " + text
	}
	if o.Value != "" {
		text += "=" + o.Value
	}
	return text
}

// Choices returns the values that an option accepts, or nil if its placeholder does not list them.
func (o Option) Choices() (words []string) {
	if !strings.Contains(o.Value, "|") {
		return nil
	}
	for word := range strings.SplitSeq(o.Value, "|") {
		if word == strings.ToLower(word) && !strings.Contains(word, "=") {
			words = append(words, word)
		}
	}
	return words
}
