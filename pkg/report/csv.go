package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// csvRow holds the data for a row of the CSV file. There is a row for each sample, and one row with a nil sample for
// each case without results.
type csvRow struct {
	run    *figures.Run
	ofCase result.Case
	sample *result.Sample

	cautions string // keywords of the cautions of the run
	variant  string // see figures.Run.VariantText
}

// runColumn returns a column with a property of a run or a case. The heading includes the unit.
func runColumn(heading string, cell func(*figures.Run, result.Case) string) column[csvRow] {
	return column[csvRow]{heading, func(r csvRow) string { return cell(r.run, r.ofCase) }}
}

// sampleColumn returns a column with a property of a sample. Its cell is empty if there is no sample.
func sampleColumn(heading string, cell func(result.Sample) string) column[csvRow] {
	return caseColumn(heading, func(_ result.Case, s result.Sample) string { return cell(s) })
}

// caseColumn is like sampleColumn, for a property that also needs the case.
func caseColumn(heading string, cell func(result.Case, result.Sample) string) column[csvRow] {
	return column[csvRow]{heading, func(r csvRow) string {
		if r.sample == nil {
			return ""
		}
		return cell(r.ofCase, *r.sample)
	}}
}

// csvColumns holds the first columns of the CSV. Later columns are added at the end, so that programs can address
// columns by position.
var csvColumns = []column[csvRow]{
	runColumn("file", func(r *figures.Run, _ result.Case) string { return r.Name }),
	runColumn("run_id", func(r *figures.Run, _ result.Case) string { return r.RunID }),
	runColumn("run_started", func(r *figures.Run, _ result.Case) string { return formatTime(r.Started) }),
	runColumn("run_state", func(r *figures.Run, _ result.Case) string { return string(r.State) }),
	runColumn("cluster", func(r *figures.Run, _ result.Case) string { return r.Identity.Cluster }),
	runColumn("filesystem", func(r *figures.Run, _ result.Case) string { return r.Identity.Filesystem }),
	runColumn("label", func(r *figures.Run, _ result.Case) string { return r.Identity.Label }),
	runColumn("host", func(r *figures.Run, _ result.Case) string { return r.Machine.Host }),
	runColumn("kind", func(r *figures.Run, _ result.Case) string { return string(r.Kind) }),
	runColumn("pattern", func(r *figures.Run, _ result.Case) string { return string(r.Parameters.Pattern) }),
	runColumn("mode", func(r *figures.Run, _ result.Case) string { return string(r.Parameters.Mode) }),
	runColumn("layout", func(r *figures.Run, _ result.Case) string { return r.LayoutLabel() }),
	runColumn("sync", func(r *figures.Run, _ result.Case) string { return r.SyncLabel() }),
	runColumn("direct", func(r *figures.Run, _ result.Case) string {
		return strconv.FormatBool(r.Parameters.Conditions.Direct)
	}),
	runColumn("cold",
		func(r *figures.Run, _ result.Case) string { return strconv.FormatBool(r.Parameters.Conditions.Cold) }),
	runColumn("processes", func(_ *figures.Run, c result.Case) string { return strconv.Itoa(c.Processes) }),
	runColumn("nodes", func(_ *figures.Run, c result.Case) string { return strconv.Itoa(c.Nodes) }),
	runColumn("transfer_bytes", func(r *figures.Run, c result.Case) string {
		if !r.HasTransferSize() {
			return ""
		}
		return strconv.FormatUint(figures.TransferBytes(c), 10)
	}),
	runColumn("api", func(_ *figures.Run, c result.Case) string { return c.API }),
	runColumn("case_state", func(_ *figures.Run, c result.Case) string { return string(c.State) }),
	runColumn("case_reason", func(_ *figures.Run, c result.Case) string { return figures.CaseReason(c) }),
	sampleColumn("operation", func(s result.Sample) string { return string(s.Operation) }),
	sampleColumn("iteration", func(s result.Sample) string { return strconv.Itoa(s.Iteration) }),
	sampleColumn("sample_started", func(s result.Sample) string { return formatTime(s.Started) }),
	sampleColumn("bytes", func(s result.Sample) string { return strconv.FormatUint(s.Bytes, 10) }),
	sampleColumn("access_seconds", func(s result.Sample) string { return formatNumber(s.Access.Seconds()) }),
	sampleColumn("access_and_sync_seconds", func(s result.Sample) string { return formatInterval(s.AccessAndSync) }),
	sampleColumn("open_close_seconds", func(s result.Sample) string { return formatNumber(s.OpenClose.Seconds()) }),
	sampleColumn("slowest_rank", func(s result.Sample) string { return strconv.Itoa(s.ThroughputInterval().MaxRank) }),
	sampleColumn("max_resident_ratio", func(s result.Sample) string {
		if ratio, known := s.ResidentRatio(); known {
			return formatNumber(ratio)
		}
		return ""
	}),
	sampleColumn("marks", func(s result.Sample) string {
		words := make([]string, len(s.Marks))
		for i, m := range s.Marks {
			words[i] = string(m)
		}
		return strings.Join(words, " ")
	}),
	sampleColumn("bytes_at_limit", func(s result.Sample) string {
		if s.Limit == nil {
			return ""
		}
		return strconv.FormatUint(s.Limit.LimitBytes, 10)
	}),
	sampleColumn("transfer_at_limit_seconds", func(s result.Sample) string {
		if s.Limit == nil {
			return ""
		}
		return formatNumber(s.Limit.AtLimit.Seconds())
	}),
	sampleColumn("slowest_seconds", func(s result.Sample) string { return formatNumber(s.ThroughputInterval().Max) }),
	sampleColumn("mean_seconds", func(s result.Sample) string { return formatNumber(s.ThroughputInterval().Mean) }),
	caseColumn("barrier_skew_seconds", func(c result.Case, _ result.Sample) string {
		if c.BarrierSkew == 0 { // not measured
			return ""
		}
		return formatNumber(c.BarrierSkew)
	}),
	sampleColumn("max_resident_ratio_uncertainty", func(s result.Sample) string {
		if _, known := s.ResidentRatio(); !known {
			return ""
		}
		return formatNumber(s.Cache.Uncertainty)
	}),
	caseColumn("complete_iterations", func(c result.Case, of result.Sample) string {
		n := 0
		for _, s := range c.Samples {
			if s.Operation == of.Operation {
				n++
			}
		}
		return strconv.Itoa(n)
	}),
	runColumn("planned_iterations", func(r *figures.Run, _ result.Case) string {
		return strconv.Itoa(r.Parameters.Iterations)
	}),
	runColumn("workload", func(r *figures.Run, _ result.Case) string {
		name, _ := r.Workload()
		return name
	}),
	runColumn("workload_sha256", func(r *figures.Run, _ result.Case) string {
		_, hash := r.Workload()
		return hash
	}),
	{"variant", func(r csvRow) string { return r.variant }},
	caseColumn("file_bytes", func(c result.Case, s result.Sample) string {
		bytes, known := figures.WrittenFileBytes(c, s.Operation)
		if !known {
			return ""
		}
		return strconv.FormatUint(bytes, 10)
	}),
	{"cautions", func(r csvRow) string { return r.cautions }},
	caseColumn("transfers", func(c result.Case, s result.Sample) string {
		return figures.Point{Case: c, Operation: s.Operation}.TransfersText()
	}),
}

