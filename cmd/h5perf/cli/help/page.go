// Package help holds the help of a command as data. The text for a terminal, the manual page and the completions of
// shells are made from it.
package help

import (
	"cmp"
	"strings"
)

// Page is the help of a command.
type Page struct {
	Usage    []string // ways to call the command, one line each
	About    string   // what the command does, in paragraphs
	Flow     bool     // lines of About break at the width of the terminal, not where About has line breaks
	Sections []Section
}

// Section is a part of a page.
type Section struct {
	Title     string // without a colon; "" continues the section before
	Arguments []Argument
	Options   [][]Option // blocks, with an empty line between them
	Text      string     // after the options; its lines are kept as they are
	Layout    Layout     // of arguments and options
}

// Argument is a word that is not an option.
type Argument struct {
	Shown string // such as <file> ...
	Text  string
}

// Option is an option of a command.
type Option struct {
	Short string // without a hyphen; "" if there is none
	Long  string // without hyphens
	Value string // placeholder of its value; "" for a flag
	Text  string // may be broken into lines
}

// Layout describes how arguments and options are arranged in two columns. The zero value is the usual layout.
type Layout struct {
	Equals string // between an option and its value; "" means =
	Gap    int    // blanks between the columns; 0 means 4
	Fixed  bool   // lines break where the texts have line breaks, not at the width of the terminal
}

// Options returns all options of a page in their order.
func (p Page) Options() (all []Option) {
	for _, s := range p.Sections {
		for _, block := range s.Options {
			all = append(all, block...)
		}
	}
	return all
}

// Shown returns an option as the layout shows it, such as -i, --num-iterations=N.
func (l Layout) Shown(o Option) string {
	text := "--" + o.Long
	if o.Short != "" {
		text = "-" + o.Short + ", " + text
	}
	if o.Value != "" {
		text += cmp.Or(l.Equals, "=") + o.Value
	}
	return text
}

// Line returns the text of an option in one line.
func (o Option) Line() string { return strings.Join(strings.Fields(o.Text), " ") }

// Choices returns the words that an option accepts, or nil if its placeholder does not list them.
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
