package command

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/alecthomas/kong"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// identityOptions holds the options that select runs by their identity: cluster, file system and label.
type identityOptions struct {
	Cluster    string `placeholder:"NAME" help:"Only runs of this cluster."`
	Filesystem string `placeholder:"NAME" help:"Only runs of this file system."`
	Label      string `placeholder:"NAME" help:"Only runs with this label."`
}

// wantedIdentity returns the cluster, file system and label that the options select. An empty field selects any value.
func (i identityOptions) wantedIdentity() result.Identity {
	return result.Identity{Cluster: i.Cluster, Filesystem: i.Filesystem, Label: i.Label}
}

// selectionOptions holds the options that select runs. All commands that read many documents have these options.
type selectionOptions struct {
	identityOptions
	Since  string      `placeholder:"TIME" brief:"" help:"Only runs that started at this time or later: 2026-11-01, 2026-11-01T08:00:00Z, or an age such as 30d, 6w or 12h."`
	Until  string      `placeholder:"TIME" help:"Only runs that started before this time; see --since. A date without a time of day means its midnight, so --until 2026-11-30 leaves out the runs of that day."`
	Latest latestCount `placeholder:"[N]" brief:"" help:"Only the last N runs of each cluster, file system and label; without a number, the last one."`
}

func (s selectionOptions) parseSelection(now time.Time) (selected history.Selection, err error) {
	selected = history.Selection{Identity: s.wantedIdentity(), Latest: int(s.Latest)}
	if selected.Since, err = parseTimeOption("--since", s.Since, now); err != nil {
		return selected, err
	}
	if selected.Until, err = parseTimeOption("--until", s.Until, now); err != nil {
		return selected, err
	}
	if !selected.Until.IsZero() && !selected.Since.Before(selected.Until) {
		return selected, &InputError{
			fmt.Errorf("--since %s --until %s: the time of --since must be before that of --until", s.Since, s.Until),
		}
	}
	return selected, nil
}

// parseTimeOption parses the value of a time option. If value is empty, because the option was not given, it returns
// the zero time.
func parseTimeOption(option, value string, now time.Time) (t time.Time, err error) {
	if value == "" {
		return t, nil
	}
	if t, err = parseTime(value, now); err != nil {
		err = &InputError{fmt.Errorf("%s: %w", option, err)}
	}
	return t, err
}

// latestCount is the value of the option --latest: how many of the latest runs to select. Without a number, the option
// means 1.
type latestCount int

// Decode implements kong.MapperValue.
func (l *latestCount) Decode(ctx *kong.DecodeContext) error {
	next := ctx.Scan.Peek()
	n, err := strconv.Atoi(next.String())
	number := err == nil || errors.Is(err, strconv.ErrRange)
	switch {
	case next.Type != kong.FlagValueToken && (next.IsEOL() || !number):
		*l = 1
		return nil
	case err != nil || n < 1:
		return fmt.Errorf("%q is not a number of runs, such as 1 or 30", next.String())
	}
	ctx.Scan.Pop()
	*l = latestCount(n)
	return nil
}

// parseTime parses a date, a time, or an age such as 30d, which means 30 days before now. A time without a zone is in
// UTC.
func parseTime(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	var a age
	if err := a.UnmarshalText([]byte(text)); err == nil {
		return now.Add(-time.Duration(a)), nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time: give 2026-11-01, 2026-11-01T08:00:00Z, or an age "+
		"such as 30d, 6w or 12h", text)
}

// partialOptions holds the option that includes results of runs that are not complete.
type partialOptions struct {
	Partial bool `help:"Include runs that failed or were interrupted, with what they had measured by then."`
}
