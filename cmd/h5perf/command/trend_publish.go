package command

import (
	"context"
	"errors"
	"fmt"

	"h5perf/pkg/history"
	"h5perf/pkg/metrics"
	"h5perf/pkg/result"
)

// newPublisher returns a function that publishes the findings of a trend: it pushes them to a gateway or writes them to
// a textfile, as the options ask for.
func (t Trend) newPublisher(env Env, selected history.Selection) (func(history.Trend) error, error) {
	if t.Textfile != "" {
		err := metrics.CheckTextfile(t.Textfile)
		if err == nil {
			err = metrics.Textfile.Check(t.Textfile, t.Force)
		}
		if err != nil {
			return nil, &InputError{fmt.Errorf("--textfile: %w", err)}
		}
	}
	var to *metrics.Gateway
	if t.Push {
		var err error
		if to, err = t.openGateway(env); err != nil {
			return nil, err
		}
	}
	return func(trend history.Trend) error {
		if to == nil && t.Textfile == "" {
			return nil
		}
		judged, err := t.lastJudgedRuns(trend, selected)
		if err != nil {
			return err
		}
		var errs []error
		for _, j := range judged {
			if to == nil {
				break
			}
			if err := to.PushTrend(context.Background(), j); err != nil {
				of := metrics.GroupingKey{Identity: j.Last.Identity}
				errs = append(errs, fmt.Errorf("not pushed: trend of %s: %w", of, err))
			}
		}
		if t.Textfile != "" {
			errs = append(errs, metrics.WriteTrendTextfile(t.Textfile, t.Force, judged))
		}
		return errors.Join(errs...)
	}, nil
}

// lastJudgedRuns returns the last run of the trend for each combination of cluster, file system and label.
func (t Trend) lastJudgedRuns(trend history.Trend, selected history.Selection) (all []metrics.TrendLastRun, err error) {
	last := map[result.Identity]history.SeriesRun{}
	for _, s := range trend.Series {
		if r := s.Runs[len(s.Runs)-1]; !r.Started.Before(last[s.Identity].Started) {
			last[s.Identity] = r
		}
	}
	wanted := map[string]bool{}
	for _, r := range last {
		wanted[r.RunID] = true
	}
	kept, _, err := history.Collect(selected, func(r history.Record) *history.Record {
		if !wanted[r.RunID] {
			return nil
		}
		return &r
	}, t.Documents...)
	if err != nil {
		return nil, fmt.Errorf("trend: %w", err)
	}
	for _, r := range kept {
		if r != nil && wanted[r.RunID] {
			all = append(all, metrics.TrendLastRun{Last: r.Document, Trend: trend})
			delete(wanted, r.RunID)
		}
	}
	return all, nil
}
