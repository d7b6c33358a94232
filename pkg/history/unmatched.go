package history

import (
	"fmt"
	"slices"
	"strings"
)

// unmatched are the points that are not comparable, each with the reason: what differs from the most similar one of the other
// side, that the case failed there, or that it is not there.
func (c *comparer) unmatched() (all []Compared) {
	inOld, oldKeys := c.groups(c.old.points)
	inNow, nowKeys := c.groups(c.now.points)
	told := map[string]bool{} // keys of NEW that a reason names
	for _, key := range oldKeys {
		if inNow[key] != nil {
			continue
		}
		old := inOld[key]
		out := Compared{Place: old[0].place, Settings: old[0].decisive, Old: figuresOf(old), Verdict: NotComparable}
		candidates := slices.DeleteFunc(slices.Clone(nowKeys), func(k string) bool { return inOld[k] != nil })
		failed := c.now.failed[old[0].place.asked()]
		switch near, reason := c.nearest(old[0], candidates, inNow); {
		case failed != "":
			out.Reason, out.Failed = "NEW "+failed, true
		case near == "":
			out.Reason = "only in OLD"
		default:
			out.Reason, told[near] = reason, true
			out.New = figuresOf(inNow[near])
		}
		all = append(all, out)
	}
	for _, key := range nowKeys {
		if inOld[key] != nil || told[key] {
			continue
		}
		now := inNow[key]
		out := Compared{Place: now[0].place, Settings: now[0].decisive, New: figuresOf(now), Verdict: NotComparable, Reason: "only in NEW"}
		if failed := c.old.failed[now[0].place.asked()]; failed != "" {
			out.Reason = "OLD " + failed
		}
		all = append(all, out)
	}
	return all
}

// figuresOf are those of one side alone.
func figuresOf(points []sighting) *Figures {
	if len(points) == 1 {
		return figures(1, points[0].throughputs)
	}
	return figures(len(points), medians(points))
}

// nearest is the key of the point of NEW that differs least from the old one, among those with the same case and direction,
// and what differs.
func (c *comparer) nearest(old sighting, keys []string, inNow map[string][]sighting) (near, reason string) {
	fewest := 0
	for _, key := range keys {
		now := inNow[key][0]
		if now.place.asked() != old.place.asked() || now.place.Operation != old.place.Operation {
			continue
		}
		var words []string
		for _, change := range (match{old: []sighting{old}, now: []sighting{now}}).differs() {
			decisive := func(s Setting) bool { return s.Name == change.Name }
			if slices.Contains(c.allowed, change.Name) || !slices.ContainsFunc(old.decisive, decisive) && !slices.ContainsFunc(now.decisive, decisive) {
				continue
			}
			words = append(words, change.String())
		}
		if near == "" || len(words) < fewest {
			near, reason, fewest = key, strings.Join(words, "; "), len(words)
		}
	}
	return near, reason
}

// String is the change for people.
func (c Change) String() string {
	value := func(v string) string {
		if v == "" {
			return "none"
		}
		return v
	}
	return fmt.Sprintf("%s %s -> %s", c.Name, value(c.Old), value(c.New))
}
