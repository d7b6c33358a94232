package history

import "slices"

// turns matches the points of runs that were measured in turns: by their place in the plan, for the settings may differ, as
// these are what is compared. It is nil unless every run of either side has its partner on the other.
func (c *comparer) turns() []match {
	partners := map[string]string{} // of the old runs
	for _, r := range c.old.records {
		if r.Pair == nil {
			return nil
		}
		partners[r.RunID] = r.Pair.Partner
	}
	for _, r := range c.now.records {
		if r.Pair == nil || partners[r.Pair.Partner] != r.RunID {
			return nil
		}
	}
	if len(c.old.records) != len(c.now.records) {
		return nil
	}
	var order []string
	all := map[string]*match{}
	for _, old := range c.old.points {
		i := slices.IndexFunc(c.now.points, func(s sighting) bool {
			return s.run.RunID == partners[old.run.RunID] && s.index == old.index && s.place.Operation == old.place.Operation
		})
		if i < 0 {
			continue
		}
		now := c.now.points[i]
		key := c.key(old) + c.key(now)
		if all[key] == nil {
			order = append(order, key)
			all[key] = &match{}
		}
		all[key].old, all[key].now = append(all[key].old, old), append(all[key].now, now)
	}
	matches := []match{}
	for _, key := range order {
		matches = append(matches, *all[key])
	}
	return matches
}
