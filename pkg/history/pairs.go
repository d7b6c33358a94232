package history

import "slices"

// matchPairs returns the points of runs that were measured alternately, iteration by iteration. Points are matched by
// the index of their case, not by their conditions, because different conditions may be compared. The result is nil
// unless for every run the other set contains the run with which it alternated. Launches whose partner has no document
// are left out.
func (c *comparer) matchPairs() []matchedPoint {
	alone := func(r Record) bool { return r.Pair != nil && r.Pair.PartnerRunID == "" }
	inTurns := map[string]string{} // ids of new runs; the key is FirstArmRunID
	for _, r := range slices.DeleteFunc(slices.Clone(c.now.records), alone) {
		turns := r.FirstArmRunID()
		if _, twice := inTurns[turns]; turns == "" || twice {
			return nil
		}
		inTurns[turns] = r.RunID
	}
	partners := map[string]string{} // id of the partner in the new set, by the id of the old run
	for _, r := range slices.DeleteFunc(slices.Clone(c.old.records), alone) {
		partner, is := inTurns[r.FirstArmRunID()]
		if !is || partner == r.RunID {
			return nil
		}
		delete(inTurns, r.FirstArmRunID())
		partners[r.RunID] = partner
	}
	if len(inTurns) > 0 {
		return nil
	}
	var order []string
	all := map[string]*matchedPoint{}
	for _, old := range c.old.observations {
		i := slices.IndexFunc(c.now.observations, func(o observation) bool {
			return o.run.RunID == partners[old.run.RunID] && o.index == old.index &&
				o.place.Operation == old.place.Operation && o.place.Class == old.place.Class
		})
		if i < 0 {
			continue
		}
		now := c.now.observations[i]
		key := c.comparisonKey(old) + c.comparisonKey(now)
		if all[key] == nil {
			order = append(order, key)
			all[key] = &matchedPoint{names: c.names}
		}
		all[key].old, all[key].now = append(all[key].old, old), append(all[key].now, now)
	}
	matches := []matchedPoint{}
	for _, key := range order {
		matches = append(matches, *all[key])
	}
	return matches
}
