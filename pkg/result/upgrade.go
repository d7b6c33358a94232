package result

// upgrade makes a document of version 1 one of version 2. Runs of then did what the options that have come since then do by
// default, but compared no needs with free space and never took a call for hanging.
func (d *Document) upgrade() {
	d.SchemaVersion = 2
	d.Parameters.Conditions = Conditions{Sync: SyncNone, Order: OrderGiven, Data: DataPosition}
	d.Identity = d.DefaultIdentity()
}
