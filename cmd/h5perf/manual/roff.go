package main

import (
	"fmt"
	"strings"

	"h5perf/cmd/h5perf/cli/help"
)

// page returns the name of the manual page of the command, such as h5perf-report.
func (c command) page() string {
	if c.name == "" {
		return toolName
	}
	return toolName + "-" + c.name
}

// roff returns the manual page of the command, in the macros of man(7).
func (c command) roff(all []command, date string) string {
	var b strings.Builder
	name := escape(c.page())
	fmt.Fprintf(&b, ".TH %s 1 %s %s \"User Commands\"\n", escape(strings.ToUpper(c.page())), date, toolName)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n", name, escape(c.summary))
	for _, line := range c.Usage {
		b.WriteString(escapeLine(line) + "\n")
	}
	b.WriteString(".fi\n.SH DESCRIPTION\n" + paragraphs(c.Description(width)))
	for _, s := range c.Sections {
		b.WriteString(section(s))
	}
	b.WriteString(".SH SEE ALSO\n")
	var others []string
	for _, o := range all {
		if o.name != c.name {
			others = append(others, fmt.Sprintf(".BR %s (1)", escape(o.page())))
		}
	}
	b.WriteString(strings.Join(others, ",\n") + "\n")
	return b.String()
}

// width is the number of columns of text whose lines are kept as they are.
const width = 80

// section returns a section of the help for a manual page.
func section(s help.Section) string {
	var b strings.Builder
	if s.Title != "" {
		fmt.Fprintf(&b, ".SH %s\n", escape(strings.ToUpper(s.Title)))
	}
	if len(s.Arguments) > 0 {
		b.WriteString(paragraphs(s.ArgumentsText(width)))
	}
	for _, block := range s.Options {
		for _, o := range block {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", escape(o.Shown()), escapeLine(o.Text))
		}
	}
	if s.Text != "" {
		b.WriteString(paragraphs(s.Text))
	}
	return b.String()
}

// paragraphs converts text to roff, and keeps its line breaks.
func paragraphs(text string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		b.WriteString(".nf\n")
		for line := range strings.SplitSeq(strings.Trim(paragraph, "\n"), "\n") {
			b.WriteString(escapeLine(line) + "\n")
		}
		b.WriteString(".fi\n")
	}
	return b.String()
}

// escape escapes text, so that roff prints it as it is.
var escape = strings.NewReplacer(
	`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "×", `\(mu`,
).Replace

// escapeLine escapes a whole line, as escape does. If the line begins like a request of roff, such as .TP, escapeLine
// prevents this, too.
func escapeLine(line string) string {
	line = escape(line)
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}
