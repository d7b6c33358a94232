package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unique"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// Trend is the search for change points in all series of a tree of documents.
type Trend struct {
	Version int       `json:"trend_version"`           // 1
	Level   float64   `json:"level"`                   // confidence level of the intervals
	Nightly bool      `json:"nightly"`                 // the search may be repeated every night: see TrendOptions
	Runs    int       `json:"runs"`                    // number of runs used: the complete ones, each once
	Unused  []Unused  `json:"unused_runs"`             // runs that are not used
	Partial []Unused  `json:"partial_runs,omitempty"`  // runs that are used, though they failed or were interrupted
	Skipped []Skipped `json:"skipped_files,omitempty"` // files that are not read
	// references of the identities of these runs
	References []Reference `json:"references,omitempty"`
	Groups     []Group     `json:"groups"` // series that are searched together, too
	Series     []Series    `json:"series"`
	Timelines  []Timeline  `json:"-"` // all runs, for pictures
}

// Group is a group of series of the same runs, which change together where the cause is common to them: all, those of
// one direction, or those of one direction and one API. Groups of fewer than two series of 10 runs are left out.
type Group struct {
	ID       string          `json:"group"` // of all series of these runs, or of the group, the direction, and the API
	Identity result.Identity `json:"identity"`
	// other decisive conditions, if there are groups of the same identity that differ in them
	Settings     []Setting        `json:"settings,omitempty"`
	Operation    result.Operation `json:"operation,omitempty"`
	PageCache    string           `json:"page_cache,omitempty"` // of reads: see cacheOf
	API          string           `json:"api,omitempty"`
	Count        int              `json:"series"`  // number of its series
	Runs         int              `json:"runs"`    // number of its runs
	ChangePoints []ChangePoint    `json:"changes"` // ratios are means of those of its series
	Verdict      Verdict          `json:"verdict"`
	Reference    *Distance        `json:"reference,omitempty"`
	Accepted     time.Time        `json:"-"` // start of the last of its runs that are of the reference: changes until then are accepted
	Power
}

// Scope returns, in words, which series of the same runs are in the group.
func (g Group) Scope() string {
	words := fmt.Sprintf("all %d series", g.Count)
	if g.Operation == "" {
		return words
	}
	words += " of " + string(g.Operation)
	if g.PageCache == Warm {
		words += ", " + Warm
	}
	if g.API != "" {
		words += ", " + result.APIOf(g.API).Label
	}
	return words
}

// Power says what a search could show: what it did not show may be there all the same. Shown means with a probability
// of 0.9.
type Power struct {
	// the largest ratio that would be shown, had a lasting fall begun in the most favourable run; absent with too few
	Visible *float64 `json:"visible_ratio,omitempty"`
	// number of runs until a fall by 20 % is shown that begins with the next run; absent with too few, or if over 1000
	Needed *int `json:"runs_needed,omitempty"`
}

// Unused is a run that is not used because it is not complete, or one that is used though it is not complete.
type Unused struct {
	RunID   string       `json:"run_id"`
	Path    string       `json:"path"`
	Started time.Time    `json:"started"`
	State   result.State `json:"state"`
	Message string       `json:"message,omitempty"` // its first error
	Figures int          `json:"figures,omitempty"` // number of its points, if --partial takes them
}

// Series is one point over many runs, in the order in which the runs started. All runs of a series are
// equal in every decisive condition; a run that differs in one of them belongs to another series.
type Series struct {
	Identity result.Identity `json:"identity"`
	Place
	PageCache    string        `json:"page_cache,omitempty"` // of reads: see cacheOf
	Settings     []Setting     `json:"settings,omitempty"`   // other decisive conditions, if series differ in them
	Runs         []Run         `json:"runs"`
	ChangePoints []ChangePoint `json:"changes"`
	// direction of the last change point; not comparable if fewer than 10 runs
	Verdict   Verdict   `json:"verdict"`
	Reference *Distance `json:"reference,omitempty"`
	Accepted  time.Time `json:"-"` // start of the last of its runs that are of the reference: changes until then are accepted
	Power
	Group string `json:"group"` // ID of the group of all series of its runs
}

// Run is one run of a series. It counts by the median of its samples.
type Run struct {
	RunID   string    `json:"run_id"`
	Started time.Time `json:"started"`
	Median  float64   `json:"median_bytes_per_second"` // median throughput of its samples
	Samples int       `json:"samples"`

	reported unique.Handle[string] // settings whose differences are reported, as JSON
}

// ChangePoint is a run from which on a series is faster or slower than before, up to the next change point.
type ChangePoint struct {
	Since      time.Time `json:"since"` // start of the first run after the change
	RunID      string    `json:"run_id"`
	Index      int       `json:"night"`                // index of that run in the series, from 0
	Slow       bool      `json:"slow,omitempty"`       // little by little from that run on, up to the last runs before the next change
	Ratio      float64   `json:"ratio"`                // throughput after the change, or where a slow one has come to : before it
	Low        *float64  `json:"low_ratio,omitempty"`  // lower bound of the interval; absent with too few values
	High       *float64  `json:"high_ratio,omitempty"` // upper bound of the interval
	CorrectedP float64   `json:"corrected_p"`          // p-value, corrected for the search over all runs, series and groups
	Differs    []Change  `json:"differs,omitempty"`    // conditions that differ between this run and the one before
}

// TrendOptions say how a tree of documents is searched.
type TrendOptions struct {
	Selection Selection

	// Nightly is set where a tree is searched again and again while it grows. The probability of any false alarm in a
	// year is then at most 5 %, instead of that in one search.
	Nightly bool

	// Partial is set where runs are used that failed or were interrupted, with what they have measured.
	Partial bool

	References []Pinned // what the present is compared with; see Current
}

