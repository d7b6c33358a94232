package help

import (
	"fmt"
	"go/doc/comment"
	"io"
	"slices"
	"strings"

	"h5perf/pkg/output"
)

// Write writes the page as text, in lines that fit the stream. On a terminal, titles are highlighted.
func (p Page) Write(w io.Writer) error {
	_, err := io.WriteString(w, p.pageText(output.LookOf(w)))
	return err
}

func (p Page) pageText(look output.TerminalLook) string {
	title := func(text string) string { return look.StyleText(output.Bold, text+":") }
	blocks := []string{
		title("Usage") + " " + strings.Join(p.Usage, "\n       ") + "\n", p.Description(look.Width),
	}
	for _, s := range p.Sections {
		text := s.sectionText(look.Width)
		if s.Title != "" {
			text = title(s.Title) + "\n" + text
		}
		blocks = append(blocks, text)
	}
	return strings.Join(blocks, "\n")
}

// Description returns the text about the command, in lines of at most width columns.
func (p Page) Description(width int) string { return wrapLines(p.About, width) + "\n" }

func (s Section) sectionText(width int) string {
	var blocks []string
	if len(s.Arguments) > 0 {
		blocks = append(blocks, s.ArgumentsText(width))
	}
	if len(s.Options) > 0 {
		blocks = append(blocks, s.optionsText(width))
	}
	if s.Text != "" {
		blocks = append(blocks, s.Text)
	}
	return strings.Join(blocks, "\n")
}

// ArgumentsText returns the arguments in two columns.
func (s Section) ArgumentsText(width int) string {
	var rows [][2]string
	for _, a := range s.Arguments {
		rows = append(rows, [2]string{a.Shown, a.Text})
	}
	return formatColumns(rows, width)
}

// optionsText returns the options in two columns. If any option has a short form such as -i, the long forms of all
// options are aligned.
func (s Section) optionsText(width int) string {
	indent := ""
	if slices.ContainsFunc(slices.Concat(s.Options...), func(o Option) bool { return o.Short != "" }) {
		indent = "    "
	}
	var rows [][2]string
	for i, block := range s.Options {
		if i > 0 {
			rows = append(rows, [2]string{})
		}
		for _, o := range block {
			shown := o.Shown()
			if o.Short == "" {
				shown = indent + shown
			}
			rows = append(rows, [2]string{shown, o.Text})
		}
	}
	return formatColumns(rows, width)
}

// formatColumns formats rows in two columns, and indents each line by two blanks. The first column is as wide as its
// longest entry. An entry that has at least 30 characters, and at least 3/8 of the line, does not count: after this
// entry, the second column begins on the next line.
func formatColumns(rows [][2]string, width int) string {
	const indent, gap = 2, 4
	room := width - indent
	limit, left := max(30, 375*room/1000), 0
	for _, row := range rows {
		if n := len(row[0]); n < limit {
			left = max(left, n)
		}
	}
	var b strings.Builder
	line := func(first, second string) {
		text := fmt.Sprintf("%*s%-*s%*s%s", indent, "", left, first, gap, "", second)
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	for _, row := range rows {
		first := row[0]
		if len(first) >= limit {
			line(first, "")
			first = ""
		}
		for second := range strings.SplitSeq(wrapLines(row[1], room-left-gap), "\n") {
			line(first, second)
			first = ""
		}
	}
	return b.String()
}

// wrapLines breaks text into lines of at most width columns, as go doc does. It prefers to break lines after
// punctuation.
func wrapLines(text string, width int) string {
	var parser comment.Parser
	printer := comment.Printer{TextWidth: width}
	return strings.TrimRight(string(printer.Text(parser.Parse(text))), "\n")
}
