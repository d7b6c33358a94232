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
	"time"

	"h5perf/pkg/exit"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// Trend is the command trend: it looks for changes in series of runs.
type Trend struct {
	Documents  []string     `arg:"" placeholder:"DIR" help:"Documents: directories, files or quoted patterns."`
	JSON       bool         `name:"json" xor:"form" help:"Print the series and their shifts as JSON."`
	CSV        bool         `name:"csv" xor:"form" help:"Print the medians of each run, a column for each point, as CSV."`
	Nightly    bool         `help:"Look as is right after each night: a false alarm in a whole year has a probability of 5 %, not in each look."`
	Basis      result.Basis `placeholder:"window|slowest" help:"Rest all throughputs on windows, or on the time of the slowest process, which all runs have. Default: what each run has; a series is of one of both."`
	Cluster    string       `placeholder:"NAME" help:"Only runs of this cluster."`
	Filesystem string       `placeholder:"NAME" help:"Only runs of this file system."`
	Label      string       `placeholder:"NAME" help:"Only runs of this label."`

	FailOnWorse *float64 `placeholder:"PERCENT" help:"Exit with 1 when the last shift of a series, or of a group of them, is a fall by at least this much."`
}

// Run runs the command.
func (t Trend) Run(env Env) error {
	if err := checkWorse(t.FailOnWorse); err != nil {
		return err
	}
	if err := checkBasis(t.Basis); err != nil {
		return &InputError{err}
	}
	selection := history.Selection{
		Identity: result.Identity{Cluster: t.Cluster, Filesystem: t.Filesystem, Label: t.Label},
	}
	// Little of each document is kept. At the default setting, garbage collection takes a third of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	options := history.TrendOptions{Selection: selection, Basis: t.Basis, Nightly: t.Nightly}
	trend, err := history.FindTrend(options, t.Documents...)
	if err != nil {
		return &InputError{err}
	}
	tellSkipped(env, trend.Skipped)
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
	return t.status(trend)
}

// status returns the error with which the command ends, or nil.
func (t Trend) status(trend history.Trend) error {
	if t.FailOnWorse == nil {
		return nil
	}
	var bad []string
	check := func(name string, changes []history.ChangePoint) {
		if n := len(changes); n > 0 && 100*(1-changes[n-1].Ratio) >= *t.FailOnWorse {
			last := changes[n-1]
			bad = append(bad,
				fmt.Sprintf("%s: worse by %.3g %% since %s", name, 100*(1-last.Ratio), minute(last.Since)))
		}
	}
	for _, g := range trend.Groups {
		check(groupName(g), g.ChangePoints)
	}
	for _, s := range trend.Series {
		check(seriesName(s), s.ChangePoints)
	}
	if len(bad) > 0 {
		return &StatusError{exit.Failed, strings.Join(bad, "\nh5perf: ")}
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
