package plain

import (
	"fmt"
	"strings"
	"text/tabwriter"
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
func (l *Lines) Table(rows [][]string) {
	t := tabwriter.NewWriter(&l.b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = Line(cell)
		}
		_, _ = fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	_ = t.Flush() // writing to a builder cannot fail
}
