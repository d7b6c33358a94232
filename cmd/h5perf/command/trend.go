package command

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"h5perf/pkg/history"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// Trend is the command trend, which looks for changes in series of runs, and says where the newest run lies.
type Trend struct {
	gatewayOptions
	Documents []string `arg:"" placeholder:"DOCUMENT ..." missing:"no documents are given; give a file, a directory or a quoted pattern" help:"Documents: files, directories or quoted patterns."`
	JSON      bool     `name:"json" xor:"form" brief:"" help:"Print the series and their lasting changes and incidents as JSON."`
	CSV       bool     `name:"csv" xor:"form" brief:"" help:"Print the medians of each run as CSV, with one column for each result."`
	Push      bool     `brief:"" help:"Push the findings to the Pushgateway, for each cluster, file system and label. Alert rules and dashboards of h5perf use them."`
	Textfile  string   `placeholder:"FILE" help:"Write the findings to FILE for the textfile collector of node_exporter. The name must end in .prom."`
	overwriteOptions
	referenceOptions
	Nightly bool `brief:"" help:"Give this option if the command runs once each night. Then the probability of a false alarm is at most 5 % in a whole year. Without it, the probability is at most 5 % in each call of h5perf trend."`
	selectionOptions
	partialOptions

	FailOnWorse *float64 `placeholder:"PERCENT" brief:"" help:"Exit with status 1 if a series, or a group of series such as all reads, is at least this much below its reference or, without a reference, below its best earlier level. After a single sudden change, this level is the one before the change. Exit with status 1, too, if its ongoing incident is a fall of at least this much, or if the newest run as a whole is lower by at least this much and 40 %. Falls before the last run of the reference do not count, and neither do series that are not measured any more. A fall that a larger group explains is not told again."`
}

// Run runs the command.
func (t Trend) Run(env Env) error {
	if err := checkFailOnWorse(t.FailOnWorse); err != nil {
		return err
	}
	selected, err := t.parseSelection(env.Now())
	if err != nil {
		return err
	}
	publish, err := t.newPublisher(env, selected)
	if err != nil {
		return err
	}
	references, err := t.currentReferences(t.Documents)
	if err != nil {
		return &InputError{err}
	}
	// Little of each document stays in memory. With the default setting, garbage collection would take a third of the
	// time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	options := history.TrendOptions{
		Selection: selected, Nightly: t.Nightly, Partial: t.Partial, References: references,
	}
	trend, err := history.FindTrend(options, t.Documents...)
	if err != nil {
		return &InputError{err}
	}
	printSkipped(env, trend.Skipped)
	write := func(_ io.Writer, t history.Trend) error { return env.printHighlighted(trendText(t)) }
	switch {
	case t.JSON:
		write = func(w io.Writer, t history.Trend) error { return plain.WriteJSON(w, t) }
	case t.CSV:
		write = writeTrendCSV
	}
	if err := write(env.Stdout, trend); err != nil {
		return fmt.Errorf("trend: %w", err)
	}
	if len(trend.Series) == 0 {
		return &ExitStatusError{
			result.ExitFailed,
			fmt.Sprintf("no run has throughputs: %d complete, %d not complete", trend.Runs, len(trend.Unused)),
		}
	}
	return errors.Join(publish(trend), t.exitError(trend))
}

// exitError returns the error that makes trend end with a status other than 0, or nil.
func (t Trend) exitError(trend history.Trend) error {
	if t.FailOnWorse == nil {
		return nil
	}
	var bad []error
	fell := func(format string, args ...any) {
		bad = append(bad, &ExitStatusError{result.ExitFailed, fmt.Sprintf(format, args...)})
	}
	for _, r := range trend.References {
		if len(r.Missing) == len(r.Runs) {
			fell("nothing is compared with the reference of %s, %s, %s: the documents contain none of its runs",
				r.Identity.Cluster, r.Identity.Filesystem, r.Identity.Label)
		}
	}
	for _, d := range trend.DistinctFalls(1 - *t.FailOnWorse/100) {
		fell("%s", fallText(d))
	}
	return errors.Join(bad...)
}
