package result

// upgrade turns a document of an earlier version into one of this version. Runs of version 1 did what is the default of
// options that were added later, except that they did not check free space and had no timeout. Until version 2, there
// were no windows.
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
	d.SchemaVersion = Version
}
