package result

// upgrade turns a document of version 1 into one of version 2. Runs of version 1 did what is the default of options
// that were added later, except that they did not check free space and had no timeout.
func (d *Document) upgrade() {
	d.SchemaVersion = 2
	d.Parameters.Conditions = Conditions{Sync: SyncNone, Order: OrderGiven, Data: DataPosition}
	d.Identity = d.DefaultIdentity()
}
