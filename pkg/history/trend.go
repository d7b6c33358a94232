package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unique"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// Trend is the result of a search for change points in all series of a tree of documents.
type Trend struct {
	Version int             `json:"trend_version"` // 1
	Level   float64         `json:"level"`         // confidence level of the intervals
	Nightly bool            `json:"nightly"`       // the search may be repeated every night: see TrendOptions
	Runs    int             `json:"runs"`          // number of runs that are used; each counts once
	Unused  []IncompleteRun `json:"unused_runs"`   // runs that are not used
	// runs that are used although they failed or were interrupted
	Partial []IncompleteRun `json:"partial_runs,omitempty"`
	Skipped []SkippedFile   `json:"skipped_files,omitempty"` // files that are not read
	// references of the identities of these runs
	References []Reference   `json:"references,omitempty"`
	Groups     []SeriesGroup `json:"groups"` // groups of series that are also searched as a whole
	Series     []Series      `json:"series"`
	// where the newest run of each identity lies within the runs before it, or within those of its reference
	Newest    []RunPosition `json:"newest,omitempty"`
	Timelines []Timeline    `json:"-"` // all runs, for pictures
}

// SeriesGroup is a group of series of the same runs. Series in a group often change together, by the same cause. There
// is a group of all series, a group for each direction, and a group for each direction and API. A group without at
// least two series of 10 runs is left out.
type SeriesGroup struct {
	ID       string          `json:"group"` // ID for all series of these runs, then direction and API
	Identity result.Identity `json:"identity"`
	// other decisive conditions, if groups of the same identity differ in them
	Conditions []Condition      `json:"settings,omitempty"`
	Operation  result.Operation `json:"operation,omitempty"`
	PageCache  string           `json:"page_cache,omitempty"` // of reads: see pageCacheText
	API        string           `json:"api,omitempty"`
	NumSeries  int              `json:"series"` // number of series in the group
	Runs       int              `json:"runs"`   // number of runs in the group
	Findings
	Present
	Power
}

// ScopeText describes which series the group contains, such as "all 12 series of read, HDF5".
func (g SeriesGroup) ScopeText() string {
	return groupText(g.NumSeries, "series", g.Operation, g.PageCache, g.API)
}

// groupText describes a group of n members, such as series, by the direction and the API that they share.
func groupText(n int, members string, operation result.Operation, cache, api string) string {
	words := fmt.Sprintf("all %d %s", n, members)
	if operation == "" {
		return words
	}
	words += " of " + string(operation)
	if cache == WarmCache {
		words += ", " + WarmCache
	}
	if api != "" {
		words += ", " + result.APIOf(api).Label
	}
	return words
}

// Present says how the latest runs of a series, or of a group of series, differ from earlier ones.
type Present struct {
	Reference *ReferenceComparison `json:"reference,omitempty"`
	// comparison with the best earlier level; absent without such a level, or with a reference
	Best *BestLevelComparison `json:"best,omitempty"`
	// where it lies in the newest run of its identity; absent if that run does not have it, or with too few other runs
	Newest *PointPosition `json:"newest,omitempty"`
	// start of its last run, if the newest runs of its identity do not have it
	Ended *time.Time `json:"ended,omitempty"`
	// start of the last of its runs that are of the reference: changes until then are accepted
	AcceptedUntil time.Time `json:"-"`
}

// Power says how large a change must be so that the search finds it with a probability of 0.9. Smaller changes may
// exist although the search did not find them.
type Power struct {
	// the largest ratio of a lasting fall that can be found if it began at the most favourable run; absent with too few
	// runs
	DetectableRatio *float64 `json:"visible_ratio,omitempty"`
	// number of runs until a fall by 20 % that begins with the next run is found, first as an incident; absent with too
	// few runs, or if over 24
	RunsNeeded *int `json:"runs_needed,omitempty"`
}

// IncompleteRun is a run that is not complete. The field UsedPoints says whether a trend uses it nevertheless.
type IncompleteRun struct {
	RunID      string       `json:"run_id"`
	Path       string       `json:"path"`
	Started    time.Time    `json:"started"`
	State      result.State `json:"state"`
	Message    string       `json:"message,omitempty"` // the first error of the run
	UsedPoints int          `json:"figures,omitempty"` // number of points of the run that --partial uses
}

// Series holds the results of one point, for example writes of 16 MiB by 4 processes with HDF5, in many runs, in the
// order in which the runs started. All runs of a series have equal decisive conditions; a run with another decisive
// condition belongs to another series.
type Series struct {
	Identity result.Identity `json:"identity"`
	Place
	PageCache  string      `json:"page_cache,omitempty"` // of reads: see pageCacheText
	Conditions []Condition `json:"settings,omitempty"`   // other decisive conditions, if series differ in them
	Runs       []SeriesRun `json:"runs"`
	Findings
	Present
	Power
	Group string `json:"group"` // ID of the group of all series of the same runs
}

// SeriesRun is one run of a series. Its value is the median of its samples.
type SeriesRun struct {
	RunID   string    `json:"run_id"`
	Started time.Time `json:"started"`
	Median  float64   `json:"median"` // of the samples: bytes per second or, with a class, objects per second
	Samples int       `json:"samples"`

	reported unique.Handle[string] // conditions whose differences are reported, as JSON
}

// TrendOptions selects how a tree of documents is searched.
type TrendOptions struct {
	Selection Selection

	// Nightly is set if a growing tree is searched again and again. Then the probability of a false alarm within a year
	// is at most 5 %, instead of 5 % for each search.
	Nightly bool

	// Partial is set if runs that failed or were interrupted are used, with what they measured.
	Partial bool

	References []PinnedReference // the latest runs are compared with these; see CurrentReferences
}

