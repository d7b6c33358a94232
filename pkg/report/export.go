// This file writes the figures of documents for databases: a record for each run, and one for each of its points.
//
// A record has tags, which tell it from others of the same time and have a bounded number of values, and fields. Units
// are bytes and seconds, and names include them. What is not known or does not exist is left out. The time of a record
// is the start of its run.

package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
)

// Measurements of the records of runs and of points.
const (
	runMeasurement   = "h5perf_run"
	pointMeasurement = "h5perf"
)

// exportRecord is a run or a point.
type exportRecord struct {
	measurement  string
	started      time.Time
	tags, fields []exportItem
}

// exportItem is a tag or a field. The value is a string, a bool, an int, a uint64 or a float64.
type exportItem struct {
	key   string
	value any
}

// WriteNDJSON writes the records of runs as JSON: one object without nested ones on each line, which begins with
// measurement and run_started. A run that is not complete has no figures, and so no points, unless partial asks for
// them.
func WriteNDJSON(w io.Writer, runs []figures.Run, partial bool) error {
	return writeRecords(w, runs, partial, func(w io.Writer, r exportRecord) error { return plain.JSONLine(w, r) })
}

// writeRecords writes the records of runs by write.
func writeRecords(w io.Writer, runs []figures.Run, partial bool, write func(io.Writer, exportRecord) error) error {
	var b bytes.Buffer
	for i := range runs {
		for _, r := range exportRecords(&runs[i], partial) {
			if err := write(&b, r); err != nil {
				return fmt.Errorf("export of run %s: %w", runs[i].RunID, err)
			}
		}
		if _, err := b.WriteTo(w); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (r exportRecord) MarshalJSON() ([]byte, error) {
	items := append([]exportItem{
		{"measurement", r.measurement}, {"run_started", r.started.UTC().Format(time.RFC3339Nano)},
	}, r.tags...)
	var b bytes.Buffer
	for i, m := range append(items, r.fields...) {
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.key, err)
		}
		separator := ","
		if i == 0 {
			separator = "{"
		}
		fmt.Fprintf(&b, "%s%q:%s", separator, m.key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
