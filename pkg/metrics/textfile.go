package metrics

import (
	"fmt"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"

	"h5perf/pkg/result"
)

// CheckTextfile returns an error if the textfile collector would not read a file of this name.
func CheckTextfile(path string) error {
	if filepath.Ext(path) != ".prom" {
		return fmt.Errorf("%q does not end in .prom, and node_exporter reads only files that do", path)
	}
	return nil
}

// WriteTextfile writes the metrics of a run to a file for the textfile collector of node_exporter, as a whole or not
// at all. Their labels include those of Group, except for job, which node_exporter sets. A file holds the last run of
// one series, so each series needs its own file.
func WriteTextfile(path string, doc result.Document) error {
	c, err := collect(doc)
	if err != nil {
		return err
	}
	labels := prometheus.Labels{}
	for _, l := range (Group{doc.Identity}).labels() {
		labels[l[0]] = l[1]
	}
	r := prometheus.NewPedanticRegistry()
	if err := prometheus.WrapRegistererWith(labels, r).Register(c); err != nil {
		return fmt.Errorf("metrics of run %s: %w", doc.RunID, err)
	}
	if err := prometheus.WriteToTextfile(path, r); err != nil {
		return fmt.Errorf("textfile %s: %w", path, err)
	}
	return nil
}
