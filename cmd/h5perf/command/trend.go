package command

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"h5perf/pkg/exit"
	"h5perf/pkg/history"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// Trend is the command trend: it looks for changes in series of runs.
type Trend struct {
	gateway
	Documents []string `arg:"" placeholder:"DIR" help:"Documents: directories, files or quoted patterns."`
	JSON      bool     `name:"json" xor:"form" help:"Print the series and their shifts as JSON."`
	CSV       bool     `name:"csv" xor:"form" help:"Print the medians of each run, a column for each point, as CSV."`
	Push      bool     `help:"Push what was found to the Pushgateway, for each cluster, file system and label: rules and dashboards of h5perf use it."`
	Textfile  string   `placeholder:"FILE" help:"Write what was found to FILE for the textfile collector of node_exporter; it ends in .prom."`
	overwriting
	Nightly   bool         `help:"Look as is right after each night: a false alarm in a whole year has a probability of 5 %, not in each look."`
	Reference string       `placeholder:"DIR" help:"The tree that keeps the reference which the present is compared with. Default: the directories among the documents."`
	Basis     result.Basis `placeholder:"window|slowest" help:"Rest all throughputs on windows, or on the time of the slowest process, which all runs have. Default: what each run has; a series is of one of both."`
	selection
	partial

	FailOnWorse *float64 `placeholder:"PERCENT" help:"Exit with 1 when a series, or a group of them, is by at least this much below its reference, or else when its last shift is a fall by at least this much."`
}

// Run runs the command.
func (t Trend) Run(env Env) error {
	if err := checkWorse(t.FailOnWorse); err != nil {
		return err
	}
	if err := checkBasis(t.Basis); err != nil {
		return &InputError{err}
	}
	selected, err := t.selection.parse(env.Now())
	if err != nil {
		return err
	}
	publish, err := t.publisher(env, selected)
	if err != nil {
		return err
	}
	references, err := t.references()
	if err != nil {
		return &InputError{err}
	}
	// Little of each document is kept. At the default setting, garbage collection takes a third of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	options := history.TrendOptions{
		Selection: selected, Basis: t.Basis, Nightly: t.Nightly, Partial: t.Partial, References: references,
	}
	trend, err := history.FindTrend(options, t.Documents...)
	if err != nil {
		return &InputError{err}
	}
	tellSkipped(env, trend.Skipped)
	write := trendText
	switch {
	case t.JSON:
		write = func(w io.Writer, t history.Trend) error { return plain.JSON(w, t) }
	case t.CSV:
		write = trendCSV
	}
	if err := write(env.Stdout, trend); err != nil {
		return fmt.Errorf("trend: %w", err)
	}
	if len(trend.Series) == 0 {
		return &StatusError{
			exit.Failed,
			fmt.Sprintf("no run has figures: %d runs are used, %d are not", trend.Runs, len(trend.Unused)),
		}
	}
	return errors.Join(publish(trend), t.status(trend))
}

// status returns the error with which the command ends, or nil.
func (t Trend) status(trend history.Trend) error {
	if t.FailOnWorse == nil {
		return nil
	}
	var bad []error
	fell := func(format string, args ...any) {
		bad = append(bad, &StatusError{exit.Failed, fmt.Sprintf(format, args...)})
	}
	much := func(ratio float64) bool { return 100*(1-ratio) >= *t.FailOnWorse }
	referred := map[result.Identity]bool{}
	check := func(name string, of result.Identity, changes []history.ChangePoint, reference *history.Distance) {
		switch n := len(changes); {
		case reference != nil && reference.Verdict == history.Worse && much(reference.Ratio):
			fell("%s: %.3g %% below the reference of %s", name, 100*(1-reference.Ratio), minute(reference.Set))
		case !referred[of] && n > 0 && much(changes[n-1].Ratio):
			fell("%s: worse by %.3g %% since %s", name, 100*(1-changes[n-1].Ratio), minute(changes[n-1].Since))
		}
	}
	for _, r := range trend.References {
		referred[r.Identity] = true
		if len(r.Missing) == len(r.Runs) {
			fell("nothing is compared with the reference of %s, %s, %s: none of its runs is among these",
				r.Identity.Cluster, r.Identity.Filesystem, r.Identity.Label)
		}
	}
	for _, g := range trend.Groups {
		check(groupName(g), g.Identity, g.ChangePoints, g.Reference)
	}
	for _, s := range trend.Series {
		check(seriesName(s), s.Identity, s.ChangePoints, s.Reference)
	}
	return errors.Join(bad...)
}

// references returns the references that hold now.
func (t Trend) references() (all []history.Pinned, err error) {
	trees := []string{t.Reference}
	if t.Reference == "" {
		trees = t.Documents
	}
	for _, dir := range trees {
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.IsDir():
			pinned, err := history.References(dir)
			if err != nil {
				return nil, err
			}
			all = append(all, pinned...)
		case t.Reference != "" && err == nil:
			return nil, fmt.Errorf("--reference %s: no directory", dir)
		case t.Reference != "":
			return nil, fmt.Errorf("--reference: %w", err)
		}
	}
	slices.SortStableFunc(all, func(a, b history.Pinned) int { return a.Time.Compare(b.Time) })
	return history.Current(all), nil
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
			cells = append(cells, plain.Cell(text))
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

// notInNames matches what the names of columns have a _ for.
var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// columnNames returns the names of the columns of series: direction, API, processes, bytes of a transfer, and the
// settings that tell them apart, in small letters, digits and underscores. Series of different clusters, file systems
// and labels share a column. Others do not: where names are the same, the later ones have a number at the end.
func columnNames(all []history.Series) []string {
	names, taken := make([]string, len(all)), map[string]string{} // what a name stands for
	for i, s := range all {
		words := []string{
			string(s.Operation), s.API, strconv.Itoa(s.Processes), strconv.FormatUint(s.TransferBytes, 10),
		}
		for _, setting := range s.Settings {
			words = append(words, setting.Name, setting.Value)
		}
		what := fmt.Sprint(s.Place, s.Settings)
		base := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(strings.Join(words, "_")), "_"), "_")
		name := base
		for n := 2; taken[name] != "" && taken[name] != what; n++ {
			name = base + "_" + strconv.Itoa(n)
		}
		taken[name] = what
		names[i] = name + "_bytes_per_second"
	}
	return names
}
