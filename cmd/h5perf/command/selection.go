package command

import (
	"errors"
	"fmt"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// selection is the options that select runs by what they are of.
type selection struct {
	Cluster    string `placeholder:"NAME" help:"Only runs of this cluster."`
	Filesystem string `placeholder:"NAME" help:"Only runs of this file system."`
	Label      string `placeholder:"NAME" help:"Only runs of this label."`
}

// identity returns the identity of the options. It may be incomplete.
func (s selection) identity() result.Identity {
	return result.Identity{Cluster: s.Cluster, Filesystem: s.Filesystem, Label: s.Label}
}

// partial is the option that takes the figures of runs that are not complete.
type partial struct {
	Partial bool `help:"Take runs that failed or were interrupted, too, with the figures of what they had measured by then."`
}

// recent is the options that select runs by when they started.
type recent struct {
	Since  string `placeholder:"TIME" help:"Only runs that started then or later: 2026-11-01, 2026-11-01T08:00:00Z, or an age such as 30d, 6w or 12h."`
	Latest bool   `help:"Only the run of each cluster, file system and label that started last."`
}

// add adds the options to a selection.
func (r recent) add(s history.Selection, now time.Time) (history.Selection, error) {
	s.Latest = r.Latest
	if r.Since == "" {
		return s, nil
	}
	var err error
	s.Since, err = moment(r.Since, now)
	return s, err
}

// moment parses a day, a time, or an age. Without a zone, a time is in UTC.
func moment(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	var a age
	if err := a.UnmarshalText([]byte(text)); err == nil {
		return now.Add(-time.Duration(a)), nil
	}
	return time.Time{}, &InputError{
		fmt.Errorf("%q is no time: give 2026-11-01, 2026-11-01T08:00:00Z, or an age such as 30d, 6w or 12h", text),
	}
}

// errNone is the error of options that select none of the documents.
var errNone = &InputError{errors.New("none of the documents is of a run that the options select")}
