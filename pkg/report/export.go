// This file exports results for databases: one record for each run, and one record for each point of a run.
//
// A record has tags and fields. Tags distinguish records with the same time, and have a bounded number of values. Units
// are bytes and seconds, and are part of the names. Values that are unknown or do not exist are left out. The time of a
// record is the start of its run.

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

// Names of measurements, in the sense of InfluxDB.
const (
	runMeasurement   = "h5perf_run"
	pointMeasurement = "h5perf"
)

// exportRecord is the record of a run or of a point.
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

// WriteNDJSON writes the records of runs as JSON: one flat object on each line, which begins with measurement and
// run_started. For a run that failed or was interrupted, it writes records of points only if partial is true.
func WriteNDJSON(w io.Writer, runs []figures.Run, partial bool) error {
	return writeRecords(w, runs, partial, func(w io.Writer, r exportRecord) error { return plain.WriteJSONLine(w, r) })
}

// writeRecords writes the records of runs to w, each with the function write.
func writeRecords(w io.Writer, runs []figures.Run, partial bool, write func(io.Writer, exportRecord) error) error {
	var b bytes.Buffer
	for _, run := range runs {
		run.Freeze()
		for _, r := range exportRecords(&run, partial) {
			if err := write(&b, r); err != nil {
				return fmt.Errorf("export of run %s: %w", run.RunID, err)
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
