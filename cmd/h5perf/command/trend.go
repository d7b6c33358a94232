package command

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"h5perf/pkg/exit"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Trend is the command trend: it looks for changes in series of runs.
type Trend struct {
	Documents  []string     `arg:"" placeholder:"DIR" help:"Documents: directories, files or quoted patterns."`
	JSON       bool         `name:"json" xor:"form" help:"Print the series and their shifts as JSON."`
	CSV        bool         `name:"csv" xor:"form" help:"Print the medians of each run, a column for each point, as CSV."`
	Basis      result.Basis `placeholder:"window|slowest" help:"Rest all throughputs on windows, or on the time of the slowest process, which all runs have. Default: what each run has; a series is of one of both."`
	Cluster    string       `placeholder:"NAME" help:"Only runs of this cluster."`
	Filesystem string       `placeholder:"NAME" help:"Only runs of this file system."`
	Label      string       `placeholder:"NAME" help:"Only runs of this label."`
}

// Run runs the command.
func (t Trend) Run(env Env) error {
	if err := checkBasis(t.Basis); err != nil {
		return &InputError{err}
	}
	selection := history.Selection{
		Identity: result.Identity{Cluster: t.Cluster, Filesystem: t.Filesystem, Label: t.Label},
	}
	// Little of each document is kept. At the default setting, garbage collection takes a third of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	trend, err := history.FindTrend(selection, t.Basis, t.Documents...)
	if err != nil {
		return &InputError{err}
	}
	if trend.Runs+len(trend.Unused) == 0 {
		return &InputError{errors.New("none of the documents is of the cluster, file system and label that were given")}
	}
	write := trendText
	switch {
	case t.JSON:
		write = trendJSON
	case t.CSV:
		write = trendCSV
	}
	if err := write(env.Stdout, trend); err != nil {
		return fmt.Errorf("trend: %w", err)
	}
	if len(trend.Series) == 0 {
		return &StatusError{
			exit.Failed,
			fmt.Sprintf("no run has figures: %d runs are complete, %d are not used", trend.Runs, len(trend.Unused)),
		}
	}
	return nil
}

func trendJSON(w io.Writer, t history.Trend) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(t)
}

// trendCSV writes a row for each run and a column for each point. The cell of a point that a run does not have is
// empty.
func trendCSV(w io.Writer, t history.Trend) error {
	type row struct {
		run     history.Run
		of      result.Identity
		figures map[string]float64
	}
	var columns []string
	rows := map[string]*row{}
	for _, s := range t.Series {
		column := columnName(s)
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
		cells := []string{r.run.Started.UTC().Format(time.RFC3339), id, r.of.Cluster, r.of.Filesystem, r.of.Label}
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

// columnName returns the name of a point: direction, API, processes, bytes of a transfer, and the settings that
// identify it.
func columnName(s history.Series) string {
	words := []string{string(s.Operation), s.API, strconv.Itoa(s.Processes), strconv.FormatUint(s.TransferBytes, 10)}
	for _, setting := range s.Settings {
		words = append(words, setting.Name+"="+setting.Value)
	}
	return strings.Join(words, "_") + "_bytes_per_second"
}

// trendText writes the trend as text.
func trendText(w io.Writer, t history.Trend) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d runs", t.Runs)
	if first, last, found := span(t); found {
		fmt.Fprintf(&b, " from %s to %s", minute(first), minute(last))
	}
	fmt.Fprintf(&b, "; %d not used\n", len(t.Unused))
	for _, u := range t.Unused {
		fmt.Fprintf(&b, "not used: %s %s %s %s\n", minute(u.Started), u.State, u.Path, u.Message)
	}
	byWindow := func(s history.Series) bool { return s.Basis == result.BasisWindow }
	if len(t.Series) > 0 && !slices.ContainsFunc(t.Series, byWindow) {
		fmt.Fprintf(&b, "%s\n", bySlowest)
	}
	b.WriteByte('\n')
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "verdict\tpoint\truns\tlast run\tsince\tdifference\t"+stats.Interval+"\tp, corrected")
	changed := 0
	for _, s := range t.Series {
		verdict := string(s.Verdict)
		if s.Verdict == history.NotComparable {
			verdict = "too few runs"
		}
		last := s.Runs[len(s.Runs)-1]
		row := []string{
			verdict, seriesName(s), strconv.Itoa(len(s.Runs)), units.FormatRate(last.Median), "", "", "", "",
		}
		if n := len(s.ChangePoints); n > 0 {
			changed++
			copy(row[4:], changeCells(s.ChangePoints[n-1]))
		}
		_, _ = fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	_ = table.Flush() // writing to a builder cannot fail
	b.WriteByte('\n')
	for _, s := range t.Series {
		for i, change := range s.ChangePoints {
			cells := changeCells(change)
			if i < len(s.ChangePoints)-1 {
				fmt.Fprintf(&b, "%s: before that, since %s: %s (%s), p %s\n", seriesName(s), cells[0], cells[1],
					cells[2], cells[3])
			}
			for _, d := range change.Differs {
				fmt.Fprintf(&b, "%s: at %s differs: %s\n", seriesName(s), cells[0], d)
			}
		}
	}
	for _, line := range redefined(t) {
		fmt.Fprintf(&b, "%s\n", line)
	}
	fmt.Fprintf(&b,
		"%d series: %d with a shift. Where nothing changes, looking once shows a shift anywhere in at "+
			"most 5 %% of trees.\n", len(t.Series), changed)
	_, err := io.WriteString(w, b.String())
	return err
}

// span returns when the first and the last run started, and whether there is any.
func span(t history.Trend) (first, last time.Time, found bool) {
	for _, s := range t.Series {
		begin, end := s.Runs[0].Started, s.Runs[len(s.Runs)-1].Started
		if !found || begin.Before(first) {
			first = begin
		}
		if !found || end.After(last) {
			last = end
		}
		found = true
	}
	return first, last, found
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func seriesName(s history.Series) string {
	return strings.Join([]string{
		pointName(s.Place, s.Settings), s.Identity.Cluster, s.Identity.Filesystem, s.Identity.Label,
	}, ", ")
}

// changeCells returns cells of a change point: its time, the difference, the interval of that, and p.
func changeCells(c history.ChangePoint) []string {
	interval := "too few for one"
	if c.Low != nil && c.High != nil {
		interval = percent(*c.Low) + " to " + percent(*c.High)
	}
	return []string{minute(c.Since), percent(c.Ratio), interval, strconv.FormatFloat(c.CorrectedP, 'g', 2, 64)}
}
