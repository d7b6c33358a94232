package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unique"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// Trend is the search for change points in all series of a tree of documents.
type Trend struct {
	Version int      `json:"trend_version"` // 1
	Level   float64  `json:"level"`         // confidence level of the intervals
	Runs    int      `json:"runs"`          // number of runs used: the complete ones, each once
	Unused  []Unused `json:"unused_runs"`   // runs that are not used
	Series  []Series `json:"series"`
}

// Unused is a run that is not used: it is not complete, or it was already read from another file.
type Unused struct {
	RunID   string       `json:"run_id"`
	Path    string       `json:"path"`
	Started time.Time    `json:"started"`
	State   result.State `json:"state"`
	Message string       `json:"message,omitempty"` // its first error, or the other file that holds the run
}

// Series is one point over many runs, in the order in which the runs started. All runs of a series are
// equal in every decisive condition; a run that differs in one of them belongs to another series.
type Series struct {
	Identity result.Identity `json:"identity"`
	Place
	Settings []Setting    `json:"settings,omitempty"` // other decisive conditions, if series differ in them
	Basis    result.Basis `json:"basis"`              // the time on which its throughputs rest
	// the series of the same point by the definition of throughput that was used before; absent if there is none
	Earlier      *Earlier      `json:"earlier_definition,omitempty"`
	Runs         []Run         `json:"nights"`
	ChangePoints []ChangePoint `json:"shifts"`
	// direction of the last change point; not comparable if fewer than 10 runs
	Verdict Verdict `json:"verdict"`
}

// Earlier is a series of runs for which throughput had an earlier definition.
type Earlier struct {
	Basis result.Basis `json:"basis"`
	Runs  int          `json:"runs"`
	Last  time.Time    `json:"last_started"` // start of its last run
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
	Ratio      float64   `json:"ratio"`                // throughput after the change : before it
	Low        *float64  `json:"low_ratio,omitempty"`  // lower bound of the interval; absent with too few values
	High       *float64  `json:"high_ratio,omitempty"` // upper bound of the interval
	P          float64   `json:"p"`                    // p-value
	CorrectedP float64   `json:"corrected_p"`          // p-value corrected for the number of series (Bonferroni)
	Differs    []Change  `json:"differs,omitempty"`    // conditions that differ between this run and the one before
}

// FindTrend reads the selected runs that names stand for (see Load) and returns the change points of every
// series, found in the medians of its runs by stats.ChangePoints.
//
// If basis is set, all throughputs rest on it. Windows are refused if a run has none. Otherwise the throughputs
// of each run rest on the basis of its document, and runs of different bases are in different series.
//
// The probability that any change point is found in a tree in which nothing changes is at most 5 %: each
// series gets an equal part of it (Bonferroni). This holds for one call. A tree that is searched every
// night gives false alarms more often.
func FindTrend(s Selection, basis result.Basis, names ...string) (Trend, error) {
	runs, err := Collect(s, func(r Record) digested { return digest(r, basis) }, names...)
	if err != nil {
		return Trend{}, err
	}
	t := Trend{Version: 1, Level: stats.Level, Unused: []Unused{}, Series: []Series{}}
	index, paths := map[seriesKey]int{}, map[string]string{}
	settings := [][]Setting{}
	for _, n := range runs {
		if n.run.State != result.Complete {
			t.Unused = append(t.Unused, n.run)
			continue
		}
		if path, twice := paths[n.run.RunID]; twice {
			n.run.Message = "the same run as " + path
			t.Unused = append(t.Unused, n.run)
			continue
		}
		paths[n.run.RunID] = n.run.Path
		if n.refused != nil {
			return Trend{}, n.refused
		}
		t.Runs++
		for _, f := range n.figures {
			i, there := index[f.key]
			if !there {
				i = len(t.Series)
				index[f.key] = i
				t.Series = append(t.Series, Series{
					Identity: f.key.identity, Place: f.key.place, Basis: f.key.basis, ChangePoints: []ChangePoint{},
					Verdict: NoDifference,
				})
				settings = append(settings, append(slices.DeleteFunc(parsed(f.key.decisive), ofIdentity),
					Setting{"basis", string(f.key.basis)}, Setting{"page_cache", f.key.cache}))
			}
			t.Series[i].Runs = append(t.Series[i].Runs, f.run)
		}
	}
	t.link(index)
	places := make([]Place, len(t.Series))
	for i := range t.Series {
		places[i] = t.Series[i].Place
	}
	for i, kept := range distinguishing(places, settings) {
		t.Series[i].Settings = kept
	}
	t.find()
	slices.SortStableFunc(t.Series, func(a, b Series) int {
		return cmp.Or(strings.Compare(a.Identity.Cluster, b.Identity.Cluster),
			strings.Compare(a.Identity.Filesystem, b.Identity.Filesystem),
			strings.Compare(a.Identity.Label, b.Identity.Label), a.compare(b.Place))
	})
	return t, nil
}

