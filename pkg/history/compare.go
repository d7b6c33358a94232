package history

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// Compare compares the points of two sets of runs. Points are compared that are equal in all decisive conditions but the
// allowed ones, which are named as in Setting; a name that no point has is an error, and so is a run that is on one side twice. Where every run of one set was measured
// in turns with one of the other (see result.Pair), these are compared sample by sample, whatever differs between them.
//
// Else, with one run on either side its samples are compared; with more, each run counts once, by its median: samples of one
// run have in common what changes from run to run, so that many of them are no more than one.
func Compare(old, now []Record, allowed ...string) (Comparison, error) {
	c := comparer{allowed: allowed, old: side{records: old}, now: side{records: now}}
	for _, err := range []error{c.old.look(), c.now.look()} {
		if err != nil {
			return Comparison{}, err
		}
	}
	if err := c.known(); err != nil {
		return Comparison{}, err
	}
	out := Comparison{Version: 1, Level: stats.Level, Old: c.old.ids(), New: c.now.ids(), Points: []Compared{}}
	for _, id := range out.New {
		if slices.Contains(out.Old, id) {
			out.warn("run %s is on both sides", id)
		}
	}
	if matches := c.turns(); matches != nil {
		for _, m := range matches {
			out.Points = append(out.Points, m.inTurns())
		}
	} else {
		for _, m := range c.matches() {
			out.Points = append(out.Points, m.compared())
		}
		out.Points = append(out.Points, c.unmatched()...)
	}
	slices.SortStableFunc(out.Points, func(a, b Compared) int {
		return a.compare(b.Place)
	})
	out.tell()
	out.judge()
	return out, nil
}

// comparer holds two sets of runs.
type comparer struct {
	allowed  []string
	old, now side
}

// side is one of the sets.
type side struct {
	records []Record
	points  []sighting
	failed  map[Place]string // what cases without figures failed of, by what was asked
}

// look finds the points of the runs. A run that is there twice would count twice, and is refused.
func (s *side) look() error {
	s.failed = map[Place]string{}
	paths := map[string]string{}
	for i := range s.records {
		r := &s.records[i]
		if path, twice := paths[r.RunID]; twice {
			return fmt.Errorf("%s and %s hold the same run, %s", path, r.Path, r.RunID)
		}
		paths[r.RunID] = r.Path
		s.points = append(s.points, sightings(r, settingsOf(r.Document))...)
		for _, c := range r.Cases {
			switch {
			case c.Error != nil:
				s.failed[placeOf(c, "").asked()] = string(c.State) + ": " + c.Error.Message
			case c.State == result.Failed || c.State == result.Interrupted:
				s.failed[placeOf(c, "").asked()] = string(c.State)
			}
		}
	}
	return nil
}

func (s *side) ids() []string {
	ids := make([]string, len(s.records))
	for i, r := range s.records {
		ids[i] = r.RunID
	}
	return ids
}

