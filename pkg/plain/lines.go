package plain

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Width is the number of characters that a line has at most. Only a word for which there is no room makes it longer.
const Width = 120

// gap is the number of blanks between columns.
const gap = 2

// Lines is a text that is made line by line.
type Lines struct {
	b strings.Builder
}

// String returns the text.
func (l *Lines) String() string { return l.b.String() }

// Add adds a line. Line breaks in what it is made of do not end it. A long one is wrapped (Wrap).
func (l *Lines) Add(format string, args ...any) {
	l.b.WriteString(Wrap(fmt.Sprintf(format, args...)) + "\n")
}

// Table adds a table.
func (l *Lines) Table(rows [][]string, labels int) { l.b.WriteString(Table(rows, labels)) }

// Wrap returns a text as Line does, but breaks it at blanks into lines of at most Width characters. Lines after the
// first begin with two blanks more than that.
func Wrap(text string) string {
	text = Line(text)
	indent := len(text) - len(strings.TrimLeft(text, " ")) + gap
	return strings.Join(breakLines(text, Width, indent), "\n")
}

// breakLines breaks a text at blanks into lines of at most width characters. Lines after the first begin with indent
// blanks.
func breakLines(text string, width, indent int) (lines []string) {
	if utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	line := text[:len(text)-len(strings.TrimLeft(text, " "))]
	empty := true
	for word := range splitWords(text) {
		switch {
		case empty:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), strings.Repeat(" ", indent)+word
		}
		empty = false
	}
	return append(lines, line)
}

// amount and unit match words that stay together in a line, if one follows the other.
var (
	amount = regexp.MustCompile(`^[(]?[-+]?[0-9][0-9.,]*$`)
	unit   = regexp.MustCompile(`^(%|([KMGTPE]i)?B(/s)?|[mnµ]?s)[,.;:)]*$`)
)

// splitWords returns the words of a text. A number and the unit after it are one.
func splitWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		all := strings.Fields(text)
		for i := 0; i < len(all); i++ {
			word := all[i]
			if i+1 < len(all) && amount.MatchString(word) && unit.MatchString(all[i+1]) {
				i++
				word += " " + all[i]
			}
			if !yield(word) {
				return
			}
		}
	}
}

// Table returns rows as lines with aligned cells. The first row has the headings, and the first columns the labels of a
// row. If a line has no room for all columns, they are in blocks below one another, each with the labels. A row may
// have fewer cells than others: its last one may be longer than its column.
func Table(rows [][]string, labels int) string {
	widths := columnWidths(rows, labels)
	starts := blockStarts(widths, labels, Width)
	for width := Width - 1; width > 0; width-- { // blocks of about the same width
		if narrower := blockStarts(widths, labels, width); len(narrower) == len(starts) {
			starts = narrower
		}
	}
	var b strings.Builder
	for i, from := range starts {
		to := len(widths)
		if i < len(starts)-1 {
			to = starts[i+1]
		}
		if i > 0 {
			b.WriteString("\n")
		}
		for _, row := range rows {
			if n := len(row); i == 0 || n > from {
				b.WriteString(Row(slices.Concat(row[:min(labels, n)], row[min(from, n):min(to, n)]),
					slices.Concat(widths[:labels], widths[from:to])))
			}
		}
	}
	return b.String()
}

// blockStarts returns the first columns of the blocks of a table, whose lines have at most width characters, and at
// least one column besides the labels.
func blockStarts(widths []int, labels, width int) []int {
	starts, used := []int{labels}, totalWidth(widths[:labels])
	for i := labels; i < len(widths); i++ {
		if i > starts[len(starts)-1] && used+columnRoom(widths, i) > width {
			starts, used = append(starts, i), totalWidth(widths[:labels])
		}
		used += widths[i] + gap
	}
	return starts
}

// columnWidths returns the widths of columns. If the table is too wide, headings are broken at blanks, and labels have
// two thirds of a line at most.
func columnWidths(rows [][]string, labels int) []int {
	widths := make([]int, len(slices.MaxFunc(rows, func(a, b []string) int { return len(a) - len(b) })))
	widen := func(rows [][]string, width func(cell string) int) {
		for _, row := range rows {
			for i, cell := range row {
				if i < len(row)-1 || len(row) == len(widths) {
					widths[i] = max(widths[i], width(Line(cell)))
				}
			}
		}
	}
	if widen(rows, utf8.RuneCountInString); totalWidth(widths) <= Width+gap {
		return widths
	}
	clear(widths)
	widen(rows[:1], maxWordWidth)
	widen(rows[1:], utf8.RuneCountInString)
	if over := totalWidth(widths[:labels]) - 2*Width/3; over > 0 {
		i := slices.Index(widths[:labels], slices.Max(widths[:labels]))
		widths[i] = max(widths[i]-over, Width/6)
	}
	return widths
}

// maxWordWidth returns the length of the longest of the words of a text.
func maxWordWidth(text string) (most int) {
	for word := range splitWords(text) {
		most = max(most, utf8.RuneCountInString(word))
	}
	return most
}

// totalWidth returns the width of columns together, with the gap after each.
func totalWidth(widths []int) (all int) {
	for _, w := range widths {
		all += w + gap
	}
	return all
}

// columnRoom returns the room that a column needs. The last one may be wrapped.
func columnRoom(widths []int, column int) int {
	if column == len(widths)-1 {
		return min(widths[column], Width/4)
	}
	return widths[column]
}

// Row returns cells as a line, in columns of these widths. A cell that is longer than its column is continued below
// it. The last cell has the rest of the line; where that is too short for one of its words, it stands in lines of its
// own.
func Row(cells []string, widths []int) string {
	var lines []string
	start := 0 // of the column
	for i, cell := range cells {
		cell = Line(cell)
		width, first := Width-start, 0
		if i < len(cells)-1 {
			width = widths[i]
		} else if width < maxWordWidth(cell) {
			start, first = 2*gap, len(lines)
			width = Width - start
		}
		for k, part := range breakLines(cell, width, 0) {
			if first+k == len(lines) {
				lines = append(lines, "")
			}
			line := &lines[first+k]
			blanks := start - utf8.RuneCountInString(*line)
			if *line != "" {
				blanks = max(blanks, gap)
			}
			*line += strings.Repeat(" ", blanks) + part
		}
		start += width + gap
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
