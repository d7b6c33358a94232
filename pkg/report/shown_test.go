package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/test/figurestest"
)

// tablesOf returns the tables of points in a text. The key is the title above a table, up to a colon. The first table
// has no title. A block without a title continues the previous table or, if it begins with another point, is a table of
// its own, whose key ends with its operation.
func tablesOf(text string) map[string][][]string {
	tables, title := map[string][][]string{}, ""
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 && !strings.HasPrefix(paragraph, "processes ") {
			title, _, _ = strings.Cut(paragraph, ":")
		}
		at := strings.Index("\n"+paragraph, "\nprocesses ")
		if at < 0 {
			continue
		}
		lines := cellsOf(paragraph[at:])
		operation := slices.Index(lines[0], "operation")
		if table := tables[title]; table != nil && !slices.Equal(table[1][:operation+1], lines[1][:operation+1]) {
			title += ", " + lines[1][operation]
		}
		for k, line := range lines {
			labels := operation + 1
			if labels < len(line) && (line[labels] == "marks" || strings.HasPrefix(line[labels], "partial ")) {
				labels++
			}
			if table := tables[title]; k >= len(table) || !slices.Equal(table[k][:labels], line[:labels]) {
				tables[title] = append(table, line)
			} else {
				table[k] = append(table[k], line[labels:]...)
			}
		}
	}
	return tables
}

// cellsOf returns the cells of a table. A heading may continue on the next line, and so may the last cell of a line.
func cellsOf(table string) (lines [][]string) {
	cell := regexp.MustCompile(`\S+(?: \S+)*`)
	var columns [][]int
	for line := range strings.Lines(table) {
		cells := cell.FindAllString(line, -1)
		switch last := len(lines) - 1; {
		case line[0] != ' ':
			lines = append(lines, cells)
			if columns == nil {
				columns = cell.FindAllStringIndex(line, -1)
			}
		case last > 0:
			lines[last][len(lines[last])-1] += " " + strings.Join(cells, " ")
		default:
			for i, at := range cell.FindAllStringIndex(line, -1) {
				of := slices.IndexFunc(columns, func(c []int) bool { return c[0] == at[0] })
				lines[0][of] += " " + cells[i]
			}
		}
	}
	return lines
}

// ofDirection returns the lines of a direction in the table of times: their first columns, their marks, and those of
// the columns from to end that have values. It leaves out lines without values. It returns nil if there are none.
func ofDirection(times [][]string, marks []string, labels, from, end int, operation result.Operation) [][]string {
	var shown []int
	for column := from; column < end; column++ {
		if slices.ContainsFunc(times[1:], func(line []string) bool {
			return line[labels-1] == string(operation) && line[column] != "-"
		}) {
			shown = append(shown, column)
		}
	}
	var all [][]string
	for i, line := range times {
		cells, values := line[:labels:labels], 0
		if marks[i] != "" {
			cells = append(cells, marks[i])
		}
		for _, column := range shown {
			if cells = append(cells, line[column]); line[column] != "-" {
				values++
			}
		}
		if i == 0 || line[labels-1] == string(operation) && values > 0 {
			all = append(all, cells)
		}
	}
	if len(all) == 1 {
		return nil
	}
	return all
}

func TestTablesShowEveryRowOfEveryPoint(t *testing.T) {
	for name, r := range figurestest.Runs() {
		got := tablesOf(tables(t, r))
		rates, times, ratios := figurestest.Words(&r, "-")
		for i, p := range r.Points() {
			if p.Missing != "" {
				rates[i+1][len(rates[i+1])-1] = shortReason(p)
			}
		}
		marks := []string{""} // marks of the lines in the table of times
		for _, p := range r.Points() {
			if len(p.Samples) > 0 {
				marks = append(marks, p.Partial)
			}
			if p.Partial != "" {
				marks[0] = "marks"
			}
		}
		labels := slices.Index(times[0], "operation") + 1
		isCall := func(heading string) bool {
			return slices.ContainsFunc(figures.Rows,
				func(r figures.Row) bool { return r.Counted != "" && r.Heading == heading })
		}
		end := labels + slices.IndexFunc(times[0][labels:], func(heading string) bool {
			return slices.Contains(result.ValuesOf[result.Class](), result.Class(heading))
		})
		rated, of := end, func(heading string) bool {
			return strings.HasSuffix(heading, "/s") || heading == "created, to the close"
		}
		if i := slices.IndexFunc(times[0], of); i >= 0 {
			rated = i
		}
		counted := rated // calls, rates and times of classes of steps have their own tables
		if i := slices.IndexFunc(times[0], isCall); i >= 0 {
			counted = i
		}
		var whole, calls [][]string
		for i, line := range times {
			mark := slices.DeleteFunc(marks[i:i+1:i+1], func(mark string) bool { return mark == "" })
			whole = append(whole, slices.Concat(line[:labels], mark, line[labels:counted]))
			if counted < rated {
				calls = append(calls, slices.Concat(line[:labels], mark, line[counted:rated]))
			}
		}
		direction := func(from, end int, operation result.Operation) [][]string {
			return ofDirection(times, marks, labels, from, end, operation)
		}
		all := len(times[0])
		objects, classes := "Objects per second of each class of steps", "Time of each class of steps"
		for title, want := range map[string][][]string{
			"": rates, "Where the time goes": whole, "Calls of an iteration": calls, "What layers cost": ratios,
			objects:            direction(rated, end, result.OperationWrite),
			objects + ", read": direction(rated, end, result.OperationRead),
			classes:            direction(end, all, result.OperationWrite),
			classes + ", read": direction(end, all, result.OperationRead),
		} {
			if d := cmp.Diff(want, got[title]); d != "" {
				t.Errorf("%s: %s (-want +got)\n%s", name, title, d)
			}
		}
	}
}

