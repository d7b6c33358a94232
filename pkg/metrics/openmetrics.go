package metrics

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// WriteOpenMetrics writes the metrics of runs as OpenMetrics text. The timestamp of each sample is the end of its run.
// The labels are the same as those of pushed metrics in Prometheus, so that a site can import its old runs (promtool
// tsdb create-blocks-from openmetrics). Runs of h5perf ab also have the label arm. Runs that have not ended are left
// out. WriteOpenMetrics returns an error if two runs have the same labels and ended at the same time.
func WriteOpenMetrics(w io.Writer, runs []figures.Run, partial bool) error {
	families := map[string]*dto.MetricFamily{}
	for i := range runs {
		if runs[i].State == result.Running {
			continue
		}
		if err := addRunMetrics(families, &runs[i], partial); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	encoder := expfmt.NewEncoder(w, expfmt.NewFormat(expfmt.TypeOpenMetrics))
	for _, f := range slices.SortedFunc(maps.Values(families), func(a, b *dto.MetricFamily) int {
		return cmp.Compare(a.GetName(), b.GetName())
	}) {
		if err := sortSamples(f); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		if err := encoder.Encode(f); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	if closer, ok := encoder.(expfmt.Closer); ok { // writes the line that ends the text
		if err := closer.Close(); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	return nil
}

// addRunMetrics adds the metrics of a run to families, a map by family name.
func addRunMetrics(families map[string]*dto.MetricFamily, r *figures.Run, partial bool) error {
	registry, err := Registry(r.Document, partial)
	if err != nil {
		return err
	}
	own, err := registry.Gather()
	if err != nil {
		return fmt.Errorf("metrics of run %s: %w", r.RunID, err)
	}
	labels := append([][2]string{{"job", Job}}, GroupingKey{r.Identity}.keyLabels()...)
	if r.Pair != nil {
		labels = append(labels, [2]string{"arm", string(r.Pair.Arm)})
	}
	for _, f := range own {
		all := families[f.GetName()]
		if all == nil {
			all = &dto.MetricFamily{Name: f.Name, Help: f.Help, Type: f.Type}
			families[f.GetName()] = all
		}
		for _, m := range f.GetMetric() {
			for _, l := range labels {
				m.Label = append(m.Label, &dto.LabelPair{Name: &l[0], Value: &l[1]})
			}
			slices.SortFunc(m.Label, func(a, b *dto.LabelPair) int { return cmp.Compare(a.GetName(), b.GetName()) })
			m.TimestampMs = new(r.Finished.UnixMilli())
			all.Metric = append(all.Metric, m)
		}
	}
	return nil
}

// sortSamples sorts the samples of a family by labels, and samples with the same labels by time. It returns an error if
// two samples have the same labels and the same time.
func sortSamples(f *dto.MetricFamily) error {
	type sample struct {
		*dto.Metric
		series string
	}
	all := make([]sample, len(f.GetMetric()))
	for i, m := range f.GetMetric() {
		var b strings.Builder
		for _, l := range m.GetLabel() {
			b.WriteString(l.GetName() + "=" + strconv.Quote(l.GetValue()) + " ")
		}
		all[i] = sample{m, b.String()}
	}
	slices.SortStableFunc(all, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.series, b.series), cmp.Compare(a.GetTimestampMs(), b.GetTimestampMs()))
	})
	for i, m := range all {
		f.Metric[i] = m.Metric
		if i > 0 && m.GetTimestampMs() == all[i-1].GetTimestampMs() && m.series == all[i-1].series {
			return fmt.Errorf("two runs ended at the same time, %s, and have the same labels, so that their metrics "+
				"cannot be told apart: leave one out, or give them labels (--label); they are %s",
				time.UnixMilli(m.GetTimestampMs()).UTC().Format(time.RFC3339), m.series)
		}
	}
	return nil
}
