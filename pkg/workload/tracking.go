package workload

// Tracking says what HDF5 keeps about a file, group or dataset besides its content.
type Tracking struct {
	NoTimes    bool  // not when it was created and changed; in files, groups of the old format have no times at all
	Links      Order // the order in which the links of a file or group were created
	Attributes Order // the order in which the attributes were created
}

// Order is what HDF5 keeps about the order of links or attributes.
type Order int

// The orders.
const (
	NoOrder      Order = iota
	TrackedOrder       // each link or attribute has its number
	IndexedOrder       // there is an index of the numbers, too
)

// String returns "none", "tracked" or "indexed".
func (o Order) String() string { return [...]string{"none", "tracked", "indexed"}[o] }

// description describes what differs from the default, each part after a comma.
func (t Tracking) description() string {
	text := ""
	if t.NoTimes {
		text += ", without times"
	}
	if t.Links != NoOrder {
		text += ", order of links " + t.Links.String()
	}
	if t.Attributes != NoOrder {
		text += ", order of attributes " + t.Attributes.String()
	}
	return text
}
