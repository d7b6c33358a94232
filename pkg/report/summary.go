package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// maxSummaryLines is the largest number of lines in a summary.
const maxSummaryLines = 12

// WriteSummary writes the most important results of a run in at most 12 lines, without those on which a long
// description goes on: what was measured, the highest throughput of each API in each direction with the ratio to the
// layer below in the same cases, cautions, why the run is not complete, and the text next, which says what the user can
// do next.
func WriteSummary(w io.Writer, r *figures.Run, next string) error {
	frozen := *r
	frozen.Freeze()
	r = &frozen
	var b, end bytes.Buffer
	line := func(b *bytes.Buffer, head, text string) {
		head = plain.VisibleLine(head)
		b.WriteString(head + lastWords(plain.VisibleLine(text), plain.MaxLineWidth-utf8.RuneCountInString(head)) + "\n")
	}
	peaks := r.Peaks()
	points := make([]figures.Point, len(peaks))
	for i, p := range peaks {
		points[i] = p.Point
	}
	line(&b, "Summary of run "+r.RunID+": ", r.TargetText())
	essence := slices.Concat(r.KeyConditions(points), commonToPeaks(r, peaks))
	b.WriteString(plain.Wrap(describeRun(r, strings.Join(essence, ", "))) + "\n")
	writePeaks(&b, r, peaks)
	for _, p := range r.Points() {
		if p.Missing != "" {
			points = append(points, p)
		}
	}
	if text := r.CautionLine(r.Cautions(points), plain.MaxLineWidth); text != "" {
		line(&end, "", text)
	}
	if what, cause := r.IncompleteReason(); what != "" {
		if causes := r.CountedCauses(); causes != "" {
			count, _, _ := strings.Cut(what, ", ") // without the first case
			what = count + " by " + causes
		}
		line(&end, what+": ", cause)
	}
	end.WriteString("Next: " + plain.VisibleLine(next) + "\n") // never shortened, so that it can be copied
	room := maxSummaryLines - bytes.Count(b.Bytes(), []byte("\n")) - bytes.Count(end.Bytes(), []byte("\n"))
	for i, c := range r.HDF5ExtraTimes() {
		// not of --sweep: a line has no room for the values
		if text := c.ShortText(); len(r.Swept) == 0 && i < room && utf8.RuneCountInString(text) <= plain.MaxLineWidth {
			line(&b, "", text)
		}
	}
	b.Write(end.Bytes())
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	return nil
}

// commonToPeaks says what the highest throughputs have in common, so that the table needs no columns for it: how many
// cases each is the best of and, unless they differ, the processes.
func commonToPeaks(r *figures.Run, peaks []figures.Peak) (words []string) {
	if len(peaks) == 0 {
		return nil
	}
	if r.IsParallel() && !differInProcesses(peaks) {
		words = append(words, units.Count(peaks[0].Case.Processes, "process", "processes"))
	}
	byCases := func(a, b figures.Peak) int { return a.NumPoints - b.NumPoints }
	least, most := slices.MinFunc(peaks, byCases).NumPoints, slices.MaxFunc(peaks, byCases).NumPoints
	switch {
	case least < most:
		words = append(words, fmt.Sprintf("best of %d to %d cases", least, most))
	case most > 1:
		words = append(words, fmt.Sprintf("best of %d cases", most))
	}
	return words
}

// differInProcesses reports whether the highest throughputs are those of different numbers of processes.
func differInProcesses(peaks []figures.Peak) bool {
	return slices.ContainsFunc(peaks, func(p figures.Peak) bool { return p.Case.Processes != peaks[0].Case.Processes })
}

// settingsInEssence lists the settings that the essence of a run tells in words.
var settingsInEssence = []string{"sync", "cold", "read-only"}

// describeRun returns what was measured, in one line if the variant of h5perf vary or tune and the workload are short:
// these, if there are any, the settings that do not have their default, the names of --sweep, and the essence of the
// run. It includes all sizes and choices of the workload if they fit into the line. If not even the settings fit, it
// says how many it leaves out.
func describeRun(r *figures.Run, essence string) string {
	settings := slices.DeleteFunc(figures.VariantSettings(r.Document), func(s figures.Setting) bool {
		return slices.Contains(settingsInEssence, s.Name) || r.Pair != nil && s.String() == r.Pair.Variant
	})
	var head []string
	if r.Pair != nil && r.Pair.Variant != "" {
		head = []string{string(r.Pair.Arm) + ": " + r.Pair.Variant}
	}
	if w := r.Parameters.Workload; w != nil && len(r.Swept) > 0 {
		head = append(head, "workload "+w.Name) // its sizes and its layout are those of one part
	} else if w != nil {
		options := slices.DeleteFunc(slices.Clone(settings), func(s figures.Setting) bool {
			return slices.Contains(w.Requested, result.KeyValue{Key: s.Name, Value: s.Value})
		})
		if whole := joinDescription(append(head, figures.WorkloadText(*w)), options, essence); fitsLine(whole) {
			return whole
		}
		head = append(head, w.Title())
	}
	whole := joinDescription(head, settings, essence)
	if len(r.Swept) > 0 { // columns of the table have the names, too
		var names []string
		for _, kv := range r.Swept[0].Values {
			names = append(names, kv.Key)
		}
		longer := joinDescription(head, settings, "different "+strings.Join(names, ", "), essence)
		if fitsLine(longer) {
			return longer
		}
	}
	for n := len(settings) - 1; n >= 0 && !fitsLine(whole); n-- {
		more := units.Count(len(settings)-n, "more setting", "more settings")
		whole = joinDescription(head, settings[:n], more, essence)
	}
	return whole
}