// FindTrend reads the selected runs that names stand for (see Load) and returns the change points of every
// series and of groups of series, found in the medians of its runs by stats.Search.
//
// The probability that any change point is found in a tree in which nothing changes is at most 5 %.
func FindTrend(o TrendOptions, names ...string) (Trend, error) {
	keep := func(r Record) digested { return digest(r, o.Partial) }
	runs, skipped, err := Collect(o.Selection, keep, names...)
	if err != nil {
		return Trend{}, err
	}
	return o.find(runs, skipped)
}

// TrendOf is like FindTrend for documents that were read before, in the order in which their runs started. All of them
// are selected.
func TrendOf(o TrendOptions, records []Record) (Trend, error) {
	runs := make([]digested, len(records))
	for i, r := range records {
		runs[i] = digest(r, o.Partial)
	}
	return o.find(runs, nil)
}

// find returns the change points of the series of runs.
func (o TrendOptions) find(runs []digested, skipped []Skipped) (Trend, error) {
	t := Trend{
		Version: 1, Level: stats.Level, Nightly: o.Nightly, Unused: []Unused{}, Skipped: skipped, Groups: []Group{},
		Series: []Series{},
	}
	index := map[seriesKey]int{}
	settings := [][]Setting{}
	var forest forest
	for _, n := range runs {
		if !n.run.State.Usable(o.Partial) {
			t.Unused = append(t.Unused, n.run)
			continue
		}
		t.Runs++
		if n.run.State != result.Complete {
			t.Partial = append(t.Partial, n.run)
		}
		for _, f := range n.figures {
			i, there := index[f.key]
			if !there {
				i = len(t.Series)
				index[f.key] = i
				t.Series = append(t.Series, Series{
					Identity: f.key.identity, Place: f.key.place, PageCache: f.key.cache,
					ChangePoints: []ChangePoint{}, Verdict: NotComparable,
				})
				settings = append(settings, append(slices.DeleteFunc(parsed(f.key.decisive), ofIdentity),
					Setting{"page_cache", f.key.cache}))
			}
			t.Series[i].Runs = append(t.Series[i].Runs, f.run)
			forest.add(f, i)
		}
	}
	places := make([]Place, len(t.Series))
	for i := range t.Series {
		places[i] = t.Series[i].Place
	}
	for i, kept := range distinguishing(places, settings) {
		t.Series[i].Settings = kept
	}
	conditions := forest.settings()
	forest.search(&t, conditions, o.References)
	t.Timelines = forest.timelines(runs, conditions)
	slices.SortStableFunc(t.Series, func(a, b Series) int {
		return cmp.Or(strings.Compare(a.Identity.Cluster, b.Identity.Cluster),
			strings.Compare(a.Identity.Filesystem, b.Identity.Filesystem),
			strings.Compare(a.Identity.Label, b.Identity.Label), a.compare(b.Place))
	})
	return t, nil
}

// ofIdentity reports whether a setting is part of the identity too.
func ofIdentity(s Setting) bool { return s.Name == "cluster" || s.Name == "filesystem" }

// seriesKey identifies a series.
type seriesKey struct {
	identity result.Identity
	place    Place
	decisive unique.Handle[string] // settings as JSON; thousands of runs share a few values
	cache    string
}

// digested is what FindTrend keeps of a document.
type digested struct {
	run     Unused  // reported if the run is not used
	of      treeKey // the runs that it is comparable with
	figures []figure
}

// figure is one run of one series.
type figure struct {
	key seriesKey
	run Run
}

// digest returns what FindTrend needs of a document. partial is that of FindTrend.
func digest(r Record, partial bool) digested {
	d := digested{run: Unused{RunID: r.RunID, Path: r.Path, Started: r.Started, State: r.State}}
	if r.State != result.Complete {
		if r.State.Usable(true) {
			d.run.Figures = r.Figures()
		}
		if len(r.Errors) > 0 {
			d.run.Message = r.Errors[0].Message
		}
	}
	all := settingsOf(r.Document)
	decisive := unique.Make(text(all.decisive))
	d.of = treeKey{r.Identity, decisive}
	if !r.State.Usable(partial) {
		return d
	}
	reported := unique.Make(text(all.reported))
	for _, o := range observations(&r, all) {
		d.figures = append(d.figures, figure{
			seriesKey{r.Identity, o.place, decisive, o.cache},
			Run{r.RunID, r.Started, o.median, len(o.throughputs), reported},
		})
	}
	return d
}

// text returns settings as JSON. Equal settings have equal texts.
func text(s []Setting) string {
	encoded, _ := json.Marshal(s) // strings can always be encoded
	return string(encoded)
}

// parsed returns the settings that text encoded.
func parsed(encoded unique.Handle[string]) (s []Setting) {
	_ = json.Unmarshal([]byte(encoded.Value()), &s) // the text comes from text
	return s
}

// changes returns the settings whose value differs, or that only one of both has.
func changes(old, now []Setting) (all []Change) {
	value := func(of []Setting, name string) string {
		if i := slices.IndexFunc(of, func(s Setting) bool { return s.Name == name }); i >= 0 {
			return of[i].Value
		}
		return ""
	}
	for _, s := range now {
		if was := value(old, s.Name); was != s.Value {
			all = append(all, Change{s.Name, was, s.Value})
		}
	}
	for _, s := range old {
		if s.Value != "" && !slices.ContainsFunc(now, func(n Setting) bool { return n.Name == s.Name }) {
			all = append(all, Change{s.Name, s.Value, ""})
		}
	}
	return all
}
