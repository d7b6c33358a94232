package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/metrics"
	"h5perf/pkg/units"
)

// Push is the command push, which pushes documents to a Pushgateway.
type Push struct {
	gatewayOptions
	Documents []string `arg:"" optional:"" placeholder:"DOCUMENT ..." help:"Documents: files, directories or quoted patterns. A group is all documents with the same cluster, file system and label. For each group, the run that ended last is pushed, unless the gateway has a later one."`
	Replay    bool     `brief:"" help:"Push the documents in the spool (H5PERF_SPOOL) for this gateway and user, and remove them from the spool."`
	Delete    bool     `brief:"" help:"Remove groups from the gateway. With documents: the groups of these documents. Without documents: the group with the given --cluster, --filesystem and --label."`
	selectionOptions
	partialOptions
}

// Run runs the command.
func (p Push) Run(env Env) error {
	named := p.Cluster != "" && p.Filesystem != "" && p.Label != ""
	switch {
	case p.Replay && p.Delete:
		return &InputError{errors.New("--replay and --delete cannot be used together")}
	case p.Replay && len(p.Documents) > 0:
		return &InputError{errors.New("--replay pushes only the documents in the spool; leave other documents out")}
	case p.Delete && len(p.Documents) == 0 && p.Since+p.Until != "", p.Delete && len(p.Documents) == 0 && p.Latest > 0:
		return &InputError{
			errors.New("--since, --until and --latest select documents: give documents, or leave these options out"),
		}
	case !p.Replay && len(p.Documents) == 0 && (!p.Delete || !named):
		return &InputError{
			errors.New("nothing to push: give documents, --replay, or --delete with all of --cluster, " +
				"--filesystem and --label"),
		}
	}
	selected, err := p.parseSelection(env.Now())
	if err != nil {
		return err
	}
	g, err := p.openGateway(env)
	if err != nil {
		return err
	}
	if p.Replay {
		return p.replaySpool(env, g, selected)
	}
	if p.Delete && len(p.Documents) == 0 {
		return removeGroups(env, g, []metrics.GroupingKey{{Identity: selected.Identity}})
	}
	records, skipped, err := history.LoadSelected(selected, p.Documents...)
	if err != nil {
		return &InputError{err}
	}
	printSkipped(env, skipped)
	if p.Delete {
		var groups []metrics.GroupingKey
		for _, r := range records {
			if group := (metrics.GroupingKey{Identity: r.Identity}); !slices.Contains(groups, group) {
				groups = append(groups, group)
			}
		}
		return removeGroups(env, g, groups)
	}
	return p.pushLatest(env, g, records, func(string) error { return nil })
}

// replaySpool pushes the documents that wait in the spool for this gateway, and removes them from the spool.
func (p Push) replaySpool(env Env, g *metrics.Gateway, selected history.Selection) error {
	spool, err := metrics.SpoolOf(env.Lookup)
	if err != nil {
		return &InputError{err}
	}
	to := g.Destination()
	documents, unread := spool.Documents(to)
	var records []history.Record
	for path, doc := range documents {
		records = append(records, history.Record{Path: path, Document: doc})
	}
	others, err := spool.PendingForOthers(to)
	if err != nil {
		return err
	}
	for _, w := range others {
		env.printNote("%s for %s left in the spool; 'h5perf push %s' pushes them to this gateway",
			units.Count(w.Count, "document", "documents"), w.Destination, w.Dir)
	}
	if len(records) == 0 && unread == nil {
		return env.printLine("the spool %s has no document for %s", spool, to)
	}
	if len(records) > 0 {
		if records, err = selected.Select(records); err != nil {
			return &InputError{fmt.Errorf("spool %s: %w", spool, err)}
		}
	}
	return errors.Join(unread, p.pushLatest(env, g, records, os.Remove), spool.RemoveIfEmpty(to))
}

// pushLatest pushes, for each group, the document of the run that ended last, unless the gateway has a later run. It
// calls done for each document that it pushed or does not need to push.
func (p Push) pushLatest(env Env, g *metrics.Gateway, records []history.Record, done func(path string) error) error {
	ended := slices.DeleteFunc(slices.Clone(records), func(r history.Record) bool { return r.Finished == nil })
	for _, r := range records {
		if r.Finished == nil {
			env.printNote("%s is left out: its run has not ended", r.Path)
		}
	}
	if len(ended) == 0 {
		return &InputError{errors.New("no run has ended")}
	}
	slices.SortFunc(ended, func(a, b history.Record) int { return b.Finished.Compare(*a.Finished) })
	there, _, err := g.RunEndTimes(context.Background())
	if err != nil {
		return err
	}
	var errs []error
	failed := map[metrics.GroupingKey]bool{}
	for _, r := range ended {
		group := metrics.GroupingKey{Identity: r.Identity}
		switch end, found := there[group]; {
		case failed[group]:
			continue
		case found && end.After(r.Finished.Truncate(time.Millisecond)):
			errs = append(errs, env.printLine("left out %s: the gateway has a later run of %s, which ended at %s",
				r.Path, group, end.UTC().Format(time.RFC3339)))
		default:
			if err := g.Push(context.Background(), r.Document, p.Partial); err != nil {
				errs, failed[group] = append(errs, fmt.Errorf("%s: %w", r.Path, err)), true
				continue
			}
			there[group] = *r.Finished
			left := ""
			if n := metrics.NumOmittedPoints(r.Document, p.Partial); n > 0 {
				left = fmt.Sprintf("; use --partial to include its %s", units.Count(n, "figure", "figures"))
			}
			errs = append(errs, env.printLine("pushed %s: %s, %s%s", r.Path, group, r.State, left))
		}
		if err := done(r.Path); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func removeGroups(env Env, g *metrics.Gateway, groups []metrics.GroupingKey) error {
	there, unclear, err := g.RunEndTimes(context.Background())
	if err != nil {
		return err
	}
	for _, group := range groups {
		// Results of trend may be there without a run.
		if err := g.Delete(context.Background(), group); err != nil {
			return fmt.Errorf("%s: %w", group, err)
		}
		done := "removed"
		_, found := there[group]
		if _, strange := unclear[group]; !found && !strange {
			done = "not on the gateway:"
		}
		if err := env.printLine("%s %s", done, group); err != nil {
			return err
		}
	}
	return nil
}
