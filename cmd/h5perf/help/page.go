// Package help holds the help of a command in parts. The text for a terminal, the manual page and the completions of
// shells are made from them.
package help

import (
	"cmp"
	"strings"
)

// Page is the help of a command.
type Page struct {
	Usage    []string // ways to call the command, of which each is a line
	About    string   // what the command does, in paragraphs
	Flow     bool     // lines of About break at the width of the reader's terminal, not where About breaks them
	Sections []Section
}

// Section is a part of a page.
type Section struct {
	Title     string // without a colon; "" continues what comes before
	Arguments []Argument
	Options   [][]Option // blocks, with an empty line between them
	Text      string     // comes last, laid out in lines
	Layout    Layout     // of arguments and options
}

// Argument is a word that is not an option.
type Argument struct {
	Shown string // such as <file> ...
	Text  string
}

// Option is an option of a command.
type Option struct {
	Short string // without a hyphen; "" where there is none
	Long  string // without hyphens
	Value string // what stands for its value; "" of a flag
	Text  string // may be broken into lines
}

// Layout is how arguments and options are laid out in two columns. The zero value is the usual layout.
type Layout struct {
	Equals string // between an option and its value; "" is =
	Gap    int    // blanks between the columns; 0 is 4
	Fixed  bool   // lines break where the texts break them, not at the width of the reader's terminal
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

// Choices returns the words that an option takes, or nil where its placeholder does not name them.
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