func fitsLine(text string) bool { return utf8.RuneCountInString(text) <= plain.MaxLineWidth }

// joinDescription joins the parts of the description of a run with commas.
func joinDescription(head []string, settings []figures.Setting, end ...string) string {
	words := slices.Clone(head)
	for _, s := range settings {
		words = append(words, s.String())
	}
	return strings.Join(append(words, end...), ", ")
}

// lastWords shortens a text to its last words. most is the maximum length in characters. The end of an error message is
// the most important part: the message of the operating system. A word that is too long is cut.
func lastWords(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	const ellipsis = "… "
	end := string(runes[len(runes)-max(0, most-len([]rune(ellipsis))):])
	if cut := runes[len(runes)-len([]rune(end))-1]; cut != ' ' {
		if _, words, found := strings.Cut(end, " "); found {
			end = words
		}
	}
	return ellipsis + end
}

// showsLayerRatio reports whether the ratio to the layer below is shown next to the highest throughput of a layer. It
// returns false for a workload, where other lines show the extra time of HDF5.
func showsLayerRatio(p figures.Peak) bool { return p.LowerLayerRatio != nil && p.Run.HasTransferSize() }

// hasPairedRatio reports whether the ratio to the layer below is shown, and is one of pairs of samples.
func hasPairedRatio(p figures.Peak) bool { return showsLayerRatio(p) && p.LowerLayerRatio.Paired }

// writePeaks writes the table of the highest throughputs. Empty columns are left out.
func writePeaks(b *bytes.Buffer, r *figures.Run, peaks []figures.Peak) {
	if len(peaks) == 0 {
		return
	}
	rates, costs := make([]figures.MedianEstimate, len(peaks)), []figures.MedianEstimate{}
	for i, p := range peaks {
		rates[i] = p.Rate
		if showsLayerRatio(p) {
			costs = append(costs, p.LowerLayerRatio.Value)
		}
	}
	spans, intervals := figures.RangeTexts(rates, peaks[0].Unit.Format)
	rows := [][]string{{"highest", "throughput", rangeHeading(intervals)}}
	for i, p := range peaks {
		name := figures.APILabel(p.Case.API) + " " + string(p.Operation)
		rows = append(rows, []string{name, p.Unit.Format(p.Rate.Median), spans[i]})
	}
	add := func(heading string, cell func(i int) string) {
		rows[0] = append(rows[0], heading)
		for i := range peaks {
			rows[i+1] = append(rows[i+1], cell(i))
		}
	}
	if r.IsParallel() && differInProcesses(peaks) {
		add("processes", func(i int) string { return fmt.Sprint(peaks[i].Case.Processes) })
	}
	if len(r.Swept) > 0 {
		for n, kv := range r.Swept[0].Values {
			value := r.SweptValue(n)
			add(kv.Key, func(i int) string { return value(peaks[i].Point) })
		}
	}
	if r.HasTransferSize() {
		add("transfer", func(i int) string { return peaks[i].TransferText() })
	} else {
		add("transfer rate", func(i int) string { return peaks[i].StatisticText("transfer_throughput") })
		if slices.ContainsFunc(peaks, func(p figures.Peak) bool { _, is := p.ReadBackRate(); return is }) {
			add("read back rate", func(i int) string { return peaks[i].StatisticText("read_back_throughput") })
		}
		add("metadata", func(i int) string { return peaks[i].StatisticText("metadata") })
	}
	if len(costs) > 0 {
		spans, intervals := figures.RangeTexts(costs, figures.FormatRatio)
		heading := "in same cases"
		if slices.ContainsFunc(peaks, hasPairedRatio) {
			heading = "in same pairs"
		}
		add(heading, func(i int) string { return layerRatioCell(peaks[i].LowerLayerRatio) })
		add(rangeHeading(intervals), func(i int) (span string) {
			if peaks[i].LowerLayerRatio != nil {
				span, spans = spans[0], spans[1:]
			}
			return span
		})
	}
	b.WriteString(plain.Table(rows, 1))
}

// rangeHeading returns the heading of a column: "range", or the name of the interval if the column shows confidence
// intervals.
func rangeHeading(intervals bool) string {
	if intervals {
		return stats.Interval
	}
	return "range"
}

// layerRatioCell formats the throughput of a layer divided by the throughput of the layer below, such as "0.95 of
// POSIX".
func layerRatioCell(ratio *figures.Ratio) string {
	if ratio == nil {
		return ""
	}
	return figures.FormatRatio(ratio.Value.Median) + " of " + figures.APILabel(ratio.Lower.Case.API)
}
