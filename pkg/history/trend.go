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
	Version int             `json:"trend_version"` // 1
	Level   float64         `json:"level"`         // confidence level of the intervals
	Nightly bool            `json:"nightly"`       // the search may be repeated every night: see TrendOptions
	Runs    int             `json:"runs"`          // number of runs used: the complete ones, each once
	Unused  []IncompleteRun `json:"unused_runs"`   // runs that are not used
	// runs that are used, though they failed or were interrupted
	Partial []IncompleteRun `json:"partial_runs,omitempty"`
	Skipped []Skipped       `json:"skipped_files,omitempty"` // files that are not read
	// references of the identities of these runs
	References []Reference   `json:"references,omitempty"`
	Groups     []SeriesGroup `json:"groups"` // series that are searched together, too
	Series     []Series      `json:"series"`
	Timelines  []Timeline    `json:"-"` // all runs, for pictures
}

// SeriesGroup is a group of series of the same runs, which change together where the cause is common to them: all,
// those of one direction, or those of one direction and one API. Groups of fewer than two series of 10 runs are left
// out.
type SeriesGroup struct {
	ID       string          `json:"group"` // of all series of these runs, or of the group, the direction, and the API
	Identity result.Identity `json:"identity"`
	// other decisive conditions, if there are groups of the same identity that differ in them
	Conditions   []Condition          `json:"settings,omitempty"`
	Operation    result.Operation     `json:"operation,omitempty"`
	PageCache    string               `json:"page_cache,omitempty"` // of reads: see pageCacheText
	API          string               `json:"api,omitempty"`
	Count        int                  `json:"series"`  // number of its series
	Runs         int                  `json:"runs"`    // number of its runs
	ChangePoints []ChangePoint        `json:"changes"` // ratios are means of those of its series
	Verdict      Verdict              `json:"verdict"`
	Reference    *ReferenceComparison `json:"reference,omitempty"`
	// start of the last of its runs that are of the reference: changes until then are accepted
	Accepted time.Time `json:"-"`
	Power
}

