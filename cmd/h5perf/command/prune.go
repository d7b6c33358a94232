package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"h5perf/pkg/metrics"
)

// Prune is the command prune, which removes old groups of metrics from a Pushgateway.
type Prune struct {
	gatewayOptions
	OlderThan age  `required:"" placeholder:"AGE" help:"Remove groups whose last run ended longer ago than this, such as 30d, 6w or 12h."`
	DryRun    bool `help:"Show what would be removed, and do not remove it."`
}

// Run runs the command. It does not change groups of other programs. It also keeps a group of h5perf if the end time of
// its last run is missing or not valid, and returns an error for this group.
func (p Prune) Run(env Env) error {
	g, err := p.openGateway(env)
	if err != nil {
		return err
	}
	there, unclear, err := g.RunEndTimes(context.Background())
	if err != nil {
		return err
	}
	before := env.Now().Add(-time.Duration(p.OlderThan))
	var old []metrics.GroupingKey
	for group, end := range there {
		if end.Before(before) {
			old = append(old, group)
		}
	}
	slices.SortFunc(old, func(a, b metrics.GroupingKey) int {
		return cmp.Or(there[a].Compare(there[b]), strings.Compare(a.String(), b.String()))
	})
	what := "removed"
	if p.DryRun {
		what = "would remove"
	}
	var errs []error
	for _, group := range slices.SortedFunc(maps.Keys(unclear), func(a, b metrics.GroupingKey) int {
		return strings.Compare(a.String(), b.String())
	}) {
		errs = append(errs, fmt.Errorf("not removed: %s: its last run ended at %q, which is not a time; "+
			"'h5perf push --delete' removes the group", group, unclear[group]))
	}
	for _, group := range old {
		if !p.DryRun {
			if err := g.Delete(context.Background(), group); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", group, err))
				continue
			}
		}
		errs = append(errs, env.printLine("%s %s: its last run ended at %s", what, group,
			there[group].UTC().Format(time.RFC3339)))
	}
	errs = append(errs, env.printLine("groups whose last run ended before %s: %d of %d",
		before.UTC().Format(time.RFC3339), len(old), len(there)+len(unclear)))
	return errors.Join(errs...)
}

// age is a duration that may be written in days or weeks, such as 30d or 6w.
type age time.Duration

// UnmarshalText parses a whole number of weeks (w) or days (d), or a duration in the format of time.ParseDuration.
func (a *age) UnmarshalText(text []byte) error {
	word := string(text)
	for suffix, hours := range map[string]int{"d": 24, "w": 7 * 24} {
		if digits, found := strings.CutSuffix(word, suffix); found {
			n, err := strconv.ParseUint(digits, 10, 14)
			if err != nil {
				return fmt.Errorf("%q is not an age such as 30d, 6w or 12h", word)
			}
			*a = age(time.Duration(n) * time.Duration(hours) * time.Hour)
			return nil
		}
	}
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not an age such as 30d, 6w or 12h", word)
	}
	*a = age(d)
	return nil
}
