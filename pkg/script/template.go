package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Template is a text with expressions in braces, such as plt{dump:5}. A number after a colon is the least number of
// digits: zeros are put in front of the value. {{ and }} are braces of the text itself.
type Template struct {
	parts []part
}

// part is a literal text, or an expression.
type part struct {
	literal string
	is      bool // an expression
	expr    Expr
	width   int
}

// MostWidth is the largest number of digits of a part of a template.
const MostWidth = 20

// ParseTemplate reads a template. The error is an *Error.
func ParseTemplate(text string) (Template, error) {
	var t Template
	p := exprParser{text: text}
	if len(text) > MostBytes {
		return t, p.fail(0, "has more than %d characters, the limit for a text with expressions", MostBytes)
	}
	for at := 0; at < len(text); {
		literal, opening := literalOf(text, at)
		if literal != "" {
			t.parts = append(t.parts, part{literal: literal})
		}
		if opening == len(text) {
			break
		}
		if text[opening] == '}' {
			return t, p.fail(opening, "there is no { before this }: }} is a } of the text itself")
		}
		length := strings.IndexAny(text[opening+1:], "{}")
		if length < 0 || text[opening+1+length] == '{' {
			return t, p.fail(opening, "the { is not closed")
		}
		inner := text[opening+1 : opening+1+length]
		at = opening + length + 2
		one := part{is: true}
		source, width, found := strings.Cut(inner, ":")
		var err error
		if found {
			one.width, err = strconv.Atoi(width)
			if err != nil || one.width < 1 || one.width > MostWidth || width[0] == '+' {
				return t, p.fail(opening+2+len(source), "the number of digits, %q, is none from 1 to %d", width,
					MostWidth)
			}
		}
		if one.expr, err = ParseExpr(source); err != nil {
			return t, err
		}
		t.parts = append(t.parts, one)
	}
	return t, nil
}

// literalOf returns the text from a place up to an expression, and where that begins, or a } that stands alone.
func literalOf(text string, at int) (literal string, end int) {
	var b strings.Builder
	for at < len(text) {
		next := strings.IndexAny(text[at:], "{}")
		if next < 0 {
			next = len(text) - at
		}
		b.WriteString(text[at : at+next])
		at += next
		if at+1 >= len(text) || text[at+1] != text[at] {
			break
		}
		b.WriteByte(text[at])
		at += 2
	}
	return b.String(), at
}

// inText doubles what would begin or end an expression.
var inText = strings.NewReplacer("{", "{{", "}", "}}")

// LiteralText returns the text that ParseTemplate reads as a template without expressions.
func LiteralText(text string) string { return inText.Replace(text) }

// Exprs returns the expressions of a template.
func (t Template) Exprs() []Expr {
	var all []Expr
	for _, p := range t.parts {
		if p.is {
			all = append(all, p.expr)
		}
	}
	return all
}

// Names returns the names in the expressions of a template, in the order of their parts.
func (t Template) Names() []string {
	var names []string
	for _, e := range t.Exprs() {
		names = append(names, e.Names()...)
	}
	return names
}

// Uses reports whether a name is in the expressions of a template.
func (t Template) Uses(name string) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.is && p.expr.Uses(name) })
}

// Literals returns the text between the expressions.
func (t Template) Literals() string {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.literal)
	}
	return b.String()
}

// String formats a template so that ParseTemplate returns it.
func (t Template) String() string {
	var b strings.Builder
	for _, p := range t.parts {
		switch {
		case !p.is:
			b.WriteString(LiteralText(p.literal))
		case p.width > 0:
			fmt.Fprintf(&b, "{%s:%d}", p.expr, p.width)
		default:
			fmt.Fprintf(&b, "{%s}", p.expr)
		}
	}
	return b.String()
}

// Bind computes the expressions of a template as far as possible: see Expr.Bind. Those that are numbers then become
// text. A negative number is an error.
func (t Template) Bind(value func(name string) (int64, bool, error)) (Template, error) {
	var bound Template
	text := ""
	flush := func() {
		if text != "" {
			bound.parts = append(bound.parts, part{literal: text})
			text = ""
		}
	}
	for _, p := range t.parts {
		if !p.is {
			text += p.literal
			continue
		}
		e, err := p.expr.Bind(value)
		if err != nil {
			return Template{}, err
		}
		n, is := e.Value()
		switch {
		case is && n < 0:
			return Template{}, fmt.Errorf("%s is %d: numbers in names must not be negative", p.expr.Source(), n)
		case is:
			text += fmt.Sprintf("%0*d", p.width, n)
		default:
			flush()
			bound.parts = append(bound.parts, part{is: true, expr: e, width: p.width})
		}
	}
	flush()
	return bound, nil
}

// Text returns the text of a template without expressions, and whether it is one.
func (t Template) Text() (string, bool) {
	switch {
	case len(t.parts) == 0:
		return "", true
	case len(t.parts) == 1 && !t.parts[0].is:
		return t.parts[0].literal, true
	}
	return "", false
}

// Family returns a template that has one expression, which is a name, as the text before it, the text after it, and
// the least number of digits. It returns false for any other template.
func (t Template) Family(name string) (before, after string, width int, is bool) {
	found := false
	for _, p := range t.parts {
		switch {
		case !p.is && found:
			after = p.literal
		case !p.is:
			before = p.literal
		case found || p.expr.String() != name:
			return "", "", 0, false
		default:
			found, width = true, p.width
		}
	}
	return before, after, width, found
}