// ScopeText returns, in words, which series of the same runs are in the group.
func (g SeriesGroup) ScopeText() string {
	words := fmt.Sprintf("all %d series", g.Count)
	if g.Operation == "" {
		return words
	}
	words += " of " + string(g.Operation)
	if g.PageCache == WarmCache {
		words += ", " + WarmCache
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

// IncompleteRun is a run that is not used because it is not complete, or one that is used though it is not complete.
type IncompleteRun struct {
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
	PageCache    string        `json:"page_cache,omitempty"` // of reads: see pageCacheText
	Conditions   []Condition   `json:"settings,omitempty"`   // other decisive conditions, if series differ in them
	Runs         []SeriesRun   `json:"runs"`
	ChangePoints []ChangePoint `json:"changes"`
	// direction of the last change point; not comparable if fewer than 10 runs
	Verdict   Verdict              `json:"verdict"`
	Reference *ReferenceComparison `json:"reference,omitempty"`
	// start of the last of its runs that are of the reference: changes until then are accepted
	Accepted time.Time `json:"-"`
	Power
	Group string `json:"group"` // ID of the group of all series of its runs
}

// SeriesRun is one run of a series. It counts by the median of its samples.
type SeriesRun struct {
	RunID   string    `json:"run_id"`
	Started time.Time `json:"started"`
	Median  float64   `json:"median_bytes_per_second"` // median throughput of its samples
	Samples int       `json:"samples"`

	reported unique.Handle[string] // settings whose differences are reported, as JSON
}

// ChangePoint is a run from which on a series is faster or slower than before, up to the next change point.
type ChangePoint struct {
	Since time.Time `json:"since"` // start of the first run after the change
	RunID string    `json:"run_id"`
	Index int       `json:"night"` // index of that run in the series, from 0
	// little by little from that run on, up to the last runs before the next change
	Slow bool `json:"slow,omitempty"`
	// throughput after the change, or where a slow one has come to : before it
	Ratio float64  `json:"ratio"`
	Low   *float64 `json:"low_ratio,omitempty"`  // lower bound of the interval; absent with too few values
	High  *float64 `json:"high_ratio,omitempty"` // upper bound of the interval
	// p-value, corrected for the search over all runs, series and groups
	CorrectedP float64 `json:"corrected_p"`
	// conditions that differ between this run and the one before
	Differs []ConditionChange `json:"differs,omitempty"`
}

// TrendOptions say how a tree of documents is searched.
type TrendOptions struct {
	Selection Selection

	// Nightly is set where a tree is searched again and again while it grows. The probability of any false alarm in a
	// year is then at most 5 %, instead of that in one search.
	Nightly bool

	// Partial is set where runs are used that failed or were interrupted, with what they have measured.
	Partial bool

	References []PinnedReference // what the present is compared with; see Current
}

// FindTrend reads the selected runs that names stand for (see Load) and returns the change points of every
// series and of groups of series, found in the medians of its runs by stats.Search.
//
// The probability that any change point is found in a tree in which nothing changes is at most 5 %.
func FindTrend(o TrendOptions, names ...string) (Trend, error) {
	keep := func(r Record) digestedRun { return digestRecord(r, o.Partial) }
	runs, skipped, err := Collect(o.Selection, keep, names...)
	if err != nil {
		return Trend{}, err
	}
	return o.searchRuns(runs, skipped)
}

// TrendOf is like FindTrend for documents that were read before, in the order in which their runs started. All of them
// are selected.
func TrendOf(o TrendOptions, records []Record) (Trend, error) {
	runs := make([]digestedRun, len(records))
	for i, r := range records {
		runs[i] = digestRecord(r, o.Partial)
	}
	return o.searchRuns(runs, nil)
}

// searchRuns returns the change points of the series of runs.
func (o TrendOptions) searchRuns(runs []digestedRun, skipped []Skipped) (Trend, error) {
	t := Trend{
		Version: 1, Level: stats.Level, Nightly: o.Nightly, Unused: []IncompleteRun{}, Skipped: skipped,
		Groups: []SeriesGroup{},
		Series: []Series{},
	}
	index := map[seriesKey]int{}
	settings := [][]Condition{}
	var forest forest
	for _, n := range runs {
		if !n.run.State.IsUsable(o.Partial) {
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
				settings = append(settings, append(slices.DeleteFunc(parseConditions(f.key.decisive), isOfIdentity),
					Condition{"page_cache", f.key.cache}))
			}
			t.Series[i].Runs = append(t.Series[i].Runs, f.run)
			forest.addFigure(f, i)
		}
	}
	places := make([]Place, len(t.Series))
	for i := range t.Series {
		places[i] = t.Series[i].Place
	}
	for i, kept := range distinguishingConditions(places, settings) {
		t.Series[i].Conditions = kept
	}
	conditions := forest.conditionsOfTrees()
	forest.searchTrees(&t, conditions, o.References)
	t.Timelines = forest.newTimelines(runs, conditions)
	slices.SortStableFunc(t.Series, func(a, b Series) int {
		return cmp.Or(strings.Compare(a.Identity.Cluster, b.Identity.Cluster),
			strings.Compare(a.Identity.Filesystem, b.Identity.Filesystem),
			strings.Compare(a.Identity.Label, b.Identity.Label), a.comparePlace(b.Place))
	})
	return t, nil
}

// isOfIdentity reports whether a setting is part of the identity too.
func isOfIdentity(s Condition) bool { return s.Name == "cluster" || s.Name == "filesystem" }

// seriesKey identifies a series.
type seriesKey struct {
	identity result.Identity
	place    Place
	decisive unique.Handle[string] // settings as JSON; thousands of runs share a few values
	cache    string
}

// digestedRun is what FindTrend keeps of a document.
type digestedRun struct {
	run     IncompleteRun // reported if the run is not used
	of      seriesTreeKey // the runs that it is comparable with
	figures []seriesFigure
}

// seriesFigure is one run of one series.
type seriesFigure struct {
	key seriesKey
	run SeriesRun
}

// digestRecord returns what FindTrend needs of a document. partial is that of FindTrend.
func digestRecord(r Record, partial bool) digestedRun {
	d := digestedRun{run: IncompleteRun{RunID: r.RunID, Path: r.Path, Started: r.Started, State: r.State}}
	if r.State != result.Complete {
		if r.State.IsUsable(true) {
			d.run.Figures = r.NumPoints()
		}
		if len(r.Errors) > 0 {
			d.run.Message = r.Errors[0].Message
		}
	}
	all := conditionsOfRun(r.Document)
	decisive := unique.Make(conditionsText(all.decisive))
	d.of = seriesTreeKey{r.Identity, decisive}
	if !r.State.IsUsable(partial) {
		return d
	}
	reported := unique.Make(conditionsText(all.reported))
	for _, o := range newObservations(&r, all) {
		d.figures = append(d.figures, seriesFigure{
			seriesKey{r.Identity, o.place, decisive, o.cache},
			SeriesRun{r.RunID, r.Started, o.median, len(o.throughputs), reported},
		})
	}
	return d
}

// conditionsText returns settings as JSON. Equal settings have equal texts.
func conditionsText(s []Condition) string {
	encoded, _ := json.Marshal(s) // strings can always be encoded
	return string(encoded)
}

// parseConditions returns the settings that text encoded.
func parseConditions(encoded unique.Handle[string]) (s []Condition) {
	_ = json.Unmarshal([]byte(encoded.Value()), &s) // the text comes from text
	return s
}

// conditionChanges returns the settings whose value differs, or that only one of both has.
func conditionChanges(old, now []Condition) (all []ConditionChange) {
	value := func(of []Condition, name string) string {
		if i := slices.IndexFunc(of, func(s Condition) bool { return s.Name == name }); i >= 0 {
			return of[i].Value
		}
		return ""
	}
	for _, s := range now {
		if was := value(old, s.Name); was != s.Value {
			all = append(all, ConditionChange{s.Name, was, s.Value})
		}
	}
	for _, s := range old {
		if s.Value != "" && !slices.ContainsFunc(now, func(n Condition) bool { return n.Name == s.Name }) {
			all = append(all, ConditionChange{s.Name, s.Value, ""})
		}
	}
	return all
}
