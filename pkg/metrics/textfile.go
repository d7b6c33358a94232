package metrics

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"h5perf/pkg/output"
	"h5perf/pkg/result"
)

// CheckTextfile returns an error if the textfile collector does not read files with this name.
func CheckTextfile(path string) error {
	if filepath.Ext(path) != ".prom" {
		return fmt.Errorf("the name %q does not end in .prom: node_exporter reads no other files", path)
	}
	return nil
}

// Textfile is a file for the textfile collector of node_exporter, which runs as another user.
var Textfile = output.FileKind{
	Name: "textfile", IsOwn: regexp.MustCompile(`^# (HELP|TYPE) h5perf_`).Match, Public: true,
}

// WriteTextfile writes the metrics of a run to a file for the textfile collector of node_exporter. It writes the whole
// file or nothing. It replaces a file that h5perf did not write only if force is true. The metrics have the labels of
// GroupingKey, except for job, which node_exporter sets. A file holds the last run of one series, so each series needs
// its own file. The parameter partial has the same meaning as in Registry.
func WriteTextfile(path string, force bool, doc result.Document, partial bool) error {
	c, err := collectRun(doc, partial)
	if err != nil {
		return err
	}
	r := prometheus.NewPedanticRegistry()
	if err := registerWithLabels(r, doc.Identity, c); err != nil {
		return fmt.Errorf("metrics of run %s: %w", doc.RunID, err)
	}
	return writeTextfile(path, force, r)
}

// WriteTrendTextfile is like WriteTextfile, but for the metrics of trends. One file holds the metrics of all groups.
func WriteTrendTextfile(path string, force bool, all []TrendLastRun) error {
	r := prometheus.NewPedanticRegistry()
	for _, j := range all {
		c, err := j.collectTrendMetrics()
		if err == nil {
			err = registerWithLabels(r, j.Last.Identity, c)
		}
		if err != nil {
			return fmt.Errorf("metrics of the trend: %w", err)
		}
	}
	return writeTextfile(path, force, r)
}

// registerWithLabels registers metrics and adds the labels of a group, except for job, to them.
func registerWithLabels(r *prometheus.Registry, of result.Identity, c *metricCollection) error {
	labels := prometheus.Labels{}
	for _, l := range (GroupingKey{of}).keyLabels() {
		labels[l[0]] = l[1]
	}
	return prometheus.WrapRegistererWith(labels, r).Register(c)
}

func writeTextfile(path string, force bool, r *prometheus.Registry) error {
	return Textfile.Write(path, force, func(w io.Writer) error { return encodeText(w, r) })
}

// encodeText writes the metrics of a registry in the text format of Prometheus.
func encodeText(w io.Writer, r prometheus.Gatherer) error {
	families, err := r.Gather()
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	encoder := expfmt.NewEncoder(w, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, f := range families {
		if err := encoder.Encode(f); err != nil {
			return fmt.Errorf("metrics: %w", err)
		}
	}
	return nil
}