// FindTrend reads the selected runs that names refer to (see Load). It returns the change points of every series and of
// groups of series. stats.Search finds them in the medians of the runs.
//
// If nothing changes in a tree, the probability that it nevertheless finds a change point is at most 5 %.
func FindTrend(o TrendOptions, names ...string) (Trend, error) {
	runs, skipped, err := Collect(o.Selection, o.Digests, names...)
	if err != nil {
		return Trend{}, err
	}
	return o.searchRuns(slices.Concat(runs...), skipped)
}

// TrendOf is like FindTrend, for digests of documents, in the order in which their runs started. It uses all of them.
func TrendOf(o TrendOptions, runs []RunDigest) (Trend, error) { return o.searchRuns(runs, nil) }

// searchRuns returns the change points of the series of runs.
func (o TrendOptions) searchRuns(runs []RunDigest, skipped []SkippedFile) (Trend, error) {
	t := Trend{
		Version: 1, Level: stats.Level, Nightly: o.Nightly, Unused: []IncompleteRun{}, Skipped: skipped,
		Groups: []SeriesGroup{},
		Series: []Series{},
	}
	index := map[seriesKey]int{}
	settings := [][]Condition{}
	var forest forest
	for i, n := range runs {
		again := i > 0 && runs[i-1].run.RunID == n.run.RunID // with other values of --sweep
		if !n.run.State.IsUsable(o.Partial) {
			if !again {
				t.Unused = append(t.Unused, n.run)
			}
			continue
		}
		if !again {
			t.Runs++
		}
		if n.run.State != result.Complete && !again {
			t.Partial = append(t.Partial, n.run)
		}
		for _, f := range n.entries {
			i, there := index[f.key]
			if !there {
				i = len(t.Series)
				index[f.key] = i
				t.Series = append(t.Series, Series{
					Identity: f.key.identity, Place: f.key.place, PageCache: f.key.cache,
					Findings: Findings{ChangePoints: []ChangePoint{}, Verdict: NotComparable},
				})
				settings = append(settings, append(slices.DeleteFunc(parseConditions(f.key.decisive), isOfIdentity),
					Condition{"page_cache", f.key.cache}))
			}
			t.Series[i].Runs = append(t.Series[i].Runs, f.run)
			forest.addEntry(f, i)
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
		return cmp.Or(compareIdentities(a.Identity, b.Identity), a.compareTo(b.Place))
	})
	return t, nil
}

// isOfIdentity reports whether a condition is also part of the identity: the cluster or the file system.
func isOfIdentity(s Condition) bool { return s.Name == "cluster" || s.Name == "filesystem" }

// seriesKey identifies a series.
type seriesKey struct {
	identity result.Identity
	place    Place
	decisive unique.Handle[string] // conditions as JSON; thousands of runs share a few values
	cache    string
}

// RunDigest holds the data of a run that a trend needs, without the rest of its document.
type RunDigest struct {
	run     IncompleteRun // the run, for the lists of unused and partial runs
	job     string        // see TimelineRun
	treeKey seriesTreeKey // identifies the runs with which it is comparable
	entries []seriesEntry
}

// seriesEntry is one run of one series.
type seriesEntry struct {
	key seriesKey
	run SeriesRun
}

// Digests returns the data that TrendOf needs from a document: a digest for each combination of values of --sweep.
func (o TrendOptions) Digests(r Record) (all []RunDigest) {
	for _, part := range r.Parts() {
		all = append(all, o.digest(part))
	}
	return all
}

func (o TrendOptions) digest(r Record) RunDigest {
	d := RunDigest{run: IncompleteRun{RunID: r.RunID, Path: r.Path, Started: r.Started, State: r.State}}
	d.job = r.RunID
	for _, v := range r.Job.Slurm {
		if v.Key == "SLURM_JOB_ID" {
			d.job = v.Value
		}
	}
	if r.State != result.Complete {
		if r.State.IsUsable(true) {
			d.run.UsedPoints = r.NumPoints()
		}
		if len(r.Errors) > 0 {
			d.run.Message = r.Errors[0].Message
		}
	}
	all := conditionsOfRun(r.Document)
	decisive := unique.Make(conditionsText(all.decisive))
	d.treeKey = seriesTreeKey{r.Identity, decisive}
	if !r.State.IsUsable(o.Partial) {
		return d
	}
	reported := unique.Make(conditionsText(all.reported))
	for _, o := range newObservations(&r, all) {
		d.entries = append(d.entries, seriesEntry{
			seriesKey{r.Identity, o.place, decisive, o.cache},
			SeriesRun{r.RunID, r.Started, o.median, len(o.values), reported},
		})
	}
	return d
}

// conditionsText encodes conditions as JSON. Equal conditions have equal texts.
func conditionsText(s []Condition) string {
	encoded, _ := json.Marshal(s) // strings can always be encoded
	return string(encoded)
}

// parseConditions decodes a result of conditionsText.
func parseConditions(encoded unique.Handle[string]) (s []Condition) {
	_ = json.Unmarshal([]byte(encoded.Value()), &s) // cannot fail: conditionsText encoded it
	return s
}

// conditionChanges returns the conditions whose values differ between old and now, or that are in only one of the two
// lists.
func conditionChanges(old, now []Condition) (all []ConditionChange) {
	for _, s := range now {
		if was := conditionValue(old, s.Name); was != s.Value {
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
