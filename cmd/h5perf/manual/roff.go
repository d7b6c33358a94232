package main

import (
	"fmt"
	"strings"
)

// page is the name of the manual page of the command.
func (c command) page() string {
	if c.name == "" {
		return toolName
	}
	return toolName + "-" + c.name
}

// roff is the manual page of the command (man(7)).
func (c command) roff(all []command, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s %s \"User Commands\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(escape(c.page())), date, toolName, escape(c.page()), escape(c.summary))
	for i, s := range c.sections {
		if i == 0 {
			usage(&b, s)
			continue
		}
		fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(escape(s.title)))
		for _, p := range s.parts {
			b.WriteString(p.roff())
		}
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

// usage writes the first section of a help: how the command is called, and what it does.
func usage(b *strings.Builder, s section) {
	synopsis := true
	b.WriteString(".SH SYNOPSIS\n.nf\n")
	for _, p := range s.parts {
		var text []string
		for _, line := range p.lines {
			if rest, is := strings.CutPrefix(line, "Usage: "); is {
				line = rest
			}
			if synopsis && line == "" {
				synopsis = false
				b.WriteString(".fi\n.SH DESCRIPTION\n")
				continue
			}
			if synopsis {
				b.WriteString(escapeLine(strings.TrimSpace(line)) + "\n")
				continue
			}
			text = append(text, line)
		}
		b.WriteString(part{option: p.option, lines: text}.roff())
	}
	if synopsis {
		b.WriteString(".fi\n")
	}
}

// roff is the part for a manual page. Paragraphs of text stay as they are laid out.
func (p part) roff() string {
	if o := p.option; o != nil {
		return fmt.Sprintf(".TP\n\\fB%s\\fR\n%s\n", escape(o.shown), escapeLine(o.text))
	}
	text := strings.Trim(strings.Join(p.lines, "\n"), "\n")
	if text == "" {
		return ""
	}
	var b strings.Builder
	for i, paragraph := range strings.Split(text, "\n\n") {
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

// escape makes text one that roff prints as it is.
var escape = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "×", `\(mu`).Replace

// escapeLine is escape for a whole line, which no request begins.
func escapeLine(line string) string {
	line = escape(line)
	if strings.HasPrefix(line, ".") {
		return `\&` + line
	}
	return line
}
