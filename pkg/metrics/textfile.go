package metrics

import (
	"fmt"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"

	"h5perf/pkg/result"
)

// CheckTextfile refuses names that the textfile collector would not read.
func CheckTextfile(path string) error {
	if filepath.Ext(path) != ".prom" {
		return fmt.Errorf("%q does not end in .prom, and node_exporter reads only files that do", path)
	}
	return nil
}

// WriteTextfile puts the families of a run into a file for the textfile collector of node_exporter, whole or not at all. They
// have the key of the group among their labels, except for job, which there is that of node_exporter. A file holds the last
// run of one series: each series needs its own.
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
