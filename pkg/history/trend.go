package history

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"
	"unique"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// Trend is what changed in the points of a tree of runs in the course of time.
type Trend struct {
	Version int      `json:"trend_version"` // 1
	Level   float64  `json:"level"`         // of intervals
	Runs    int      `json:"runs"`          // used: those that are complete, each once
	Unused  []Unused `json:"unused_runs"`   // the others
	Series  []Series `json:"series"`
}

// Unused is a run that is not used, for it is not complete or there twice.
type Unused struct {
	RunID   string       `json:"run_id"`
	Path    string       `json:"path"`
	Started time.Time    `json:"started"`
	State   result.State `json:"state"`
	Message string       `json:"message,omitempty"` // of its first error, or which other file holds it
}

// Series is a point with all decisive conditions in the order of time. A condition that differs begins another series.
type Series struct {
	Identity result.Identity `json:"identity"`
	Place
	Settings []Setting `json:"settings,omitempty"` // other conditions, where series of the tree differ in them
	Nights   []Night   `json:"nights"`
	Shifts   []Shift   `json:"shifts"`
	Verdict  Verdict   `json:"verdict"` // of the last shift; not comparable with fewer than 10 nights
}

// Night is a run in a series.
type Night struct {
	RunID   string    `json:"run_id"`
	Started time.Time `json:"started"`
	Median  float64   `json:"median_bytes_per_second"` // of its samples
	Samples int       `json:"samples"`

	told unique.Handle[string]
}

// Shift is a night from which on a series is faster or slower than before, up to the next shift.
type Shift struct {
	Since      time.Time `json:"since"` // start of the first run after it
	RunID      string    `json:"run_id"`
	Night      int       `json:"night"` // its index in the series, from 0
	Ratio      float64   `json:"ratio"` // of the throughput after to that before
	Low        *float64  `json:"low_ratio,omitempty"`
	High       *float64  `json:"high_ratio,omitempty"`
	P          float64   `json:"p"`
	CorrectedP float64   `json:"corrected_p"`       // for the number of series
	Differs    []Change  `json:"differs,omitempty"` // conditions that changed between this run and the one before
}

// FindTrend reads the selected runs that names stand for (see Load), and finds the shifts in their points, by the medians of
// the runs. The probability that any shift is found where nothing changes is 5 % for the whole tree: each series has an equal
// part of it. It is that of looking once: who looks every night looks often.
func FindTrend(s Selection, names ...string) (Trend, error) {
	nights, err := Collect(s, digest, names...)
	if err != nil {
		return Trend{}, err
	}
	t := Trend{Version: 1, Level: stats.Level, Unused: []Unused{}, Series: []Series{}}
	index, paths := map[point]int{}, map[string]string{}
	settings := [][]Setting{}
	for _, n := range nights {
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
		t.Runs++
		for _, f := range n.figures {
			i, there := index[f.point]
			if !there {
				i = len(t.Series)
				index[f.point] = i
				t.Series = append(t.Series, Series{Identity: f.point.identity, Place: f.point.place, Shifts: []Shift{}, Verdict: NoDifference})
				settings = append(settings, append(slices.DeleteFunc(parsed(f.point.decisive), ofIdentity), Setting{"page_cache", f.point.cache}))
			}
			t.Series[i].Nights = append(t.Series[i].Nights, f.night)
		}
	}
	places := make([]Place, len(t.Series))
	for i := range t.Series {
		places[i] = t.Series[i].Place
	}
	for i, kept := range distinguishing(places, settings) {
		t.Series[i].Settings = kept
	}
	t.find()
	slices.SortStableFunc(t.Series, func(a, b Series) int {
		return cmp.Or(strings.Compare(a.Identity.Cluster, b.Identity.Cluster), strings.Compare(a.Identity.Filesystem, b.Identity.Filesystem),
			strings.Compare(a.Identity.Label, b.Identity.Label), a.compare(b.Place))
	})
	return t, nil
}

// ofIdentity tells of a setting that the identity has too.
func ofIdentity(s Setting) bool { return s.Name == "cluster" || s.Name == "filesystem" }

// find finds the shifts of all series.
func (t *Trend) find() {
	long := 0
	for _, s := range t.Series {
		if len(s.Nights) >= stats.MinSeries {
			long++
		}
	}
	var all sync.WaitGroup
	for i := range t.Series {
		all.Go(func() { t.Series[i].find(long) })
	}
	all.Wait()
}

// find finds the shifts of one of so many series.
func (s *Series) find(among int) {
	if len(s.Nights) < stats.MinSeries {
		s.Verdict = NotComparable
		return
	}
	medians := make([]float64, len(s.Nights))
	for k, n := range s.Nights {
		medians[k] = n.Median
	}
	for _, c := range stats.Changes(medians, (1-stats.Level)/float64(among), stats.Level) {
		first := s.Nights[c.At]
		shift := Shift{
			Since: first.Started, RunID: first.RunID, Night: c.At, Ratio: c.Ratio, P: c.P, CorrectedP: min(1, c.P*float64(among)),
			Differs: changes(parsed(s.Nights[c.At-1].told), parsed(first.told)),
		}
		shift.Low, shift.High = bounds(c.Low, c.High)
		s.Shifts = append(s.Shifts, shift)
		s.Verdict = Better
		if c.Ratio < 1 {
			s.Verdict = Worse
		}
	}
}

// point is what makes a series.
type point struct {
	identity result.Identity
	place    Place
	decisive unique.Handle[string] // settings as JSON; of thousands of runs they are the same few
	cache    string
}

// digested is what is kept of a run.
type digested struct {
	run     Unused // what is told of it where it is not used
	figures []figure
}

type figure struct {
	point point
	night Night
}

func digest(r Record) digested {
	d := digested{run: Unused{RunID: r.RunID, Path: r.Path, Started: r.Started, State: r.State}}
	if r.State != result.Complete {
		if len(r.Errors) > 0 {
			d.run.Message = r.Errors[0].Message
		}
		return d
	}
	all := settingsOf(r.Document)
	decisive, told := unique.Make(text(all.decisive)), unique.Make(text(all.told))
	for _, s := range sightings(&r, all) {
		d.figures = append(d.figures, figure{
			point{r.Identity, s.place, decisive, s.cache},
			Night{r.RunID, r.Started, stats.Middle(s.throughputs), len(s.throughputs), told},
		})
	}
	return d
}

// text is settings as JSON, and parsed reads them again.
func text(s []Setting) string {
	encoded, _ := json.Marshal(s) // strings always have a JSON
	return string(encoded)
}

func parsed(encoded unique.Handle[string]) (s []Setting) {
	_ = json.Unmarshal([]byte(encoded.Value()), &s) // it is that of text
	return s
}

// changes are the settings with another value.
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