// link sets Earlier in the series that rest on windows. index holds the indices of all series.
func (t *Trend) link(index map[seriesKey]int) {
	for key, i := range index {
		if key.basis != result.BasisWindow {
			continue
		}
		key.basis = result.BasisSlowest
		if before, there := index[key]; there {
			runs := t.Series[before].Runs
			t.Series[i].Earlier = &Earlier{key.basis, len(runs), runs[len(runs)-1].Started}
		}
	}
}

// ofIdentity reports whether a setting is part of the identity too.
func ofIdentity(s Setting) bool { return s.Name == "cluster" || s.Name == "filesystem" }

// find finds the change points of all series.
func (t *Trend) find() {
	long := 0
	for _, s := range t.Series {
		if len(s.Runs) >= stats.MinSeries {
			long++
		}
	}
	var all sync.WaitGroup
	for i := range t.Series {
		all.Go(func() { t.Series[i].find(long) })
	}
	all.Wait()
}

// find finds the change points of a series. among is the number of series that are tested.
func (s *Series) find(among int) {
	if len(s.Runs) < stats.MinSeries {
		s.Verdict = NotComparable
		return
	}
	medians := make([]float64, len(s.Runs))
	for k, n := range s.Runs {
		medians[k] = n.Median
	}
	for _, c := range stats.ChangePoints(medians, (1-stats.Level)/float64(among), stats.Level) {
		first := s.Runs[c.At]
		point := ChangePoint{
			Since: first.Started, RunID: first.RunID, Index: c.At,
			Ratio: c.Ratio, P: c.P, CorrectedP: min(1, c.P*float64(among)),
			Differs: changes(parsed(s.Runs[c.At-1].reported), parsed(first.reported)),
		}
		point.Low, point.High = bounds(c.Low, c.High)
		s.ChangePoints = append(s.ChangePoints, point)
		s.Verdict = Better
		if c.Ratio < 1 {
			s.Verdict = Worse
		}
	}
}

// seriesKey identifies a series.
type seriesKey struct {
	identity result.Identity
	place    Place
	decisive unique.Handle[string] // settings as JSON; thousands of runs share a few values
	basis    result.Basis
	cache    string
}

// digested is what FindTrend keeps of a document.
type digested struct {
	run     Unused // reported if the run is not used
	figures []figure
	refused error // if the run has no windows, which were asked for
}

// figure is one run of one series.
type figure struct {
	key seriesKey
	run Run
}

// digest returns what FindTrend needs of a document. basis is that of FindTrend.
func digest(r Record, basis result.Basis) digested {
	d := digested{run: Unused{RunID: r.RunID, Path: r.Path, Started: r.Started, State: r.State}}
	if r.State != result.Complete {
		if len(r.Errors) > 0 {
			d.run.Message = r.Errors[0].Message
		}
		return d
	}
	if basis == result.BasisWindow && basisOf(r) != basis {
		d.refused = fmt.Errorf("basis %s is refused: %s has no windows, only the time of the slowest process", basis,
			r.Path)
		return d
	}
	basis = cmp.Or(basis, basisOf(r))
	all := settingsOf(r.Document)
	decisive, reported := unique.Make(text(all.decisive)), unique.Make(text(all.reported))
	for _, o := range observations(&r, basis, all) {
		d.figures = append(d.figures, figure{
			seriesKey{r.Identity, o.place, decisive, basis, o.cache},
			Run{r.RunID, r.Started, stats.Middle(o.throughputs), len(o.throughputs), reported},
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

// changes returns the settings of now whose value differs from the one in old.
func changes(old, now []Setting) (all []Change) {
	values := map[string]string{}
	for _, s := range old {
		values[s.Name] = s.Value
	}
	for _, s := range now {
		if was := values[s.Name]; was != s.Value {
			all = append(all, Change{s.Name, was, s.Value})
		}
	}
	return all
}
