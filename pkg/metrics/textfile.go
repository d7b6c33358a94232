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

// CheckTextfile returns an error if the textfile collector would not read a file of this name.
func CheckTextfile(path string) error {
	if filepath.Ext(path) != ".prom" {
		return fmt.Errorf("the name %q does not end in .prom: node_exporter reads no other files", path)
	}
	return nil
}

// Textfile is a file for the textfile collector of node_exporter, which runs as another user.
var Textfile = output.FileKind{
	Name: "textfile", Own: regexp.MustCompile(`^# (HELP|TYPE) h5perf_`).Match, Public: true,
}

// WriteTextfile writes the metrics of a run to a file for the textfile collector of node_exporter, as a whole or not
// at all. With force it replaces any regular file. Their labels include those of Group, except for job, which
// node_exporter sets. A file holds the last run of one series, so each series needs its own file. partial is that of
// Registry.
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

// WriteTrendTextfile is WriteTextfile for what a trend says about groups. One file holds all groups.
func WriteTrendTextfile(path string, force bool, all []JudgedRun) error {
	r := prometheus.NewPedanticRegistry()
	for _, j := range all {
		c, err := j.collectTrend()
		if err == nil {
			err = registerWithLabels(r, j.Last.Identity, c)
		}
		if err != nil {
			return fmt.Errorf("metrics of the trend: %w", err)
		}
	}
	return writeTextfile(path, force, r)
}

// registerWithLabels registers metrics with the labels of a group.
func registerWithLabels(r *prometheus.Registry, of result.Identity, c *collection) error {
	labels := prometheus.Labels{}
	for _, l := range (GroupingKey{of}).keyLabels() {
		labels[l[0]] = l[1]
	}
	return prometheus.WrapRegistererWith(labels, r).Register(c)
}

// writeTextfile writes the metrics of a registry to a file.
func writeTextfile(path string, force bool, r *prometheus.Registry) error {
	return Textfile.Write(path, force, func(w io.Writer) error { return encodeText(w, r) })
}

// encodeText writes the metrics of a registry as text.
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