// known refuses allowed names that no point has.
func (c *comparer) known() error {
	var names []string
	for _, p := range slices.Concat(c.old.points, c.now.points) {
		for _, s := range p.decisive {
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	for _, name := range c.allowed {
		if !slices.Contains(names, name) {
			slices.Sort(names)
			return fmt.Errorf("allowing %q: it is no condition of a point here; these are: %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// match is a point with all its sightings.
type match struct {
	old, now []sighting
	allowed  []string
}

// key tells the points apart that are not compared with one another.
func (c *comparer) key(s sighting) string {
	kept := slices.DeleteFunc(slices.Clone(s.decisive), func(s Setting) bool { return slices.Contains(c.allowed, s.Name) })
	return text(kept)
}

// groups are the sightings of each point, and the keys in the order in which they were seen first.
func (c *comparer) groups(points []sighting) (groups map[string][]sighting, order []string) {
	groups = map[string][]sighting{}
	for _, p := range points {
		key := c.key(p)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], p)
	}
	return groups, order
}

// matches are the points that both sides have.
func (c *comparer) matches() (all []match) {
	old, order := c.groups(c.old.points)
	now, _ := c.groups(c.now.points)
	for _, key := range order {
		if now[key] != nil {
			all = append(all, match{old[key], now[key], c.allowed})
		}
	}
	return all
}

// compared compares a point whose samples are independent of those of the other side.
func (m match) compared() Compared {
	out := m.begin()
	test, old, now := ByRuns, medians(m.old), medians(m.now)
	if len(m.old) == 1 && len(m.now) == 1 {
		test, old, now = BySamples, m.old[0].throughputs, m.now[0].throughputs
	}
	out.Old, out.New = figures(len(m.old), old), figures(len(m.now), now)
	out.Difference = difference(test, stats.Independent(old, now, stats.Level))
	out.suspect("OLD", old)
	out.suspect("NEW", now)
	return out
}

// inTurns compares a point whose samples were measured in turns with those of the other side.
func (m match) inTurns() Compared {
	out := m.begin()
	var old, now []float64
	for i := range m.old {
		a, b := paired(m.old[i], m.now[i])
		old, now = append(old, a...), append(now, b...)
	}
	if len(old) == 0 {
		out.Verdict, out.Reason = NotComparable, "no iteration was measured in both"
		return out
	}
	out.Old, out.New = figures(len(m.old), old), figures(len(m.now), now)
	d := stats.Paired(old, now, stats.Level)
	out.Difference = difference(ByPairs, d)
	if n := d.Outliers[0] + d.Outliers[1]; n > 0 {
		out.warn("%d of %d samples of OLD and %d of NEW are outliers and count as the median", d.Outliers[0], len(old), d.Outliers[1])
	}
	return out
}

// begin tells what is compared.
func (m match) begin() Compared {
	out := Compared{Place: m.now[0].place, Settings: m.now[0].decisive, Verdict: NoDifference}
	out.Differs = m.differs()
	for _, s := range slices.Concat(m.old, m.now) {
		if s.implausible {
			out.warn("a figure is above what the memory of the nodes can copy")
			break
		}
	}
	return out
}

func (c *Compared) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// suspect warns of figures that are not a sample of independent values.
func (c *Compared) suspect(name string, figures []float64) {
	n := len(figures)
	if n < stats.MinSamples(stats.Level) {
		c.warn("%s has %d: too few for an interval, which needs %d", name, n, stats.MinSamples(stats.Level))
	}
	if p := stats.Drift(figures); p <= 0.01 {
		c.warn("%s drifts (p %.2g): the order of measuring may be the difference", name, p)
	}
	// 2.33 standard errors of a coefficient that is 0
	if r := stats.Autocorrelation(figures); n >= 8 && r > 2.33/math.Sqrt(float64(n)) {
		c.warn("figures of %s are each like the one before (autocorrelation %.2f): p is too small", name, r)
	}
}

// differs lists the conditions that differ: told ones, and allowed ones.
func (m match) differs() []Change {
	values := func(points []sighting) (names []string, of map[string][]string) {
		of = map[string][]string{}
		for _, p := range points {
			for _, s := range slices.Concat(p.decisive, p.told) {
				if of[s.Name] == nil {
					names = append(names, s.Name)
				}
				if !slices.Contains(of[s.Name], s.Value) {
					of[s.Name] = append(of[s.Name], s.Value)
				}
			}
		}
		return names, of
	}
	names, old := values(m.old)
	more, now := values(m.now)
	for _, name := range more {
		if old[name] == nil {
			names = append(names, name)
		}
	}
	var changes []Change
	for _, name := range names {
		slices.Sort(old[name])
		slices.Sort(now[name])
		if !slices.Equal(old[name], now[name]) {
			changes = append(changes, Change{name, strings.Join(old[name], ", "), strings.Join(now[name], ", ")})
		}
	}
	return changes
}
