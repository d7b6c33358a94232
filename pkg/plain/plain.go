// Package plain reads what strangers may have written, and makes texts safe to show. Documents, file names and answers
// of servers may hold sequences that steer a terminal, characters that turn the order of others round, line breaks that
// forge lines, and cells that a spreadsheet takes for formulas.
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

// Line returns a text as one line of characters that can be seen. Its lines are joined by "; ", a tab becomes a blank,
// and any other character, and a byte that is not UTF-8, is written as in a literal of Go: \x1b, \u202e.
func Line(text string) string {
	if isVisible(text, "") {
		return text
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return escapeInvisible(strings.ReplaceAll(strings.Join(lines, "; "), "\t", " "), "", escapeLikeGo)
}

// Text is like Line, but keeps line feeds and tabs.
func Text(text string) string {
	if isVisible(text, "\n\t") {
		return text
	}
	return escapeInvisible(text, "\n\t", escapeLikeGo)
}

// Writer returns a writer that writes what Text returns. A call of Write must not end within a character.
func Writer(w io.Writer) io.Writer { return plainWriter{w} }

type plainWriter struct{ io.Writer }

func (w plainWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// number matches what is a number for a spreadsheet, too.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$`)

// Cell returns a text for a cell of CSV: as Line does, and with a single quote in front of what a spreadsheet would
// take for a formula. Numbers stay as they are.
func Cell(text string) string {
	if first, _ := utf8.DecodeRuneInString(text); text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) &&
		!number.MatchString(text) {
		return "'" + Line(text)
	}
	return Line(text)
}

// JSON writes a value as indented JSON, in which characters that cannot be seen are escaped. It stands for the same
// value.
func JSON(w io.Writer, value any) error { return writeJSON(w, value, "  ") }

// JSONLine is like JSON, but writes the value on one line.
func JSONLine(w io.Writer, value any) error { return writeJSON(w, value, "") }

func writeJSON(w io.Writer, value any, indent string) error {
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

// isVisible reports whether a text has only characters that can be seen, and those that are kept.
func isVisible(text, kept string) bool {
	for i, r := range text {
		switch {
		case r >= ' ' && r < 0x7f, kept != "" && strings.ContainsRune(kept, r):
		case !unicode.IsGraphic(r), r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"): // no UTF-8
			return false
		}
	}
	return true
}

// escapeInvisible returns a text in which escape has replaced what cannot be seen, apart from what is kept.
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

// escapeLikeGo returns a character as it is written in a literal of Go.
func escapeLikeGo(_ rune, raw string) string {
	quoted := strconv.QuoteToGraphic(raw)
	return quoted[1 : len(quoted)-1]
}
