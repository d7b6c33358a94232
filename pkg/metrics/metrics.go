// Package metrics makes Prometheus metrics of documents, for a Pushgateway or for node_exporter. The textfile collector
// of node_exporter reads them from a file.
//
// All metrics are gauges, except for the histogram of data calls. A label has a bounded number of values: those of a
// sweep or of an option, but never a run, a time or a host. Exceptions are the families that name documents: one series
// for each run, and one for each change that a trend found. The metrics do not have the labels of GroupingKey, because
// the Pushgateway and WriteTextfile add them.
package metrics

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// Metric families that every run has, except for runCaution and verificationErrors.
var (
	runSuccess = newFamily("run_success",
		"1 if the last run is complete, 0 if it failed, was interrupted or has no samples.")
	runEnd  = newFamily("run_completion_timestamp_seconds", "Time at which the last run ended, successful or not.")
	runTime = newFamily("run_duration_seconds", "Duration of the last run, from start to end.")
	runInfo = newFamily("run_info", "Software and conditions of the last run, as labels. Always 1.",
		figures.InfoNames...)
	runCaution = newFamily("run_caution",
		"A caution in a few words: what to know before the figures of the last run are believed. Always 1. Absent if "+
			"there are no figures.", "caution")
	runDocument = newFamily("run_document_info",
		"The document of the last run: its path below the directory of results (--results), without .json. Always 1.",
		"document")

	verificationErrors = newFamily("verification_errors",
		"Number of cases of the last run in which an API read wrong data, over all numbers of processes and transfer "+
			"sizes. Absent if the run did not verify data.", "api")
)

// newFamily describes a metric family. Its full name is h5perf_ followed by name.
func newFamily(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("h5perf_"+name, help, labels, nil)
}

// Registry returns a registry with the metrics of a run. For a run that failed or was interrupted, the registry holds
// results of measurements only if partial is true, so that nobody compares them with other runs by mistake. Registry
// returns an error if the run has not ended.
func Registry(doc result.Document, partial bool) (*prometheus.Registry, error) {
	c, err := collectRun(doc, partial)
	if err != nil {
		return nil, err
	}
	r := prometheus.NewPedanticRegistry()
	return r, r.Register(c)
}

// NumOmittedPoints returns the number of points with results that Registry leaves out because the run failed or was
// interrupted.
func NumOmittedPoints(doc result.Document, partial bool) int {
	if doc.State.IsUsable(partial) {
		return 0
	}
	return doc.NumPoints()
}

// collectRun makes the metrics for Registry.
func collectRun(doc result.Document, partial bool) (*metricCollection, error) {
	if doc.State == result.Running || doc.Finished == nil {
		return nil, fmt.Errorf("run %s has not ended: the state of its document is %s", doc.RunID, doc.State)
	}
	c, run := &metricCollection{}, figures.Run{Document: doc}
	success := 0.0
	if doc.State == result.Complete && doc.NumPoints() > 0 {
		success = 1
	}
	if doc.State.IsUsable(partial) {
		run.Freeze()
		c.addFigures(run)
		for _, word := range run.CautionKeywords() {
			c.addGauge(runCaution, 1, word)
		}
	}
	c.addGauge(runSuccess, success)
	c.addGauge(runEnd, unixSeconds(*doc.Finished))
	if took, known := doc.Duration(); known {
		c.addGauge(runTime, took.Seconds())
	}
	c.addGauge(runInfo, 1, labelValues(run.InfoLabels())...)
	c.addGauge(runDocument, 1, documentPath(doc.Identity, doc.RunID))
	c.addVerification(doc)
	if c.err != nil {
		return nil, fmt.Errorf("metrics of run %s: %w", doc.RunID, c.err)
	}
	return c, nil
}

// addVerification adds, for each API, the number of cases that read wrong data, if the run verified data.
func (c *metricCollection) addVerification(doc result.Document) {
	if !doc.Parameters.Verify {
		return
	}
	wrong := map[string]int{}
	for _, k := range doc.Cases {
		if k.Error != nil && k.Error.Phase == result.PhaseVerify {
			wrong[k.API]++
		}
	}
	for _, api := range doc.Parameters.APIs {
		c.addGauge(verificationErrors, float64(wrong[api]), api)
	}
}

// metricCollection is a prometheus.Collector of metrics whose values do not change. err joins the errors that occurred
// when the metrics were made.
type metricCollection struct {
	metrics []prometheus.Metric
	err     error
}

func (c *metricCollection) addGauge(d *prometheus.Desc, value float64, labels ...string) {
	m, err := prometheus.NewConstMetric(d, prometheus.GaugeValue, value, visibleTexts(labels)...)
	c.addMetric(m, err)
}

// visibleTexts returns texts with their invisible characters escaped: names in documents may have any, and the formats
// of Prometheus escape only line feeds.
func visibleTexts(all []string) []string {
	visible := make([]string, len(all))
	for i, text := range all {
		visible[i] = plain.VisibleLine(text)
	}
	return visible
}

func (c *metricCollection) addMetric(m prometheus.Metric, err error) {
	c.metrics, c.err = append(c.metrics, m), errors.Join(c.err, err)
}

// Describe sends the descriptions of all metrics to out. It implements prometheus.Collector.
func (c *metricCollection) Describe(out chan<- *prometheus.Desc) {
	prometheus.DescribeByCollect(c, out)
}

// Collect sends all metrics to out. It implements prometheus.Collector.
func (c *metricCollection) Collect(out chan<- prometheus.Metric) {
	for _, m := range c.metrics {
		out <- m
	}
}
