package history

import "slices"

// pairs returns the points of runs that were measured alternately, iteration by iteration. Points are
// matched by their index in the plan, not by their settings: the settings may differ, as they are what is
// compared. The result is nil unless every run of one set has its partner in the other.
func (c *comparer) pairs() []match {
	partners := map[string]string{} // run id of an old run to that of its partner
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
	for _, old := range c.old.observations {
		i := slices.IndexFunc(c.now.observations, func(o observation) bool {
			return o.run.RunID == partners[old.run.RunID] && o.index == old.index &&
				o.place.Operation == old.place.Operation
		})
		if i < 0 {
			continue
		}
		now := c.now.observations[i]
		key := c.key(old) + c.key(now)
		if all[key] == nil {
			order = append(order, key)
			all[key] = &match{names: c.names}
		}
		all[key].old, all[key].now = append(all[key].old, old), append(all[key].now, now)
	}
	matches := []match{}
	for _, key := range order {
		matches = append(matches, *all[key])
	}
	return matches
}
