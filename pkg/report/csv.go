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

// record is what a row of the CSV is made from: a sample. A case without figures has one row, with a nil sample.
type record struct {
	run    *figures.Run
	of     result.Case
	sample *result.Sample
}

// of makes a column of a property of a run or a case. The heading includes the unit.
func of(heading string, cell func(*figures.Run, result.Case) string) column[record] {
	return column[record]{heading, func(r record) string { return cell(r.run, r.of) }}
}

// in makes a column of a property of a sample. Its cell is empty if there is no sample.
func in(heading string, cell func(result.Sample) string) column[record] {
	return column[record]{heading, func(r record) string {
		if r.sample == nil {
			return ""
		}
		return cell(*r.sample)
	}}
}

// csvColumns are the columns of the CSV. New ones are added at the end, so that programs can address columns by
// position.
var csvColumns = []column[record]{
	of("file", func(r *figures.Run, _ result.Case) string { return r.Name }),
	of("run_id", func(r *figures.Run, _ result.Case) string { return r.RunID }),
	of("run_started", func(r *figures.Run, _ result.Case) string { return moment(r.Started) }),
	of("run_state", func(r *figures.Run, _ result.Case) string { return string(r.State) }),
	of("cluster", func(r *figures.Run, _ result.Case) string { return r.Identity.Cluster }),
	of("filesystem", func(r *figures.Run, _ result.Case) string { return r.Identity.Filesystem }),
	of("label", func(r *figures.Run, _ result.Case) string { return r.Identity.Label }),
	of("host", func(r *figures.Run, _ result.Case) string { return r.Machine.Host }),
	of("kind", func(r *figures.Run, _ result.Case) string { return string(r.Kind) }),
	of("pattern", func(r *figures.Run, _ result.Case) string { return string(r.Parameters.Pattern) }),
	of("mode", func(r *figures.Run, _ result.Case) string { return string(r.Parameters.Mode) }),
	of("layout", func(r *figures.Run, _ result.Case) string { return r.LayoutLabel() }),
	of("sync", func(r *figures.Run, _ result.Case) string { return r.SyncLabel() }),
	of("direct", func(r *figures.Run, _ result.Case) string {
		return strconv.FormatBool(r.Parameters.Conditions.Direct)
	}),
	of("cold", func(r *figures.Run, _ result.Case) string { return strconv.FormatBool(r.Parameters.Conditions.Cold) }),
	of("processes", func(_ *figures.Run, c result.Case) string { return strconv.Itoa(c.Processes) }),
	of("nodes", func(_ *figures.Run, c result.Case) string { return strconv.Itoa(c.Nodes) }),
	of("transfer_bytes", func(r *figures.Run, c result.Case) string {
		if !r.Sized() {
			return ""
		}
		return strconv.FormatUint(figures.Size(c), 10)
	}),
	of("api", func(_ *figures.Run, c result.Case) string { return c.API }),
	of("case_state", func(_ *figures.Run, c result.Case) string { return string(c.State) }),
	of("case_reason", func(_ *figures.Run, c result.Case) string { return figures.Reason(c) }),
	in("operation", func(s result.Sample) string { return string(s.Operation) }),
	in("iteration", func(s result.Sample) string { return strconv.Itoa(s.Iteration) }),
	in("sample_started", func(s result.Sample) string { return moment(s.Started) }),
	in("bytes", func(s result.Sample) string { return strconv.FormatUint(s.Bytes, 10) }),
	in("access_seconds", func(s result.Sample) string { return number(s.Access.Seconds()) }),
	in("access_and_sync_seconds", func(s result.Sample) string { return optional(s.Durable) }),
	in("open_close_seconds", func(s result.Sample) string { return number(s.OpenClose.Seconds()) }),
	in("slowest_rank", func(s result.Sample) string { return strconv.Itoa(s.Measured().MaxRank) }),
	in("max_resident_ratio", func(s result.Sample) string {
		if ratio, known := s.Resident(); known {
			return number(ratio)
		}
		return ""
	}),
	in("marks", func(s result.Sample) string {
		words := make([]string, len(s.Marks))
		for i, m := range s.Marks {
			words[i] = string(m)
		}
		return strings.Join(words, " ")
	}),
	in("bytes_at_limit", func(s result.Sample) string {
		if s.Limit == nil {
			return ""
		}
		return strconv.FormatUint(s.Limit.LimitBytes, 10)
	}),
	in("transfer_at_limit_seconds", func(s result.Sample) string {
		if s.Limit == nil {
			return ""
		}
		return number(s.Limit.AtLimit.Seconds())
	}),
	in("slowest_seconds", func(s result.Sample) string { return number(s.Measured().Max) }),
	in("mean_seconds", func(s result.Sample) string { return number(s.Measured().Mean) }),
	{"barrier_skew_seconds", func(r record) string {
		if r.sample == nil || r.of.BarrierSkew == 0 { // which is not known
			return ""
		}
		return number(r.of.BarrierSkew)
	}},
	in("max_resident_ratio_uncertainty", func(s result.Sample) string {
		if _, known := s.Resident(); !known {
			return ""
		}
		return number(s.Cache.Uncertainty)
	}),
	{"complete_iterations", func(r record) string {
		if r.sample == nil {
			return ""
		}
		n := 0
		for _, s := range r.of.Samples {
			if s.Operation == r.sample.Operation {
				n++
			}
		}
		return strconv.Itoa(n)
	}},
	of("planned_iterations", func(r *figures.Run, _ result.Case) string {
		return strconv.Itoa(r.Parameters.Iterations)
	}),
	of("workload", func(r *figures.Run, _ result.Case) string {
		name, _ := r.Workload()
		return name
	}),
	of("workload_sha256", func(r *figures.Run, _ result.Case) string {
		_, hash := r.Workload()
		return hash
	}),
	of("variant", func(r *figures.Run, _ result.Case) string { return r.Variant() }),
}

// allColumns are csvColumns, and one for each row.
var allColumns = func() []column[record] {
	all := slices.Clone(csvColumns)
	for _, r := range figures.Rows {
		all = append(all, column[record]{r.Key(), func(of record) string {
			if of.sample == nil {
				return ""
			}
			x, ok := r.Sample(of.of, *of.sample)
			if !ok {
				return ""
			}
			return number(x)
		}})
	}
	return all
}()

// WriteCSV writes a row with the names of the columns, then one row for each sample of cases that are complete or
// partial, and one row without figures for each other case. The format is that of RFC 4180, and no cell is a formula.
// Times are windows, or those of the slowest process where an interval has no window. Of the interval on which
// throughput rests, visible_seconds, slowest_seconds, slowest_rank and mean_seconds (of all processes) have each for
// itself.
func WriteCSV(w io.Writer, runs []figures.Run) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write(headings(allColumns)); err != nil {
		return fmt.Errorf("CSV: %w", err)
	}
	for i := range runs {
		for _, c := range runs[i].Cases {
			for _, s := range counted(c) {
				row := cells(allColumns, record{&runs[i], c, s})
				for k := range row {
					row[k] = plain.Cell(row[k])
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

// counted returns the samples for the rows of a case: all of them if it is complete or partial, otherwise one nil.
func counted(c result.Case) []*result.Sample {
	if c.State != result.Complete && !c.Partial() {
		return []*result.Sample{nil}
	}
	samples := make([]*result.Sample, len(c.Samples))
	for i := range c.Samples {
		samples[i] = &c.Samples[i]
	}
	return samples
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// number formats a number with all its digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// optional returns the time of an interval, or "" if there is none.
func optional(i *result.Interval) string {
	if i == nil {
		return ""
	}
	return number(i.Seconds())
}
