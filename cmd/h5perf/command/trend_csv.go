package command

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// writeTrendCSV writes a trend as CSV: a row for each run, and a column for each point. If a run has no value for a
// point, the cell is empty.
func writeTrendCSV(w io.Writer, t history.Trend) error {
	type row struct {
		run     history.SeriesRun
		of      result.Identity
		figures map[string]float64
	}
	var columns []string
	names := columnNames(t.Series)
	rows := map[string]*row{}
	for i, s := range t.Series {
		column := names[i]
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		for _, r := range s.Runs {
			if rows[r.RunID] == nil {
				rows[r.RunID] = &row{r, s.Identity, map[string]float64{}}
			}
			rows[r.RunID].figures[column] = r.Median
		}
	}
	order := make([]string, 0, len(rows))
	for id := range rows {
		order = append(order, id)
	}
	slices.SortFunc(order, func(a, b string) int {
		if c := rows[a].run.Started.Compare(rows[b].run.Started); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	out := csv.NewWriter(w)
	if err := out.Write(append([]string{"time", "run_id", "cluster", "filesystem", "label"}, columns...)); err != nil {
		return err
	}
	for _, id := range order {
		r := rows[id]
		cells := []string{r.run.Started.UTC().Format(time.RFC3339)}
		for _, text := range []string{id, r.of.Cluster, r.of.Filesystem, r.of.Label} {
			cells = append(cells, plain.CSVCell(text))
		}
		for _, column := range columns {
			cell := ""
			if figure, there := r.figures[column]; there {
				cell = strconv.FormatFloat(figure, 'f', 0, 64)
			}
			cells = append(cells, cell)
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// columnNames returns the column name of each series. A name consists of operation, API, processes, transfer bytes or
// workload, class of steps, the conditions in which series differ, and the unit, in small letters, digits and
// underscores. Series share a column if they differ only in cluster, file system or label.
func columnNames(all []history.Series) []string {
	names, whats := make([]string, len(all)), map[string][]string{}
	nodes := nodesByProcesses(all)
	what := func(s history.Series) string { return fmt.Sprint(s.Place, s.Conditions) }
	for i, s := range all {
		words := []string{
			string(s.Operation), s.API, strconv.Itoa(s.Processes),
			cmp.Or(s.Workload, strconv.FormatUint(s.TransferBytes, 10)),
		}
		if s.Class != "" {
			words = append(words, string(s.Class))
		}
		if len(nodes[s.Processes]) > 1 {
			words = append(words, strconv.Itoa(s.Nodes), "nodes")
		}
		for _, setting := range s.Conditions {
			words = append(words, conditionWords(setting)...)
		}
		names[i] = toColumnName(strings.Join(words, "_"))
		if w := what(s); !slices.Contains(whats[names[i]], w) {
			whats[names[i]] = append(whats[names[i]], w)
		}
	}
	for i, s := range all {
		if len(whats[names[i]]) > 1 {
			names[i] += "_" + shortDigest(what(s))
		}
		names[i] += "_" + s.UnitSuffix()
	}
	return names
}

// nodesByProcesses returns, for each number of processes, the different numbers of nodes on which series used that many
// processes.
func nodesByProcesses(all []history.Series) map[int][]int {
	nodes := map[int][]int{}
	for _, s := range all {
		if !slices.Contains(nodes[s.Processes], s.Nodes) {
			nodes[s.Processes] = append(nodes[s.Processes], s.Nodes)
		}
	}
	return nodes
}

// maxValueLength is the maximum number of characters of a value in a column name. A longer value is replaced by a
// digest.
const maxValueLength = 32

// conditionWords returns the words that describe a condition in a column name. For the condition page_cache it returns
// a word only if reads were warm (from the page cache).
func conditionWords(s history.Condition) []string {
	value := toColumnName(s.Value)
	switch {
	case s.Name == "page_cache" && s.Value != history.WarmCache:
		return nil
	case s.Name == "page_cache":
		return []string{value}
	case value == "true":
		return []string{s.Name}
	case value == "false":
		return []string{"no", s.Name}
	case len(value) > maxValueLength:
		value = shortDigest(s.Value)
	}
	return []string{s.Name, value}
}

// invalidNameCharacters matches characters that become _ in column names.
var invalidNameCharacters = regexp.MustCompile(`[^a-z0-9]+`)

// toColumnName converts text to small letters, digits and underscores.
func toColumnName(text string) string {
	return strings.Trim(invalidNameCharacters.ReplaceAllString(strings.ToLower(text), "_"), "_")
}

// shortDigest returns 6 hexadecimal digits of a hash of text.
func shortDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum[:3])
}
