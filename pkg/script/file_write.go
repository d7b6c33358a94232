package script

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// The values of a workload file, from which its text is written: quotedText is quoted always, word where it must be.
type (
	quotedText string
	word       string
	list       []any
	fields     []field
)

// field is a key with its value, and lines of comment before it.
type field struct {
	key     string
	value   any
	comment string
}

// with returns fields with one more, if the value is to be there.
func (f fields) with(is bool, key string, value any) fields {
	if is {
		f = append(f, field{key: key, value: value})
	}
	return f
}

// step is a step of the list of a part, with lines of comment before it.
type step struct {
	fields
	comment string
}

// lineWidth is the number of columns after which lists go on in another line.
const lineWidth = 110

// writer writes values in YAML: in its own style, or as JSON with comments.
type writer struct {
	strings.Builder
	json bool
}

// document returns the text of a workload file.
func document(head string, f fields, json bool) string {
	w := writer{json: json}
	w.comment(head, "")
	if json {
		w.WriteString("{\n")
	}
	w.block(f, "", 2)
	if json {
		w.WriteString("}\n")
	}
	return w.String()
}

func (w *writer) comment(text, indent string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "%s# %s\n", indent, strings.TrimRight(line, "\n"))
	}
}

// block writes fields, each in its own lines, and those within them to some depth.
func (w *writer) block(f fields, indent string, depth int) {
	for i, one := range f {
		w.comment(one.comment, indent)
		end := w.end(i, len(f))
		switch v := one.value.(type) {
		case fields:
			if depth > 1 {
				w.opened(indent, w.text(one.key), "{")
				w.block(v, indent+"  ", depth-1)
				w.closed(indent, "}", end)
				continue
			}
		case []step:
			w.opened(indent, w.text(one.key), "[")
			for k, s := range v {
				w.comment(s.comment, indent+"  ")
				w.step(s, indent+"  ", w.end(k, len(v)))
			}
			w.closed(indent, "]", end)
			continue
		case []quotedText:
			w.opened(indent, w.text(one.key), "[")
			for k, n := range v {
				w.item(indent+"  ", w.text(n), w.end(k, len(v)))
			}
			w.closed(indent, "]", end)
			continue
		}
		line := indent + w.text(one.key) + ": "
		w.WriteString(line + w.flow(one.value, indent+"    ", len(line)) + end + "\n")
	}
}

// end returns what is between an entry of JSON and the next one.
func (w *writer) end(i, of int) string {
	if w.json && i < of-1 {
		return ","
	}
	return ""
}

func (w *writer) opened(indent, key, bracket string) {
	if w.json {
		fmt.Fprintf(w, "%s%s: %s\n", indent, key, bracket)
		return
	}
	fmt.Fprintf(w, "%s%s:\n", indent, key)
}

func (w *writer) closed(indent, bracket, end string) {
	if w.json {
		fmt.Fprintf(w, "%s%s%s\n", indent, bracket, end)
	}
}

// item writes an item of a list.
func (w *writer) item(indent, text, end string) {
	if !w.json {
		text = "- " + text
	}
	fmt.Fprintf(w, "%s%s%s\n", indent, text, end)
}

func (w *writer) step(s step, indent, end string) {
	if w.json {
		w.item(indent, w.flow(s.fields, indent+"  ", len(indent)), end)
		return
	}
	for i, f := range s.fields {
		start := indent + "  "
		if i == 0 {
			start = indent + "- "
		}
		start += w.text(f.key) + ": "
		w.WriteString(start + w.flow(f.value, indent+"    ", len(start)) + "\n")
	}
}

// flow returns a value as it is within a line that has some columns. Long lists go on in lines with an indentation.
func (w *writer) flow(v any, indent string, column int) string {
	var parts []string
	brackets := "[]"
	switch v := v.(type) {
	case list:
		for _, one := range v {
			parts = append(parts, w.flow(one, indent, 0))
		}
	case fields:
		brackets = "{}"
		for _, one := range v {
			parts = append(parts, w.text(one.key)+": "+w.flow(one.value, indent, 0))
		}
	default:
		return w.text(v)
	}
	var b strings.Builder
	b.WriteString(brackets[:1])
	column++
	for i, one := range parts {
		if i > 0 {
			b.WriteString(",")
			if column+len(one) > lineWidth {
				b.WriteString("\n" + indent)
				column = len(indent)
			} else {
				b.WriteString(" ")
				column++
			}
		}
		b.WriteString(one)
		column += len(one) + 1
	}
	b.WriteString(brackets[1:])
	return b.String()
}

// bare are words that YAML takes for texts without quotes, in any place.
var bare = regexp.MustCompile(`^(/[A-Za-z0-9_./-]*|[a-z][a-z0-9-]*)$`)

// notWords are words that YAML takes for other values.
var notWords = regexp.MustCompile(`^(null|true|false|yes|no|on|off|y|n|inf|nan)$`)

// text returns a value that is no list.
func (w *writer) text(v any) string {
	switch v := v.(type) {
	case quotedText:
		return quoted(string(v))
	case word:
		return w.word(string(v))
	case string: // a key
		return w.word(v)
	}
	return fmt.Sprint(v)
}

func (w *writer) word(text string) string {
	if w.json || !bare.MatchString(text) || notWords.MatchString(text) {
		return quoted(text)
	}
	return text
}

// quoted returns a text in double quotes, as both YAML and JSON read it.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString(surrogates(r))
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// surrogates returns the escapes of a character with more than 16 bits.
func surrogates(r rune) string {
	r -= 0x10000
	return `\u` + strconv.FormatInt(0xd800+int64(r>>10), 16) + `\u` + strconv.FormatInt(0xdc00+int64(r&0x3ff), 16)
}