// TestBothFormatsHoldTheSame checks the same for line protocol.
func TestNDJSONShowsEveryRowOfEveryPoint(t *testing.T) {
	besides := slices.Concat(figures.InfoNames, []string{
		"measurement", "run_started", "cluster", "filesystem", "label", "run_id", "run_state", "file", "nodes",
		"case_state", "case_reason", "slowest_rank", "bytes", "planned_iterations",
	})
	for name, r := range figurestest.Runs() {
		var got []map[string]any
		for _, o := range objects(t, exported(t, WriteNDJSON, true, r))[1:] {
			maps.DeleteFunc(o, func(key string, value any) bool {
				label := slices.Contains(figures.LabelNames, key)
				if number, is := value.(json.Number); is && !label {
					o[key], _ = number.Float64()
				} else {
					o[key] = fmt.Sprint(value)
				}
				return slices.Contains(besides, key) && !label
			})
			got = append(got, o)
		}
		if d := cmp.Diff(figurestest.Points(&r), got); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}

// The values that are shown for a point are the medians of its samples in the CSV.
func TestCSVShowsEveryRowOfEverySample(t *testing.T) {
	for name, r := range figurestest.Runs() {
		_, lines := csvRecords(t, r)
		samples := map[string][]map[string]string{} // the key is the place of a point
		placeOf := func(api any, of map[string]string) string {
			return fmt.Sprintln(api, of["operation"], of["processes"], of["transfer_bytes"])
		}
		for _, line := range lines[1:] {
			cells := map[string]string{}
			for i, name := range lines[0] {
				cells[name] = line[i]
			}
			place := placeOf(cells["api"], cells)
			samples[place] = append(samples[place], cells)
		}
		column := func(place string, row figures.Row) (all []float64) {
			for _, cells := range samples[place] {
				if x, err := strconv.ParseFloat(cells[row.ExportName()], 64); err == nil { // has this value
					all = append(all, x)
				}
			}
			return all
		}
		seen := 0
		for _, want := range figurestest.Points(&r) {
			labels, got := map[string]string{}, map[string]any{}
			for _, name := range figures.LabelNames {
				labels[name], _ = want[name].(string)
			}
			place := placeOf(want["api"], labels)
			for _, row := range figures.Rows {
				if v := estimated(column(place, row)); v.N > 0 {
					maps.Copy(got, figurestest.Numbers(row, v))
				}
			}
			if lower, rate := want["layer_below"], figures.Rows[0]; lower != nil {
				upper, below := column(place, rate), column(placeOf(lower, labels), rate)
				got["layer_median_ratio"] = estimated(upper).Median / estimated(below).Median
				if n := min(len(upper), len(below)); want["layer_paired"] == "true" {
					for i := range n {
						upper[i] /= below[i]
					}
					got["layer_median_ratio"] = estimated(upper[:n]).Median
				}
			}
			if want["samples"] != nil {
				got["samples"] = float64(len(samples[place]))
				if size, err := strconv.ParseFloat(samples[place][0]["file_bytes"], 64); err == nil {
					got["file_bytes"] = size
				}
				for _, m := range result.ValuesOf[result.Mark]() {
					n := 0
					for _, cells := range samples[place] {
						n += len(regexp.MustCompile(`\b`+string(m)+`\b`).FindAllString(cells["marks"], -1))
					}
					got[string(m)+"_samples"] = float64(n)
				}
			}
			maps.DeleteFunc(want, func(key string, _ any) bool {
				return slices.Contains(figures.LabelNames, key) ||
					strings.HasPrefix(key, "layer_") && key != "layer_median_ratio"
			})
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s (-want +got)\n%s", name, place, d)
			}
			seen += len(samples[place])
		}
		if seen != len(lines)-1 {
			t.Errorf("%s: %d of %d lines are of points", name, seen, len(lines)-1)
		}
	}
}

// estimated returns the estimate of the median of samples in the form in which it is shown.
func estimated(samples []float64) figures.MedianEstimate {
	e := stats.Median(samples, stats.Level)
	v := figures.MedianEstimate{Median: e.Median, Low: e.Min, High: e.Max, Min: e.Min, Max: e.Max, N: e.N}
	if e.HasInterval() {
		v.Low, v.High, v.Interval = e.Low, e.High, true
	}
	return v
}