// allColumns holds csvColumns, followed by one column for each of figures.Rows.
var allColumns = func() []column[csvRow] {
	all := slices.Clone(csvColumns)
	for _, r := range figures.Rows {
		all = append(all, caseColumn(r.ExportName(), func(c result.Case, s result.Sample) string {
			x, ok := r.SampleValue(c, s)
			if !ok {
				return ""
			}
			return formatNumber(x)
		}))
	}
	return all
}()

// WriteCSV writes a heading row, then one row for each sample of the cases that are complete or partial, and one row
// without results for each other case. The format is that of RFC 4180. A spreadsheet does not take any cell for a
// formula. Times are windows, from the first start to the last end on any process; where there is no window, they are
// the time of the slowest process. The interval that determines throughput has four more columns: visible_seconds,
// slowest_seconds, slowest_rank, and mean_seconds (mean over all processes).
func WriteCSV(w io.Writer, runs []figures.Run) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write(headingCells(allColumns)); err != nil {
		return fmt.Errorf("CSV: %w", err)
	}
	for _, r := range runs {
		r.Freeze()
		cautions, variant := strings.Join(r.CautionKeywords(), ", "), r.VariantText()
		for _, c := range r.Cases {
			for _, s := range samplesForRows(c) {
				row := rowCells(allColumns, csvRow{&r, c, s, cautions, variant})
				for k := range row {
					row[k] = plain.CSVCell(row[k])
				}
				if err := out.Write(row); err != nil {
					return fmt.Errorf("CSV: %w", err)
				}
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("CSV: %w", err)
	}
	return nil
}

// samplesForRows returns the samples for the rows of a case: all of them if the case is complete or partial, otherwise
// a single nil.
func samplesForRows(c result.Case) []*result.Sample {
	if c.State != result.Complete && !c.IsPartial() {
		return []*result.Sample{nil}
	}
	samples := make([]*result.Sample, len(c.Samples))
	for i := range c.Samples {
		samples[i] = &c.Samples[i]
	}
	return samples
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// formatNumber formats a number with as many digits as are necessary to read the same number back.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// formatInterval formats the time of an interval in seconds. It returns "" for nil.
func formatInterval(i *result.Interval) string {
	if i == nil {
		return ""
	}
	return formatNumber(i.Seconds())
}
