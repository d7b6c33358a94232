// Package plaintest takes apart the text that package plain makes.
package plaintest

import (
	"strings"
	"unicode/utf8"

	"h5perf/pkg/plain"
)

// Unwrap returns a text with each sentence, and each last cell of a row, in one line again that was broken because it
// was too long.
func Unwrap(text string) string {
	var b strings.Builder
	before := ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case i == 0:
			b.WriteString(line)
		case continues(line, before):
			b.WriteString(" " + strings.TrimLeft(line, " "))
		default:
			b.WriteString("\n" + line)
		}
		before = line
	}
	return b.String()
}

// continues reports whether a line continues the one before it, which had no room for its first word. Headings of other
// columns than the last one do not: other cells follow them in the line before.
func continues(line, before string) bool {
	words := strings.TrimLeft(line, " ")
	indent, above := len(line)-len(words), []rune(before)
	word, _, _ := strings.Cut(words, " ")
	if indent == 0 || len(above)+1+utf8.RuneCountInString(word) <= plain.MaxLineWidth {
		return false
	}
	return indent < len(above) && !strings.Contains(string(above[indent:]), "  ")
}
