package report

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// WorkloadReport writes the report about a run of a workload. When a case ends, it writes a line for each API and
// direction. At the end it writes the extra time of HDF5, compared to lower layers. Sizes and rates are in IEC units,
// such as MiB and GiB/s.
type WorkloadReport struct {
	ownReport
	causes figures.ErrorCauses
}

// WriteHeader writes what is measured, and the column headings.
func (t *WorkloadReport) WriteHeader() {
	p := t.run.Parameters
	var labels []string
	for _, api := range p.APIs {
		labels = append(labels, figures.APILabel(api))
	}
	atLeast := strings.TrimSuffix(figures.RequestedIterations(p), fmt.Sprint(p.Iterations))
	iterations := atLeast + units.Count(p.Iterations, "iteration", "iterations")
	t.addLine("h5perf %s: %s on %s, %s with %s", t.run.Subject(), t.processesText(),
		units.Count(t.run.Job.Nodes, "node", "nodes"), iterations, strings.Join(labels, ", "))
	for _, part := range []struct {
		name string
		all  []result.KeyValue
	}{{"Sizes", p.Workload.Sizes}, {"Choices", p.Workload.Chosen}} {
		if len(part.all) > 0 {
			t.addLine("%s: %s", part.name, figures.KeyValuesText(part.all))
		}
	}
	t.addLine("%s", plain.ConditionsLine(t.run.Conditions()))
	t.addLine("The %s. %s", t.run.ThroughputMeaning(), figures.MetadataMeaning)
	t.addLine("")
	t.addRow("API", "operation", "processes", "throughput", stats.Interval, "transfer rate", "metadata",
		figures.SlowestHeading, "marks")
	t.flush()
}

// processesText formats the number of processes, or the smallest and the largest number if cases differ.
func (t *WorkloadReport) processesText() string {
	p := t.run.Parameters
	most := units.Count(p.MaxProcesses, "process", "processes")
	if p.MinProcesses < p.MaxProcesses {
		return fmt.Sprintf("%d to %s", p.MinProcesses, most)
	}
	return most
}

// columnWidths holds the widths of the columns in characters. Cases are written one by one, so the widths cannot depend
// on the cells.
var columnWidths = []int{6, 9, 9, 10, 24, 10, 8, 14}

// addRow adds a line of cells. If all cases have the same number of processes, it leaves out the cell with this number.
func (t *WorkloadReport) addRow(cells ...string) {
	widths := columnWidths
	if p := t.run.Parameters; p.MinProcesses == p.MaxProcesses {
		cells, widths = slices.Delete(cells, 2, 3), slices.Concat(widths[:2], widths[3:])
	}
	t.buffer.WriteString(plain.TableRow(cells, widths))
}

// EndCase writes a line for each direction of a case, or its error if it has no results. Results of fewer iterations
// than requested are marked as partial, and the error follows.
func (t *WorkloadReport) EndCase(c result.Case) {
	t.run.Cases = append(t.run.Cases, c)
	one := t.run
	one.Cases = []result.Case{c}
	head := func(operation result.Operation) []string {
		return []string{figures.APILabel(c.API), string(operation), fmt.Sprint(c.Processes)}
	}
	for _, p := range one.Points() {
		if p.Missing == "" {
			t.addRow(append(head(p.Operation), p.Unit.Format(p.Rate.Median), p.Rate.RangeText(p.Unit.Format),
				p.StatisticText("transfer_throughput"), p.StatisticText("metadata"), p.SlowestRankText(),
				p.AllMarks())...)
		} else if len(p.Samples) > 0 || c.State == result.Complete {
			t.addRow(append(head(p.Operation), p.Missing)...)
		}
	}
	if c.State != result.Complete {
		t.addRow(append(head(""), reasonOnce(&t.run, c, &t.causes))...)
	}
	t.flush()
}

// readBackRates returns the rate of the reads in the writes of each case that has such reads, for people.
func (t *WorkloadReport) readBackRates() (all []string) {
	for _, p := range t.run.Points() {
		if rate, is := p.ReadBackRate(); is {
			text := figures.APILabel(p.Case.API) + " " + p.Unit.Format(rate.Median)
			if q := t.run.Parameters; q.MinProcesses < q.MaxProcesses {
				text += fmt.Sprintf(" (%s)", units.Count(p.Case.Processes, "process", "processes"))
			}
			all = append(all, text)
		}
	}
	return all
}

// Close writes the calls if they were counted, the extra time of HDF5, how it executed collective transfers, how long
// processes computed, and cautions about the results.
func (t *WorkloadReport) Close() {
	t.run.Freeze()
	writeCalls(&t.buffer, &t.run)
	t.addLines("What HDF5 costs: structure is files, objects, attributes, syncing and waiting.",
		t.run.ExtraTimeSentences())
	t.addLines(figures.StatementsMeaning+".", t.run.StatementSentences())
	t.addLines(figures.ObjectsTitle+".", t.run.ObjectSentences())
	var notes []string
	planned, done := 0.0, 0.0
	var compared uint64
	for _, p := range t.run.Points() {
		if len(p.Samples) > 0 {
			plan, computed := p.ComputeTimes()
			planned, done = max(planned, plan), max(done, computed)
		}
	}
	for _, c := range t.run.Cases {
		if c.Verified {
			compared += figures.ComparedBytes(c.Samples) + figures.ComparedBytes(c.Warmup)
		}
	}
	if planned > 0 {
		var words []string
		for _, p := range t.run.Points() {
			if len(p.Samples) > 0 && p.Operation == result.OperationRead {
				words = append(words,
					fmt.Sprintf("%s %s", figures.APILabel(p.Case.API), p.StatisticText("utilisation")))
			}
		}
		if words != nil {
			notes = append(notes, "Accelerator utilisation, which is computing / (computing + visible time), of "+
				"reads: "+strings.Join(words, ", ")+".")
		}
		notes = append(notes, fmt.Sprintf("Each process was to compute %s in a direction, and computed up to %s.",
			units.FormatSeconds(planned), units.FormatSeconds(done)))
	}
	if rates := t.readBackRates(); rates != nil {
		notes = append(notes, "Data read back in writes: "+strings.Join(rates, ", ")+", the bytes divided by the time "+
			"of these reads of the slowest process.")
	}
	notes = append(notes, t.run.TransfersSentences()...)
	notes = append(notes, t.run.UnitRateSentences()...)
	for _, c := range t.run.Cases {
		if text := figures.FilterText(c); text != "" && c.State == result.Complete {
			notes = append(notes, text)
		}
		notes = append(notes, figures.FilterTimeTexts(c)...)
	}
	if text := t.run.DumpSlowdown(); text != "" {
		notes = append(notes, "The last dumps are slower than the first ones: "+text+".")
	}
	if compared > 0 {
		notes = append(notes, comparedText(compared))
	}
	text := t.run.CautionLine(t.run.Cautions(t.run.Points()), plain.MaxLineWidth)
	if len(notes) > 0 || text != "" {
		t.addLine("")
	}
	for _, note := range notes {
		t.addLine("%s", plain.NoteLine("", note))
	}
	if text != "" {
		t.addLine("%s", text)
	}
	t.run = figures.Run{}
	t.flush()
}
