package report

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// builder makes a record. What is absent is not added.
type builder struct {
	exportRecord
	own []string // names of all tags, also of those that are absent
}

func (b *builder) tag(key string, value any) {
	b.own = append(b.own, key)
	if value != "" {
		b.tags = append(b.tags, item{key, value})
	}
}

func (b *builder) field(key string, value any) {
	if value != "" {
		b.fields = append(b.fields, item{key, value})
	}
}

// statistics adds the median of a value, its interval if it has one, and its extremes. In the names, the statistic
// stands between head and unit.
func (b *builder) statistics(head, unit string, v figures.Value) {
	b.field(head+"_median"+unit, v.Median)
	if v.Interval {
		b.field(head+"_lower"+unit, v.Low)
		b.field(head+"_upper"+unit, v.High)
	}
	b.field(head+"_min"+unit, v.Min)
	b.field(head+"_max"+unit, v.Max)
}

// records returns the record of a run, and those of its points.
func records(r *figures.Run, partial bool) []exportRecord {
	all := []exportRecord{ofTheRun(r)}
	if !r.State.Usable(partial) {
		return all
	}
	ratios := map[string]figures.Ratio{}
	for _, ratio := range r.Layers() {
		ratios[place(ratio.Upper)] = ratio
	}
	for _, p := range r.Points() {
		all = append(all, ofThePoint(p, ratios[place(p)]))
	}
	return all
}

// place returns what tells a point from the others of its run.
func place(p figures.Point) string { return fmt.Sprint(p.Labels()) }

// begin returns a record with the tags and fields that all records of a run have.
func begin(measurement string, r *figures.Run) *builder {
	b := &builder{exportRecord: exportRecord{measurement: measurement, started: r.Started}}
	b.tag("cluster", r.Identity.Cluster)
	b.tag("filesystem", r.Identity.Filesystem)
	b.tag("label", r.Identity.Label)
	b.tag("variant", r.Variant())
	if r.Pair != nil {
		b.tag("arm", string(r.Pair.Arm))
	}
	b.field("run_id", r.RunID)
	b.field("run_state", string(r.State))
	b.field("file", r.Name)
	return b
}

// info adds software and conditions, but for those that a point has of its own, as tags.
func (b *builder) info(r *figures.Run) {
	for _, l := range r.Info() {
		if !slices.Contains(b.own, l.Name) {
			b.field(l.Name, l.Value)
		}
	}
}

// ofTheRun returns the record of a run.
func ofTheRun(r *figures.Run) exportRecord {
	b := begin(ofRun, r)
	switch r.State {
	case result.Running:
	case result.Complete:
		b.field("success", 1)
	default:
		b.field("success", 0)
	}
	if r.ExitStatus != nil {
		b.field("exit_status", *r.ExitStatus)
	}
	if r.Finished != nil {
		b.field("duration_seconds", r.Finished.Sub(r.Started).Seconds())
	}
	failures := r.Failures()
	b.field("errors", len(failures))
	b.field("error", strings.Join(failures[:min(1, len(failures))], ""))
	b.info(r)
	return b.exportRecord
}

// ofThePoint returns the record of a point. ratio is that to the layer below; its value has no samples if there is
// none.
func ofThePoint(p figures.Point, ratio figures.Ratio) exportRecord {
	b := begin(ofPoint, p.Run)
	for _, l := range p.Labels() {
		if !slices.Contains(b.own, l.Name) {
			b.tag(l.Name, l.Value)
		}
	}
	if w := p.Run.Parameters.Workload; w != nil {
		b.tag("workload_sha256", figures.Fingerprint(*w)) // with other sizes or choices, it is another series
	}
	b.tag("nodes", p.Case.Nodes)
	b.field("case_state", string(p.Case.State))
	b.field("case_reason", missingReason(p))
	for _, r := range figures.Rows {
		b.statistic(r, p)
	}
	if rank, n := p.SlowestRank(); n > 0 {
		b.field("slowest_rank", rank)
	}
	if p.Missing == "" {
		b.samples(p)
		if ratio.Value.N > 0 && ratio.Alike() {
			b.field("layer_below", ratio.Lower.Case.API)
			b.statistics("layer", "_ratio", ratio.Value)
			b.field("layer_samples", ratio.Value.N)
			b.field("layer_paired", ratio.Paired)
		}
	}
	b.info(p.Run)
	return b.exportRecord
}

// missingReason returns why a point has no figure, or only one of a part of its iterations.
func missingReason(p figures.Point) string {
	if p.Missing != "" {
		return p.Missing
	}
	return figures.Reason(p.Case)
}

// statistic adds a row of a point, unless the point does not have it.
func (b *builder) statistic(r figures.Row, p figures.Point) {
	switch v, ok := r.Value(p); {
	case !ok:
	case r.Full:
		b.statistics(r.Name, "_"+r.Unit.Suffix, v)
	default:
		b.field(r.Key(), v.Median)
	}
}

func (b *builder) samples(p figures.Point) {
	b.field("bytes", p.Bytes())
	b.field("samples", p.Rate.N)
	b.field("planned_iterations", p.Run.Parameters.Iterations)
	for _, m := range result.All[result.Mark]() {
		b.field(string(m)+"_samples", figures.Marked(p.Samples, m))
	}
}
