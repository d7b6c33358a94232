// Package plain reads files from untrusted sources, and makes text safe to show. Documents, file names and answers from
// servers may contain escape sequences for terminals, characters that reverse the order of text, line breaks that fake
// lines of output, and cells that a spreadsheet takes for formulas.
package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// VisibleLine returns a text as one line of visible characters. It joins lines by "; " and replaces tabs by blanks. It
// escapes other invisible characters, and bytes that are not UTF-8, as in a Go literal: \x1b, \u202e.
func VisibleLine(text string) string {
	if isVisible(text, "") {
		return text
	}
	text = lineBreaks.ReplaceAllString(strings.Trim(text, "\n\r"), "; ")
	return escapeInvisible(strings.ReplaceAll(text, "\t", " "), "", escapeLikeGo)
}

// lineBreaks matches the ends of lines, with the blanks before them, and empty lines.
var lineBreaks = regexp.MustCompile(`([ \t]*[\n\r])+`)

// VisibleText escapes invisible characters like VisibleLine, but keeps line feeds and tabs.
func VisibleText(text string) string {
	if isVisible(text, "\n\t") {
		return text
	}
	return escapeInvisible(text, "\n\t", escapeLikeGo)
}

// NewVisibleWriter returns a writer that converts its input with VisibleText and writes it to w. A call of Write must
// not end in the middle of a UTF-8 character.
func NewVisibleWriter(w io.Writer) io.Writer { return visibleWriter{w} }

type visibleWriter struct{ io.Writer }

func (w visibleWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, VisibleText(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// spreadsheetNumber matches texts that a spreadsheet reads as numbers.
var spreadsheetNumber = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$`)

// CSVCell returns a text for a cell of a CSV file, made visible by VisibleLine. It puts a single quote in front of a
// text that a spreadsheet would take for a formula, but not in front of numbers.
func CSVCell(text string) string {
	if first, _ := utf8.DecodeRuneInString(text); text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) &&
		!spreadsheetNumber.MatchString(text) {
		return "'" + VisibleLine(text)
	}
	return VisibleLine(text)
}

// WriteJSON writes a value as indented JSON. It escapes invisible characters in strings, so the JSON still has the same
// value.
func WriteJSON(w io.Writer, value any) error { return encodeJSON(w, value, "  ") }

// WriteJSONLine is like WriteJSON, but writes the value on one line.
func WriteJSONLine(w io.Writer, value any) error { return encodeJSON(w, value, "") }

func encodeJSON(w io.Writer, value any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	if err := e.Encode(value); err != nil {
		return err
	}
	text := b.String()
	if !isVisible(text, "\n") {
		text = escapeInvisible(text, "\n", func(r rune, _ string) string {
			var units strings.Builder
			for _, u := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&units, `\u%04x`, u)
			}
			return units.String()
		})
	}
	_, err := io.WriteString(w, text)
	return err
}

// isVisible reports whether each character of a text is visible, or is one of the characters in kept.
func isVisible(text, kept string) bool {
	for i, r := range text {
		switch {
		case r >= ' ' && r < 0x7f, kept != "" && strings.ContainsRune(kept, r):
		case !unicode.IsGraphic(r), r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"): // not UTF-8
			return false
		}
	}
	return true
}

// escapeInvisible replaces each invisible character in a text, except for those in kept, by the result of the function
// escape.
func escapeInvisible(text, kept string, escape func(r rune, raw string) string) string {
	var b strings.Builder
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if raw := text[:size]; isVisible(raw, kept) {
			b.WriteString(raw)
		} else {
			b.WriteString(escape(r, raw))
		}
		text = text[size:]
	}
	return b.String()
}

// escapeLikeGo returns the escape sequence of a character in a Go string literal, such as \x1b.
func escapeLikeGo(_ rune, raw string) string {
	quoted := strconv.QuoteToGraphic(raw)
	return quoted[1 : len(quoted)-1]
}
