package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/units"
)

// gib is 1 GiB/s in bytes per second.
const gib = 1 << 30

// WriteLines writes a heading line, then one line for each result: API, operation, processes, transfer size or
// workload, median in GiB/s, both ends of its interval, all marks, and the variant of the run. If there are too few
// samples for an interval, the columns for its ends contain "-". Columns are separated by one blank, and no cell
// contains a blank. For a point without a result, the three columns of throughput contain "-", and the column of marks
// contains the state of the case, or no_result if the case is complete. A workload whose writes read data back has a
// line with the rate of these reads, of the operation read_back.
func WriteLines(w io.Writer, runs []figures.Run) error {
	var b bytes.Buffer
	b.WriteString("# api op processes size GiB/s low high marks variant\n")
	for i := range runs {
		r := &runs[i]
		for _, p := range r.Points() {
			numbers, marks := rateCells(p.Rate), p.AllMarks()
			if p.Missing != "" {
				numbers = "- - -"
				marks, _, _ = strings.Cut(p.Missing, ":")
			}
			add := func(operation, numbers string) {
				fmt.Fprintf(&b, "%s %s %d %s %s %s %s\n", cellWithoutBlanks(p.Case.API), cellWithoutBlanks(operation),
					p.Case.Processes, cellWithoutBlanks(sizeText(p)), numbers, cellWithoutBlanks(marks),
					cellWithoutBlanks(r.VariantText()))
			}
			add(string(p.Operation), numbers)
			if rate, is := p.ReadBackRate(); is {
				add("read_back", rateCells(rate))
			}
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("lines: %w", err)
	}
	return nil
}

// rateCells returns the cells of a rate: median and both ends of its interval, in GiB/s.
func rateCells(rate figures.MedianEstimate) string {
	number := func(rate float64) string { return strconv.FormatFloat(rate/gib, 'g', 4, 64) }
	if !rate.Interval {
		return number(rate.Median) + " - -"
	}
	return fmt.Sprint(number(rate.Median), " ", number(rate.Low), " ", number(rate.High))
}

// sizeText returns the transfer size of a point in the format that ParseSize accepts, or the name of its workload.
func sizeText(p figures.Point) string {
	if !p.Run.HasTransferSize() {
		return p.TransferText()
	}
	return units.FormatSize(figures.TransferBytes(p.Case))
}

// cellWithoutBlanks replaces the blanks in a text by another character. For an empty text it returns "-".
func cellWithoutBlanks(text string) string {
	return cmp.Or(strings.ReplaceAll(strings.ReplaceAll(plain.VisibleLine(text), ", ", ","), " ", "_"), "-")
}
