package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"h5perf/pkg/figures"
	"h5perf/pkg/plain"
)

// WriteInflux writes the records of runs in the line protocol of InfluxDB, with times in nanoseconds. For a run that
// failed or was interrupted, it writes records of points only if partial is true.
func WriteInflux(w io.Writer, runs []figures.Run, partial bool) error {
	return writeRecords(w, runs, partial, func(w io.Writer, r exportRecord) error {
		text, err := influxLine(r)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		return err
	})
}

// The first and the last time that InfluxDB accepts.
var (
	minInfluxTime = time.Unix(0, math.MinInt64+2)
	maxInfluxTime = time.Unix(0, math.MaxInt64-1)
)

// influxLine returns a record in line protocol. It returns an error if InfluxDB does not accept the time of the record.
func influxLine(r exportRecord) (string, error) {
	if r.started.Before(minInfluxTime) || r.started.After(maxInfluxTime) {
		return "", fmt.Errorf("the line protocol has no time for %s: it has nanoseconds from %d to %d",
			r.started.UTC().Format(time.RFC3339), minInfluxTime.UTC().Year(), maxInfluxTime.UTC().Year())
	}
	var b strings.Builder
	b.WriteString(r.measurement)
	tags := slices.SortedFunc(slices.Values(r.tags), func(a, b exportItem) int { return cmp.Compare(a.key, b.key) })
	for _, t := range tags {
		if value := tagValue(fmt.Sprint(t.value)); value != "" {
			b.WriteString("," + t.key + "=" + value)
		}
	}
	separator := " "
	for _, f := range r.fields {
		if value := fieldValue(f.value); value != "" {
			b.WriteString(separator + f.key + "=" + value)
			separator = ","
		}
	}
	fmt.Fprintf(&b, " %d\n", r.started.UnixNano())
	return b.String(), nil
}

// tagEscaper escapes characters that would end the value of a tag. It replaces each backslash with a slash: programs
// that read the protocol disagree about backslashes before such a character, before a backslash, and at the end.
var tagEscaper = strings.NewReplacer(`\`, "/", ",", `\,`, "=", `\=`, " ", `\ `)

// tagValue returns text as an escaped value of a tag. It returns "" if text has no visible characters; then the tag
// must be left out.
func tagValue(text string) string { return tagEscaper.Replace(plain.VisibleLine(text)) }

// fieldEscaper escapes characters that would end a string field.
var fieldEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// fieldValue formats the value of a field. It returns "" for an integer that is too large for the protocol.
func fieldValue(value any) string {
	switch v := value.(type) {
	case string:
		return `"` + fieldEscaper.Replace(plain.VisibleLine(v)) + `"`
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case uint64:
		if v > math.MaxInt64 {
			return ""
		}
		return fmt.Sprint(v) + "i"
	case int:
		return fmt.Sprint(v) + "i"
	}
	return fmt.Sprint(value)
}
