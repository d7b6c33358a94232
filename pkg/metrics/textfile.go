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
	r := prometheus.NewPedanticRegistry()
	if err := register(r, doc.Identity, c); err != nil {
		return fmt.Errorf("metrics of run %s: %w", doc.RunID, err)
	}
	return writeTextfile(path, r)
}

// WriteTrendTextfile is WriteTextfile for what a trend says about groups. One file holds all groups.
func WriteTrendTextfile(path string, all []Judged) error {
	r := prometheus.NewPedanticRegistry()
	for _, j := range all {
		c, err := j.collect()
		if err == nil {
			err = register(r, j.Last.Identity, c)
		}
		if err != nil {
			return fmt.Errorf("metrics of the trend: %w", err)
		}
	}
	return writeTextfile(path, r)
}

// register registers metrics with the labels of a group.
func register(r *prometheus.Registry, of result.Identity, c *collection) error {
	labels := prometheus.Labels{}
	for _, l := range (Group{of}).labels() {
		labels[l[0]] = l[1]
	}
	return prometheus.WrapRegistererWith(labels, r).Register(c)
}

// writeTextfile writes the metrics of a registry to a file.
func writeTextfile(path string, r *prometheus.Registry) error {
	if err := prometheus.WriteToTextfile(path, r); err != nil {
		return fmt.Errorf("textfile %s: %w", path, err)
	}
	return nil
}
