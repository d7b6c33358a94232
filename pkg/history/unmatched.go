package history

import (
	"fmt"
	"slices"
	"strings"
)

// unmatchedPoints returns the points that cannot be compared, each with a reason. In the other set, the most similar
// point differs in decisive conditions, or the case failed or has no throughput, or there is no such point.
func (c *comparer) unmatchedPoints() (all []ComparedPoint) {
	inOld, oldKeys := c.groupByKey(c.old.observations)
	inNow, nowKeys := c.groupByKey(c.now.observations)
	named := map[string]bool{} // keys of points of NEW that are already in a reason
	for _, key := range oldKeys {
		if inNow[key] != nil {
			continue
		}
		old := inOld[key]
		out := ComparedPoint{
			Place: old[0].place, Conditions: old[0].decisive, Old: unmatchedSummary(old),
			Verdict: NotComparable,
		}
		candidates := slices.DeleteFunc(slices.Clone(nowKeys), func(k string) bool { return inOld[k] != nil })
		lacks, failed := c.now.noThroughputReason(old[0].place)
		switch near, reason := c.nearestPoint(old[0], candidates, inNow); {
		case lacks != "":
			out.Reason, out.Failed = c.names[1]+" "+lacks, failed
		case near == "":
			out.Reason = "only in " + c.names[0]
		default:
			out.Reason, named[near] = reason, true
			out.New = unmatchedSummary(inNow[near])
		}
		all = append(all, out)
	}
	for _, key := range nowKeys {
		if inOld[key] != nil || named[key] {
			continue
		}
		now := inNow[key]
		out := ComparedPoint{
			Place: now[0].place, Conditions: now[0].decisive, New: unmatchedSummary(now), Verdict: NotComparable,
			Reason: "only in " + c.names[1],
		}
		if lacks, _ := c.old.noThroughputReason(now[0].place); lacks != "" {
			out.Reason = c.names[0] + " " + lacks
		}
		all = append(all, out)
	}
	return all
}

// unmatchedSummary summarises a point that only one set has.
func unmatchedSummary(all []observation) *PointSummary {
	runs := mediansOfRuns(all)
	if len(runs) == 1 {
		return newPointSummary(1, observedValues(all))
	}
	return newPointSummary(len(runs), valuesOfRuns(runs))
}

// nearestPoint returns the key of the point in the new set that differs least from a point of the old set, and the
// differences as text. It considers only points of the same case and operation. Both results are "" if there is no such
// point.
func (c *comparer) nearestPoint(old observation, keys []string, inNow map[string][]observation) (near, reason string) {
	fewest := 0
	for _, key := range keys {
		now := inNow[key][0]
		if now.place.directionKey() != old.place.directionKey() {
			continue
		}
		var words []string
		for _, change := range (matchedPoint{old: []observation{old}, now: []observation{now}}).differingConditions() {
			is := func(s Condition) bool { return s.Name == change.Name }
			decisive := slices.ContainsFunc(old.decisive, is) || slices.ContainsFunc(now.decisive, is)
			if slices.Contains(c.allowed, change.Name) || !decisive {
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

// String formats the change: NAME OLD -> NEW.
func (c ConditionChange) String() string {
	value := func(v string) string {
		if v == "" {
			return "none"
		}
		return v
	}
	return fmt.Sprintf("%s %s -> %s", c.Name, value(c.Old), value(c.New))
}
