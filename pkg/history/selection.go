package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"h5perf/pkg/result"
)

// Selection selects runs. The zero value selects all runs.
type Selection struct {
	Since, Until time.Time       // the run started in [Since, Until); the zero time means no limit
	Identity     result.Identity // non-empty fields must be equal
	Latest       int             // only the last runs of each identity, at most this number; 0 means no limit
}

// Selects reports whether the selection includes a document. It ignores Selection.Latest.
func (s Selection) Selects(d result.Document) bool {
	return s.selectsIdentity(d.Identity) && s.selectsTime(d.Started)
}

// selectsIdentity reports whether the selection includes runs of an identity.
func (s Selection) selectsIdentity(i result.Identity) bool {
	for _, p := range identityParts {
		if wanted := p.of(s.Identity); wanted != "" && wanted != p.of(i) {
			return false
		}
	}
	return true
}

// selectsTime reports whether the selection includes runs that started at a time.
func (s Selection) selectsTime(t time.Time) bool {
	return (s.Since.IsZero() || !t.Before(s.Since)) && (s.Until.IsZero() || t.Before(s.Until))
}

// Select returns the selected records, in the order in which their runs started. It sorts its argument. It returns an
// error if no record is selected.
func (s Selection) Select(records []Record) (all []Record, err error) {
	slices.SortStableFunc(records, func(a, b Record) int { return a.Started.Compare(b.Started) })
	var there []runSummary
	for _, r := range records {
		there = append(there, newRunSummary(r))
		if s.Selects(r.Document) {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil, s.noRunError(there)
	}
	return latestPerIdentity(all, s.Latest, func(r Record) result.Identity { return r.Identity }), nil
}

// runSummary holds the data of a run that a selection needs.
type runSummary struct {
	path, id string
	identity result.Identity
	started  time.Time
	ended    bool
}

func newRunSummary(r Record) runSummary {
	return runSummary{path: r.Path, id: r.RunID, identity: r.Identity, started: r.Started, ended: r.Finished != nil}
}

// latestPerIdentity returns, for each identity, its last n elements, or all elements if n is 0. all is sorted by start.
func latestPerIdentity[T any](all []T, n int, of func(T) result.Identity) (last []T) {
	seen := map[result.Identity]int{}
	for _, r := range slices.Backward(all) {
		if seen[of(r)]++; n == 0 || seen[of(r)] <= n {
			last = append(last, r)
		}
	}
	slices.Reverse(last)
	return last
}

// identityParts lists the parts of an identity, with names for messages.
var identityParts = []struct {
	name string
	of   func(result.Identity) string
}{
	{"cluster", func(i result.Identity) string { return i.Cluster }},
	{"file system", func(i result.Identity) string { return i.Filesystem }},
	{"label", func(i result.Identity) string { return i.Label }},
}

// noRunError returns the error for a selection that includes no run. The error describes the existing runs, which are
// in there, sorted by start.
func (s Selection) noRunError(there []runSummary) error {
	if len(there) == 0 {
		return errors.New("there is no run")
	}
	for _, p := range identityParts {
		wanted := p.of(s.Identity)
		var values []string
		for _, r := range there {
			values = append(values, p.of(r.identity))
		}
		if wanted != "" && !slices.Contains(values, wanted) {
			return fmt.Errorf("no run has the %s %q; %ss here: %s", p.name, wanted, p.name, listValues(values))
		}
	}
	var same []runSummary
	var identities []string
	for _, r := range there {
		identities = append(identities,
			strings.Join([]string{r.identity.Cluster, r.identity.Filesystem, r.identity.Label}, " "))
		if s.selectsIdentity(r.identity) {
			same = append(same, r)
		}
	}
	if len(same) == 0 {
		var wanted []string
		for _, p := range identityParts {
			if value := p.of(s.Identity); value != "" {
				wanted = append(wanted, fmt.Sprintf("the %s %q", p.name, value))
			}
		}
		return fmt.Errorf("no run has %s; cluster, file system and label of the runs here: %s",
			strings.Join(wanted, " and "), listValues(identities))
	}
	var limits []string
	if !s.Since.IsZero() {
		limits = append(limits, "at "+formatSecond(s.Since)+" or later")
	}
	if !s.Until.IsZero() {
		limits = append(limits, "before "+formatSecond(s.Until))
	}
	return fmt.Errorf("no run started %s; the first of %d started at %s, the last at %s", strings.Join(limits, " and "),
		len(same), formatSecond(same[0].started), formatSecond(same[len(same)-1].started))
}

// maxListed is the maximum number of values that an error lists.
const maxListed = 10

// listValues lists the distinct values, sorted.
func listValues(values []string) string {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	if n := len(values) - maxListed; n > 0 {
		values = append(values[:maxListed], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(values, ", ")
}

func formatSecond(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }
