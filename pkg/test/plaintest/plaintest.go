// Package plaintest takes apart the text that package plain makes.
package plaintest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"h5perf/pkg/plain"
)

// Unwrap returns a text with each sentence, and each cell of a row, in one line again that was broken because it was
// too long. In a row that was broken, two blanks separate the cells.
func Unwrap(text string) string {
	var whole []string
	var row []cell
	before := ""
	for i, line := range strings.Split(text, "\n") {
		cells := cellsOf(line)
		switch {
		case i > 0 && continues(line, before):
			whole[len(whole)-1] += " " + strings.TrimLeft(line, " ")
		case i > 0 && appendCells(row, cells):
			var words []string
			for _, c := range row {
				words = append(words, c.text)
			}
			whole[len(whole)-1] = strings.Repeat(" ", row[0].start) + strings.Join(words, "  ")
		default:
			whole, row = append(whole, line), cells
		}
		before = line
	}
	return strings.Join(whole, "\n")
}

// cell is a cell of a row: its text, and the column where it starts.
type cell struct {
	start int
	text  string
}

// cellsOf returns the cells of a line, which several blanks separate.
func cellsOf(line string) (cells []cell) {
	runes := []rune(line)
	for i, r := range runes {
		gap := i == 0 || runes[i-1] == ' ' && (i == 1 || runes[i-2] == ' ')
		switch {
		case r == ' ' && (i == 0 || runes[i-1] == ' '):
		case gap:
			cells = append(cells, cell{i, string(r)})
		case len(cells) > 0:
			cells[len(cells)-1].text += string(r)
		}
	}
	for i := range cells {
		cells[i].text = strings.TrimRight(cells[i].text, " ")
	}
	return cells
}

// maxBrokenCells is the largest number of cells of a row that appendCells takes for broken. A line with more cells is
// a row by itself, without a first cell.
const maxBrokenCells = 2

// appendCells appends the words of a line to the cells of a row above them, and reports whether the line is a rest of
// the row: it has words below few cells of the row only, and none below the first.
func appendCells(row, words []cell) bool {
	if len(words) > maxBrokenCells {
		return false
	}
	at := make([]int, len(words))
	for i, w := range words {
		at[i] = slices.IndexFunc(row, func(c cell) bool { return c.start == w.start })
		if at[i] <= 0 {
			return false
		}
	}
	for i, w := range words {
		row[at[i]].text += " " + w.text
	}
	return len(words) > 0
}

// maxUnit is the length of a word that is too long for a unit.
const maxUnit = 7

// continues reports whether a line continues the one before it, which had no room for its first word. Headings of other
// columns than the last one do not: other cells follow them in the line before.
func continues(line, before string) bool {
	words := strings.TrimLeft(line, " ")
	indent, above := len(line)-len(words), []rune(before)
	word, rest, _ := strings.Cut(words, " ")
	unit, _, _ := strings.Cut(rest, " ")
	if number := strings.TrimLeft(word, "(+-"); number != "" && unicode.IsDigit(rune(number[0])) &&
		len(unit) < maxUnit {
		word += " " + unit // lines are not broken between a number and its unit
	}
	if indent == 0 || len(above)+1+utf8.RuneCountInString(word) <= plain.MaxLineWidth {
		return false
	}
	return indent < len(above) && !strings.Contains(string(above[indent:]), "  ")
}
