package plain

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Lines is a text that is made line by line.
type Lines struct {
	b strings.Builder
}

// String returns the text.
func (l *Lines) String() string { return l.b.String() }

// Add adds a line. Line breaks in what it is made of do not end it.
func (l *Lines) Add(format string, args ...any) {
	l.b.WriteString(Line(fmt.Sprintf(format, args...)) + "\n")
}

// Table adds rows with aligned columns.
func (l *Lines) Table(rows [][]string) { l.b.WriteString(Table(rows)) }

// Table returns rows as lines with aligned cells. The last cell of a row may be longer than its column. Characters that
// cannot be seen are shown (Line).
func Table(rows [][]string) string {
	var b strings.Builder
	var widths []int
	for _, row := range rows {
		for i, cell := range row[:max(0, len(row)-1)] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(Line(cell)))
		}
	}
	for _, row := range rows {
		b.WriteString(Row(row, widths))
	}
	return b.String()
}

// Row returns cells as a line, in columns of these widths. The last cell, and one that is longer than its column, may
// have any width.
func Row(cells []string, widths []int) string {
	var line strings.Builder
	for i, cell := range cells {
		cell = Line(cell)
		line.WriteString(cell)
		if i < len(cells)-1 {
			line.WriteString(strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell))+2))
		}
	}
	return strings.TrimRight(line.String(), " ") + "\n"
}
