package result

import "h5perf/pkg/placement"

// upgrade turns a document of an earlier version into one of this version. Runs of version 1 did what is the default of
// options that were added later, except that they did not check free space and had no timeout. Until version 2, there
// were no windows. Before the first release of version 3, each host had an entry of its own.
func (d *Document) upgrade() {
	if d.SchemaVersion == 1 {
		d.Parameters.Conditions = Conditions{Sync: SyncNone, Order: OrderGiven, Data: DataPosition}
		d.Identity = d.DefaultIdentity()
	}
	if d.SchemaVersion < 3 {
		d.Basis = BasisSlowest
		for i := range d.Cases {
			d.Cases[i].MarkShort() // there samples are Short each by itself
		}
	}
	d.Job.upgrade()
	d.SchemaVersion = Version
}

// upgrade moves the bindings of earlier documents to the hosts, and joins hosts of equal layout.
func (j *Job) upgrade() {
	bound := map[string][]placement.Bound{}
	for _, b := range j.Binding {
		bound[b.Host] = append(bound[b.Host], placement.Bound{Ranks: b.Ranks, CPUs: b.CPUs})
	}
	for i := range j.Placement {
		h := &j.Placement[i]
		if h.Bound != nil {
			continue
		}
		h.Bound = bound[h.Host]
		if len(h.Bound) == 1 && h.Bound[0].Ranks == h.Count { // all ranks are bound to it, so the order is known
			h.Bound = []placement.Bound{placement.All(h.Count, h.Bound[0].CPUs)}
		}
	}
	j.Placement, j.Binding = placement.Merge(j.Placement), nil
}
