package report

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// recordBuilder builds a record. It does not add tags and fields whose value is "".
type recordBuilder struct {
	exportRecord
	tagNames []string // names of all tags, including those without a value
}

func (b *recordBuilder) addTag(key string, value any) {
	b.tagNames = append(b.tagNames, key)
	if value != "" {
		b.tags = append(b.tags, exportItem{key, value})
	}
}

func (b *recordBuilder) addField(key string, value any) {
	if value != "" {
		b.fields = append(b.fields, exportItem{key, value})
	}
}

// addValue adds fields for the median, the minimum and the maximum of a value, and for its interval if it has one. The
// name of a field consists of head, the name of the statistic (such as median) and unit.
func (b *recordBuilder) addValue(head, unit string, v figures.MedianEstimate) {
	b.addField(head+"_median"+unit, v.Median)
	if v.Interval {
		b.addField(head+"_lower"+unit, v.Low)
		b.addField(head+"_upper"+unit, v.High)
	}
	b.addField(head+"_min"+unit, v.Min)
	b.addField(head+"_max"+unit, v.Max)
}

// exportRecords returns the record of a run and, if the run is usable (State.IsUsable), the records of its points.
func exportRecords(r *figures.Run, partial bool) []exportRecord {
	all := []exportRecord{runRecord(r)}
	if !r.State.IsUsable(partial) {
		return all
	}
	ratios := map[string]figures.Ratio{}
	for _, ratio := range r.LayerRatios() {
		ratios[pointKey(ratio.Upper)] = ratio
	}
	for _, p := range r.Points() {
		all = append(all, pointRecord(p, ratios[pointKey(p)]))
	}
	return all
}

// pointKey returns a text that identifies a point within its run.
func pointKey(p figures.Point) string { return fmt.Sprint(p.Labels()) }

// newRecord returns a builder with the tags and fields that all records of a run have in common.
func newRecord(measurement string, r *figures.Run) *recordBuilder {
	b := &recordBuilder{exportRecord: exportRecord{measurement: measurement, started: r.Started}}
	b.addTag("cluster", r.Identity.Cluster)
	b.addTag("filesystem", r.Identity.Filesystem)
	b.addTag("label", r.Identity.Label)
	b.addTag("variant", r.VariantText())
	if r.Pair != nil {
		b.addTag("arm", string(r.Pair.Arm))
	}
	b.addField("run_id", r.RunID)
	b.addField("run_state", string(r.State))
	b.addField("file", r.Name)
	return b
}

// addInfo adds fields for software and conditions, except for those that the record already has as tags.
func (b *recordBuilder) addInfo(r *figures.Run) {
	for _, l := range r.InfoLabels() {
		if !slices.Contains(b.tagNames, l.Name) {
			b.addField(l.Name, l.Value)
		}
	}
}

func runRecord(r *figures.Run) exportRecord {
	b := newRecord(runMeasurement, r)
	switch r.State {
	case result.Running:
	case result.Complete:
		b.addField("success", 1)
	default:
		b.addField("success", 0)
	}
	if r.ExitStatus != nil {
		b.addField("exit_status", *r.ExitStatus)
	}
	if took, known := r.Duration(); known {
		b.addField("duration_seconds", took.Seconds())
	}
	failures := r.Failures()
	b.addField("errors", len(failures))
	b.addField("error", strings.Join(failures[:min(1, len(failures))], ""))
	b.addField("cautions", strings.Join(r.CautionKeywords(), ", "))
	b.addInfo(r)
	return b.exportRecord
}

// pointRecord returns the record of a point. ratio is the ratio of its throughput to that of the layer below; if there
// is no such layer, ratio.Value has no samples.
func pointRecord(p figures.Point, ratio figures.Ratio) exportRecord {
	b := newRecord(pointMeasurement, p.Run)
	for _, l := range p.Labels() {
		if !slices.Contains(b.tagNames, l.Name) {
			b.addTag(l.Name, l.Value)
		}
	}
	if w := p.Run.Parameters.Workload; w != nil {
		b.addTag("workload_sha256", figures.ShortWorkloadHash(*w)) // other sizes or choices make another series
	}
	b.addTag("nodes", p.Case.Nodes)
	b.addField("case_state", string(p.Case.State))
	b.addField("case_reason", missingReason(p))
	for _, r := range figures.Rows {
		b.addStatistic(r, p)
	}
	if rank, n := p.SlowestRank(); n > 0 {
		b.addField("slowest_rank", rank)
	}
	if p.Missing == "" {
		b.addSamples(p)
		if ratio.Value.N > 0 && ratio.HasSameCache() {
			b.addField("layer_below", ratio.Lower.Case.API)
			b.addValue("layer", "_ratio", ratio.Value)
			b.addField("layer_samples", ratio.Value.N)
			b.addField("layer_paired", ratio.Paired)
		}
	}
	b.addInfo(p.Run)
	return b.exportRecord
}

// missingReason returns why a point has no result, or why its result is from only some of the requested iterations.
func missingReason(p figures.Point) string {
	if p.Missing != "" {
		return p.Missing
	}
	return figures.CaseReason(p.Case)
}

// addStatistic adds the value of the statistic r for a point, if the point has such a value.
func (b *recordBuilder) addStatistic(r figures.Row, p figures.Point) {
	switch v, ok := r.PointValue(p); {
	case !ok:
	case r.ShowsRange:
		b.addValue(r.Name, "_"+r.Unit.Suffix, v)
	default:
		b.addField(r.ExportName(), v.Median)
	}
}

func (b *recordBuilder) addSamples(p figures.Point) {
	b.addField("bytes", p.BytesPerSample())
	if bytes, known := figures.WrittenFileBytes(p.Case, p.Operation); known {
		b.addField("file_bytes", bytes)
	}
	b.addField("samples", p.Rate.N)
	b.addField("planned_iterations", p.Run.Parameters.Iterations)
	for _, m := range result.ValuesOf[result.Mark]() {
		b.addField(string(m)+"_samples", figures.NumMarked(p.Samples, m))
	}
}
