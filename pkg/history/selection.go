package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"h5perf/pkg/result"
)

// Selection selects runs. The zero value selects all.
type Selection struct {
	Since, Until time.Time       // the run started in [Since, Until); a zero time is no limit
	Identity     result.Identity // fields that are set must be equal
	Latest       int             // of each identity, only so many runs that started last; 0 is no limit
}

// Selects reports whether the selection includes a document, apart from Latest.
func (s Selection) Selects(d result.Document) bool { return s.of(d.Identity) && s.at(d.Started) }

// of reports whether the selection includes runs of an identity.
func (s Selection) of(i result.Identity) bool {
	for _, p := range parts {
		if wanted := p.of(s.Identity); wanted != "" && wanted != p.of(i) {
			return false
		}
	}
	return true
}

// at reports whether the selection includes runs that started at a time.
func (s Selection) at(t time.Time) bool {
	return (s.Since.IsZero() || !t.Before(s.Since)) && (s.Until.IsZero() || t.Before(s.Until))
}

// Select returns the selected ones of records, which it sorts by the start of their runs. It is an error if there is
// none.
func (s Selection) Select(records []Record) (all []Record, err error) {
	slices.SortStableFunc(records, func(a, b Record) int { return a.Started.Compare(b.Started) })
	var there []one
	for _, r := range records {
		there = append(there, oneOf(r))
		if s.Selects(r.Document) {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil, s.none(there)
	}
	return latest(all, s.Latest, func(r Record) result.Identity { return r.Identity }), nil
}

// one is what selects a run.
type one struct {
	path, id string
	of       result.Identity
	started  time.Time
	ended    bool
}

func oneOf(r Record) one {
	return one{path: r.Path, id: r.RunID, of: r.Identity, started: r.Started, ended: r.Finished != nil}
}

// latest returns the last n of each identity; all, if n is 0. all is in the order of starts.
func latest[T any](all []T, n int, of func(T) result.Identity) (last []T) {
	seen := map[result.Identity]int{}
	for _, r := range slices.Backward(all) {
		if seen[of(r)]++; n == 0 || seen[of(r)] <= n {
			last = append(last, r)
		}
	}
	slices.Reverse(last)
	return last
}

// parts are the parts of an identity, with their names for people.
var parts = []struct {
	name string
	of   func(result.Identity) string
}{
	{"cluster", func(i result.Identity) string { return i.Cluster }},
	{"file system", func(i result.Identity) string { return i.Filesystem }},
	{"label", func(i result.Identity) string { return i.Label }},
}

// none returns the error of a selection that includes no run. It says what there is. there is in the order of starts.
func (s Selection) none(there []one) error {
	if len(there) == 0 {
		return errors.New("there is no run")
	}
	for _, p := range parts {
		wanted := p.of(s.Identity)
		var values []string
		for _, r := range there {
			values = append(values, p.of(r.of))
		}
		if wanted != "" && !slices.Contains(values, wanted) {
			return fmt.Errorf("no run has the %s %q; %ss here: %s", p.name, wanted, p.name, listed(values))
		}
	}
	var same []one
	var identities []string
	for _, r := range there {
		identities = append(identities, strings.Join([]string{r.of.Cluster, r.of.Filesystem, r.of.Label}, " "))
		if s.of(r.of) {
			same = append(same, r)
		}
	}
	if len(same) == 0 {
		var wanted []string
		for _, p := range parts {
			if value := p.of(s.Identity); value != "" {
				wanted = append(wanted, fmt.Sprintf("the %s %q", p.name, value))
			}
		}
		return fmt.Errorf("no run has %s; cluster, file system and label of the runs here: %s",
			strings.Join(wanted, " and "), listed(identities))
	}
	var limits []string
	if !s.Since.IsZero() {
		limits = append(limits, "at "+second(s.Since)+" or later")
	}
	if !s.Until.IsZero() {
		limits = append(limits, "before "+second(s.Until))
	}
	return fmt.Errorf("no run started %s; the first of %d started at %s, the last at %s", strings.Join(limits, " and "),
		len(same), second(same[0].started), second(same[len(same)-1].started))
}

// mostListed is how many values an error lists.
const mostListed = 10

// listed returns the different values in words.
func listed(values []string) string {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	if n := len(values) - mostListed; n > 0 {
		values = append(values[:mostListed], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(values, ", ")
}

func second(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }
