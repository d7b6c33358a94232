package plain

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxLineWidth is the largest number of characters in a line. A line is longer only if a single word does not fit.
const MaxLineWidth = 100

// columnGap is the number of blanks between columns.
const columnGap = 2

// LineBuilder builds a text line by line.
type LineBuilder struct {
	b strings.Builder
}

// String returns the text so far.
func (l *LineBuilder) String() string { return l.b.String() }

// Add formats a line and adds it. It replaces line breaks within the line, and wraps a long line (see Wrap).
func (l *LineBuilder) Add(format string, args ...any) {
	l.b.WriteString(Wrap(fmt.Sprintf(format, args...)) + "\n")
}

// Table formats rows with the function Table and adds them.
func (l *LineBuilder) Table(rows [][]string, labels int) { l.b.WriteString(Table(rows, labels)) }

// Wrap makes a text visible like VisibleLine, and breaks it at blanks into lines of at most MaxLineWidth characters.
// Lines after the first are indented by two blanks more than the first line.
func Wrap(text string) string {
	text = VisibleLine(text)
	indent := len(text) - len(strings.TrimLeft(text, " ")) + columnGap
	return strings.Join(breakLines(text, MaxLineWidth, indent), "\n")
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

// numberPattern and unitPattern match a number and its unit, between which splitWords does not break a line.
var (
	numberPattern = regexp.MustCompile(`^[(]?[-+]?[0-9][0-9.,]*$`)
	unitPattern   = regexp.MustCompile(`^(%|([KMGTPE]i)?B(/s)?|[mnµ]?s)[,.;:)]*$`)
)

// splitWords returns the words of a text. A number and the unit after it form one word.
func splitWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		all := strings.Fields(text)
		for i := 0; i < len(all); i++ {
			word := all[i]
			if i+1 < len(all) && numberPattern.MatchString(word) && unitPattern.MatchString(all[i+1]) {
				i++
				word += " " + all[i]
			}
			if !yield(word) {
				return
			}
		}
	}
}

// Table formats rows as lines with aligned cells. The first row holds the headings. labels is the number of columns at
// the beginning that identify a row. If the table is too wide for a line, its columns are divided into blocks, one
// below the other, and each block repeats the label columns. If a row has fewer cells than others, its last cell may be
// longer than its column.
func Table(rows [][]string, labels int) string {
	widths := columnWidths(rows, labels)
	starts := blockStarts(widths, labels, MaxLineWidth)
	for width := MaxLineWidth - 1; width > 0; width-- { // blocks of about the same width
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
				b.WriteString(TableRow(slices.Concat(row[:min(labels, n)], row[min(from, n):min(to, n)]),
					slices.Concat(widths[:labels], widths[from:to])))
			}
		}
	}
	return b.String()
}

// blockStarts divides a wide table into blocks of columns, and returns the index of the first column of each block. The
// lines of a block have at most width characters, unless a single column besides the labels is already too wide.
func blockStarts(widths []int, labels, width int) []int {
	starts, used := []int{labels}, totalWidth(widths[:labels])
	for i := labels; i < len(widths); i++ {
		if i > starts[len(starts)-1] && used+minColumnWidth(widths, i) > width {
			starts, used = append(starts, i), totalWidth(widths[:labels])
		}
		used += widths[i] + columnGap
	}
	return starts
}

// columnWidths returns the width of each column. If the table is too wide, it allows line breaks in headings, and
// limits the total width of the label columns to half a line.
func columnWidths(rows [][]string, labels int) []int {
	widths := make([]int, len(slices.MaxFunc(rows, func(a, b []string) int { return len(a) - len(b) })))
	widen := func(rows [][]string, width func(cell string) int) {
		for _, row := range rows {
			for i, cell := range row {
				if i < len(row)-1 || len(row) == len(widths) {
					widths[i] = max(widths[i], width(VisibleLine(cell)))
				}
			}
		}
	}
	if widen(rows, utf8.RuneCountInString); totalWidth(widths) <= MaxLineWidth+columnGap {
		return widths
	}
	clear(widths)
	widen(rows[:1], maxWordWidth)
	widen(rows[1:], utf8.RuneCountInString)
	if over := totalWidth(widths[:labels]) - MaxLineWidth/2; over > 0 {
		i := slices.Index(widths[:labels], slices.Max(widths[:labels]))
		longest := 0
		for _, row := range rows {
			longest = max(longest, maxWordWidth(VisibleLine(row[min(i, len(row)-1)])))
		}
		widths[i] = min(widths[i], max(widths[i]-over, MaxLineWidth/6, longest))
	}
	return widths
}

// maxWordWidth returns the length of the longest word in a text.
func maxWordWidth(text string) (most int) {
	for word := range splitWords(text) {
		most = max(most, utf8.RuneCountInString(word))
	}
	return most
}

// totalWidth returns the total width of columns, with a gap after each.
func totalWidth(widths []int) (all int) {
	for _, w := range widths {
		all += w + columnGap
	}
	return all
}

// minLastWidth is the smallest width of a last column, whose cells may be wrapped.
const minLastWidth = 12

// minColumnWidth returns the smallest width with which a column can be shown. For the last column it may be less than
// its full width, because its cells may be wrapped.
func minColumnWidth(widths []int, column int) int {
	if column == len(widths)-1 {
		return min(widths[column], minLastWidth)
	}
	return widths[column]
}

// TableRow formats cells as a row with the given column widths. A cell that is longer than its column continues on the
// next line. The last cell uses the rest of the line. If the rest of the line is too short for a word of the cell, the
// cell is put on separate lines.
func TableRow(cells []string, widths []int) string {
	var lines []string
	start := 0 // position of the current column
	for i, cell := range cells {
		cell = VisibleLine(cell)
		width, first := MaxLineWidth-start, 0
		if i < len(cells)-1 {
			width = widths[i]
		} else if width < maxWordWidth(cell) {
			start, first = 2*columnGap, len(lines)
			width = MaxLineWidth - start
		}
		for k, part := range breakLines(cell, width, 0) {
			if first+k == len(lines) {
				lines = append(lines, "")
			}
			line := &lines[first+k]
			blanks := start - utf8.RuneCountInString(*line)
			if *line != "" {
				blanks = max(blanks, columnGap)
			}
			*line += strings.Repeat(" ", blanks) + part
		}
		start += width + columnGap
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
