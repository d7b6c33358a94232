// Package metrics makes Prometheus families of the document of a run, and takes them to a Pushgateway or to the textfile
// collector of node_exporter.
//
// All families are gauges but the histogram of data calls. Their labels have few values: what a sweep runs through and the
// words of the options; never a run, a time or a host. The group that the families belong to (Group) is not among their
// labels: the Pushgateway and the textfile add it.
package metrics

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"h5perf/pkg/result"
)

// Families of every run.
var (
	runSuccess = family("run_success", "Whether the last run measured everything: 1, or 0 where something failed or ended it early.")
	runEnd     = family("run_completion_timestamp_seconds", "When the last run ended, successful or not.")
	runTime    = family("run_duration_seconds", "How long the last run took, from start to end.")
	runInfo    = family("run_info", "What the last run ran with, and under which conditions. Always 1.", infoLabels...)

	verificationErrors = family("verification_errors", "Cases of the last run, with all numbers of processes and transfer sizes, in which an API read something other than what was written. Absent where nothing is verified.", "api")
)

// family describes h5perf_name.
func family(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("h5perf_"+name, help, labels, nil)
}

// Registry holds the families of a run that has ended. One that failed or was interrupted has no figures, not even of what
// it measured before: of a run that cannot be trusted, nothing is compared with others. A run that goes on is refused.
func Registry(doc result.Document) (*prometheus.Registry, error) {
	c, err := collect(doc)
	if err != nil {
		return nil, err
	}
	r := prometheus.NewPedanticRegistry()
	return r, r.Register(c)
}

// collect makes the metrics of Registry.
func collect(doc result.Document) (*collection, error) {
	if doc.State == result.Running || doc.Finished == nil {
		return nil, fmt.Errorf("run %s has not ended: its document is %s", doc.RunID, doc.State)
	}
	c := &collection{}
	success := 0.0
	if doc.State == result.Complete {
		success = 1
		c.figures(doc)
	}
	c.gauge(runSuccess, success)
	c.gauge(runEnd, float64(doc.Finished.UnixMilli())/1000)
	c.gauge(runTime, doc.Finished.Sub(doc.Started).Seconds())
	c.gauge(runInfo, 1, info(doc)...)
	c.verification(doc)
	if c.err != nil {
		return nil, fmt.Errorf("metrics of run %s: %w", doc.RunID, c.err)
	}
	return c, nil
}

// verification counts the cases that read something wrong, for each API.
func (c *collection) verification(doc result.Document) {
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
		c.gauge(verificationErrors, float64(wrong[api]), api)
	}
}

// collection is a prometheus.Collector of what does not change.
type collection struct {
	metrics []prometheus.Metric
	err     error
}

func (c *collection) gauge(d *prometheus.Desc, value float64, labels ...string) {
	m, err := prometheus.NewConstMetric(d, prometheus.GaugeValue, value, labels...)
	c.add(m, err)
}

func (c *collection) add(m prometheus.Metric, err error) {
	c.metrics, c.err = append(c.metrics, m), errors.Join(c.err, err)
}

// Describe is that of prometheus.Collector.
func (c *collection) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(c, out) }

// Collect is that of prometheus.Collector.
func (c *collection) Collect(out chan<- prometheus.Metric) {
	for _, m := range c.metrics {
		out <- m
	}
}
